import { describe, expect, test } from "vitest";
import { chatFormatOf, chatRenderer } from "../../../../pipeline/adapters/chat-renderer.ts";
import type { ChatFormat } from "../../../../schemas/chat-format.ts";
import { launchFiles, requireTemplates, trainerPlans } from "../../../../stages/export/launchers/index.ts";
import type { LaunchPlan } from "../../../../stages/export/launchers/launcher.ts";
import { templateName } from "../../../../stages/export/launchers/template-names.ts";
import { type ModelFolder, modelFolders } from "../../../fakes/model-folders.ts";
import { allLayouts, parts, planWith, trainings } from "./plan.ts";

const formatOf = ({ template, control, bos = "", eos = "<|im_end|>" }: ModelFolder): ChatFormat =>
  chatFormatOf(chatRenderer(template, { bos, eos }, "a model"), [...new Set(["<|im_start|>", "<|im_end|>", ...control])], "a model");
const plainChatml =
  "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}";
const plainLlama =
  "{{- bos_token }}{%- for message in messages %}{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}{%- endfor %}";
const llama = modelFolders["llama-like"];
const shape = {
  layers: 28,
  hidden: 3072,
  intermediate: 8192,
  heads: 24,
  keyValueHeads: 8,
  headSize: 128,
  vocabulary: 128_256,
  tiedEmbeddings: true,
  nativeWindow: 131_072,
};

const planOf = (chat: ChatFormat | undefined, training: Record<string, unknown> = {}, layouts = allLayouts): LaunchPlan =>
  planWith({
    parts: parts(["train", "validation"], undefined, layouts),
    training: { model: "my/own", contextParallel: 1, ...training },
    ...(chat === undefined ? {} : { chat }),
  });
const configOf = (plan: LaunchPlan, path: string): Record<string, unknown> | undefined =>
  trainings(plan).find(([own]) => own === path)?.[1];

describe("the template that a trainer is told is the one that writes as the model's own does", () => {
  test.each<[string, ChatFormat | undefined, string, string]>([
    ["Qwen2.5's, built in", undefined, "qwen2_5", "qwen"],
    ["ChatML without a default system message", formatOf({ control: [], template: plainChatml }), "qwen2_5", "qwen"],
    ["Llama 3's", formatOf({ ...llama, template: plainLlama }), "llama3", "llama3"],
    ["Mistral's", formatOf(modelFolders["mistral-like"]), "mistral_2501", "mistral_small"],
  ])("%s", (_name, chat, swift, factory) => {
    expect([templateName("ms-swift", chat), templateName("llamafactory", chat)]).toEqual([swift, factory]);
    expect(configOf(planOf(chat), "configs/ms-swift/cat.yaml")).toMatchObject({ template: swift });
    expect(configOf(planOf(chat), "configs/llamafactory/cat-turns.yaml")).toMatchObject({ template: factory });
  });

  test.each<[string, ChatFormat]>([
    ["Qwen3's, which says in the last turn that nothing was thought", formatOf(modelFolders["qwen3-like"])],
    ["Llama's with a date in the system message", formatOf(llama)],
  ])("%s, is written by none of theirs: no config of text, the reason names who can", (_name, chat) => {
    const plan = planOf(chat);
    expect([templateName("ms-swift", chat), templateName("llamafactory", chat)]).toEqual([null, null]);
    const swift = trainerPlans(plan).find(({ name }) => name === "ms-swift");
    expect(swift).toMatchObject({
      why: [expect.stringMatching(/qwen2_5, llama3, mistral_2501.*axolotl, trl and automodel take the model's own/)],
    });
    const readme = launchFiles(plan).find(({ path }) => path === "configs/README.md")?.text;
    expect(readme).toContain("axolotl, trl and automodel take the model's own template");
    const factory = trainings(plan).filter(([path]) => path.startsWith("configs/llamafactory/"));
    expect(factory.map(([path]) => path)).toEqual(["configs/llamafactory/cat-tokenized.yaml", "configs/llamafactory/base-tokenized.yaml"]);
    for (const [, config] of factory) expect(config["template"]).toBe("empty");
    for (const trainer of ["axolotl", "trl", "automodel"])
      expect(trainings(plan).some(([path]) => path.startsWith(`configs/${trainer}/`))).toBe(true);
  });
});

test("the name of the model's family goes by what the recipe says of its layers, and is left out where nobody says", () => {
  const chat = formatOf({ ...llama, template: plainLlama });
  const type = (plan: LaunchPlan): unknown => configOf(plan, "configs/ms-swift/cat.yaml")?.["model_type"];
  expect(type(planOf(undefined))).toBe("qwen2");
  expect(type(planOf(chat))).toBeUndefined();
  expect(type(planOf(chat, { shape: { ...shape, decoderLayer: "LlamaDecoderLayer" }, method: "lora" }))).toBe("llama");
});

describe("a trainer that the recipe names", () => {
  const chat = formatOf(modelFolders["qwen3-like"]);
  const named = (trainers: string[], layouts: readonly string[]) => () =>
    requireTemplates(planOf(chat, { trainers }).training, layouts, chat);

  test("is refused before anything is rendered where it would misread every layout", () => {
    expect(named(["trl", "ms-swift"], ["messages"])).toThrow(/ms-swift: none of the templates .*axolotl, trl and automodel/);
    expect(named(["llamafactory"], ["messages", "turns"])).toThrow(/llamafactory: .*takes the layout tokenized as it is/);
  });

  test("is not refused where one layout of the recipe is right", () => {
    expect(named(["llamafactory"], ["messages", "tokenized"])).not.toThrow();
    expect(named(["axolotl", "trl", "automodel"], ["messages", "input-output"])).not.toThrow();
  });
});
