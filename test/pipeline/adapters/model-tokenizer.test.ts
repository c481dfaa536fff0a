import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "@huggingface/jinja";
import fc from "fast-check";
import { Tokenizer } from "tokenizers";
import { afterAll, describe, expect, test } from "vitest";
import { chooseTokenizer, openTokenizer } from "../../../pipeline/adapters/model-tokenizer.ts";
import { type ExportedSample, exportTrajectory } from "../../../stages/export/export.ts";
import { gatedTemplate } from "../../../stages/export/launchers/gated-template.ts";
import { layouts } from "../../../stages/export/layouts/index.ts";
import { chatText } from "../../../stages/lib/chatml.ts";
import { formatOf } from "../../../stages/lib/sizes.ts";
import { arbitraryText } from "../../fakes/arbitrary-trajectory.ts";
import { type ModelFolder, modelFolders, tokenizerText, writeModelFolder } from "../../fakes/model-folders.ts";
import { paramsOf, smallBundles, smallRecipe } from "../../stages/export/small-bundles.ts";

const root = await mkdtemp(join(tmpdir(), "catgen-models-"));
afterAll(() => rm(root, { recursive: true, force: true }));
let number = 0;
const folderOf = (model: ModelFolder): Promise<string> => writeModelFolder(join(root, `model-${number++}`), model);
const recipe = smallRecipe({ export: { kinds: ["segment", "condense", "base", "flat", "step"] } });
const bundles = (await smallBundles(recipe)).slice(0, 4);

describe.each(Object.entries<ModelFolder>(modelFolders))("a folder that is %s", async (_name, model) => {
  const folder = await folderOf(model);
  const choice = await chooseTokenizer({ folder, template: null });
  const tokenizer = await openTokenizer(choice);
  const reference = Tokenizer.fromString(tokenizerText(model));
  const ids = async (text: string): Promise<number[]> => (await reference.encode(text, null, { addSpecialTokens: false })).getIds();
  const format = formatOf(tokenizer.countTokens);
  const render = tokenizer.renderChat;
  if (render === null) throw new Error("a local tokenizer renders");
  const exported = bundles.map((bundle) =>
    exportTrajectory(bundle, paramsOf(recipe), { countTokens: tokenizer.countTokens, renderChat: render }),
  );
  const samples: ExportedSample[] = exported.flatMap((one) => [...one.samples]);

  test("exports every sample, and its own template writes each as we do", () => {
    expect(exported.flatMap(({ refused }) => refused.map(({ why }) => why)).filter((why) => why !== "extractive-memory")).toEqual([]);
    expect(samples.length).toBeGreaterThan(40);
    for (const { sample } of samples) {
      const messages = sample.turns.map(({ role, content }) => ({ role, content }));
      expect(render(messages)).toBe(chatText(sample.turns, format));
    }
  });

  test("gives the ids of Hugging Face's own tokenizer, labels of the trained turns alone, and counts that are theirs", async () => {
    for (const one of samples) {
      const [made] = layouts.tokenized.rows(one, tokenizer);
      const row = made?.row as { input_ids: Int32Array; labels: Int32Array };
      expect([...row.input_ids].join()).toBe((await ids(chatText(one.sample.turns, format))).join());
      const trained = one.sample.turns.filter(({ train }) => train).map(({ content }) => content + format.end);
      expect([...row.labels].filter((label) => label >= 0).join()).toBe((await Promise.all(trained.map(ids))).flat().join());
      expect([made?.tokens, made?.trainedTokens]).toEqual([one.facts.tokens, one.facts.trainedTokens]);
    }
  });

  test("encodes any text as Hugging Face's own tokenizer does", async () => {
    const hard = fc.oneof(
      arbitraryText(300),
      fc.constantFrom(...model.control, "12345678", "I'M don\u2019T", "\r\n \n\t", "e\u0301\u00e9 \ud83d\ude00", " \u2028x"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(hard, { maxLength: 6 }), async (parts) => {
        const text = parts.join("").toWellFormed();
        const found = Array.from(tokenizer.encode(text));
        expect(found.join()).toBe((await ids(text)).join());
        expect(tokenizer.countTokens(text)).toBe(found.length);
      }),
      { seed: 5, numRuns: 150 },
    );
  });

  test("has a gated template that writes the same text, and marks the trained turns", () => {
    const gated = gatedTemplate(model.template, format);
    expect(gated).toContain("{% generation %}");
    for (const { sample } of samples.slice(0, 10))
      expect(new Template(gated).render({ messages: sample.turns })).toBe(chatText(sample.turns, format));
    const shown = gated.replace("{% generation %}", "{{ '\u00ab' }}").replace("{% endgeneration %}", "{{ '\u00bb' }}");
    const text = new Template(shown).render({ messages: samples[1]?.sample.turns });
    expect([...text.matchAll(/\u00ab([^\u00bb]*)\u00bb/g)].map(([, inner]) => inner)).toEqual(
      samples[1]?.sample.turns.filter(({ train }) => train).map(({ content }) => content + format.end),
    );
  });

  test("has a digest that changes with the template and not with the place", async () => {
    const digestOf = async (folder: string): Promise<string> => (await chooseTokenizer({ folder, template: null })).digest;
    expect(await digestOf(await folderOf(model))).toBe(choice.digest);
    expect(await digestOf(await folderOf({ ...model, template: `{#- other -#}${model.template}` }))).not.toBe(choice.digest);
  });

  test("refuses text of the data that is a control token of this tokenizer, whatever Qwen2.5 makes of it", () => {
    const [first] = bundles;
    if (first === undefined) throw new Error("there are bundles");
    const spoilt = { ...first.trajectory, task: { ...first.trajectory.task, prompt: `Print ${model.control[0]} please.` } };
    const { samples: none, refused } = exportTrajectory({ ...first, trajectory: spoilt }, paramsOf(recipe), {
      countTokens: tokenizer.countTokens,
      renderChat: render,
    });
    expect(none).toEqual([]);
    for (const { why } of refused) expect(why).toContain("control-token-text");
  });
});

test("a template that writes a sample otherwise than we do refuses that sample, and no other", async () => {
  const folder = await folderOf({
    ...modelFolders["llama-like"],
    template: modelFolders["llama-like"].template.replace(
      "message.content | trim +",
      "message.content | replace('All tests pass', 'Tests pass') +",
    ),
  });
  const tokenizer = await openTokenizer(await chooseTokenizer({ folder, template: null }));
  const bases = smallRecipe({ export: { kinds: ["step"] } });
  const [bundle] = bundles;
  if (bundle === undefined || tokenizer.renderChat === null) throw new Error("there are bundles");
  const { samples, refused } = exportTrajectory(bundle, paramsOf(bases), {
    countTokens: tokenizer.countTokens,
    renderChat: tokenizer.renderChat,
  });
  expect(new Set(refused.map(({ why }) => why))).toEqual(new Set(["template-differs"]));
  expect(samples.length).toBeGreaterThan(3);
  for (const { sample } of samples) expect(chatText(sample.turns)).not.toContain("All tests pass");
});

describe("what cannot be trained on is refused by name, with what to do", () => {
  const refusal = async (change: Partial<ModelFolder>, after?: (folder: string) => Promise<void>): Promise<string> => {
    const folder = await folderOf({ ...modelFolders["llama-like"], ...change });
    await after?.(folder);
    try {
      (await openTokenizer(await chooseTokenizer({ folder, template: null }))).countTokens("x");
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return "accepted";
  };
  const of = (row: string): string => `{%- for message in messages %}${row}{%- endfor %}`;

  test.each([
    ["a date of the day", `{{- strftime_now('%d') }}${of("{{- message.content + '<|eot_id|>' }}")}`, "strftime_now"],
    ["no control token between turns", of("{{- message.role + ': ' + message.content + '\\n' }}"), "no control token between"],
    [
      "a system prompt that moves to the last message",
      "{%- for message in messages %}{%- if message.role != 'system' %}{{- '<|eot_id|>' }}{%- if loop.last %}{{- messages[0].content }}{%- endif %}{{- message.content }}{%- endif %}{%- endfor %}",
      "once and in order",
    ],
    ["turns that are left out", of("{%- if loop.last %}{{- message.content + '<|eot_id|>' }}{%- endif %}"), "once and in order"],
    [
      "turns written otherwise later",
      of("{{- '<|eot_id|>' + message.content }}{%- if loop.last %}{{- '<|end_header_id|>' }}{%- endif %}"),
      "when others come after it",
    ],
    [
      "no system message",
      "{%- if messages[0].role == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}",
      "System role not supported",
    ],
    ["what is no template", "{%- for message in", "does not parse"],
  ])("%s", async (_what, template, expected) => {
    expect(await refusal({ template })).toContain(expected);
  });

  test("a folder without a tokenizer, without a template, with a broken file, with a kind that nobody knows", async () => {
    expect(await refusal({}, (folder) => rm(join(folder, "tokenizer.json")))).toMatch(
      /expected tokenizer\.json at .*set tokenizer\.folder/,
    );
    expect(await refusal({}, (folder) => rm(join(folder, "tokenizer_config.json")))).toMatch(
      /expected a chat template .*tokenizer\.template/,
    );
    expect(await refusal({}, (folder) => writeFile(join(folder, "tokenizer.json"), "{"))).toMatch(/expected a Hugging Face tokenizer file/);
    const odd = async (folder: string): Promise<void> => {
      const file = JSON.parse(await readFile(join(folder, "tokenizer.json"), "utf8")) as { model: unknown };
      await writeFile(join(folder, "tokenizer.json"), JSON.stringify({ ...file, model: { type: "Runes" } }));
    };
    expect(await refusal({}, odd)).toMatch(/tokenizer of a known kind.*Runes/);
    await expect(chooseTokenizer({ folder: null, template: "x.jinja" })).rejects.toThrow("tokenizer.folder");
  });
});
