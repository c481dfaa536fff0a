import { expect, test } from "vitest";
import { z } from "zod";
import { type Settled, settle, stepKey } from "../../pipeline/keys.ts";
import { stepTable } from "../../pipeline/plan.ts";
import { Recipe } from "../../schemas/recipe.ts";

/** Row 19: each parameter changes the keys of exactly the steps whose rows it may change. */

/**
 * Longest path wins. A parameter that none of these covers fails the test: say here what it re-runs. Thought out, never copied: which rows
 * may differ once their step has run with another value, everything above them being equal? Export's row is the dataset, card and launch files included.
 */
const reRuns: Readonly<Record<string, readonly string[]>> = {
  "run.shards": [], // fixed when the run is created
  "run.maxQuarantinedShare": [],
  "run.seed": ["select", "export"],
  persona: ["detect", "condense", "measure", "export"],
  "window.tokens": ["detect", "condense", "judge", "export"],
  "window.replyTokens": ["detect", "condense", "measure", "export"],
  "window.keepSteps": ["detect", "export"],
  generate: ["generate"],
  detect: ["detect"],
  "generate.rollout": [], // a live run is imported as any other record
  "condense.condenser": ["condense", "select"], // what the built-in condenser writes is no sample, unless asked for
  // The size aimed at is part of what a placement costs, of every request for a memory, and so of `condense` samples; the card states it.
  "condense.memoryBaseTokens": ["detect", "condense", "measure", "export"],
  "condense.memoryShare": ["detect", "condense", "measure", "export"],
  "condense.memoryCapTokens": ["detect", "condense", "measure", "export"],
  // How memories are asked for and chosen: later steps see the memories alone.
  "condense.attempts": ["condense"],
  "condense.retryTemperature": ["condense"],
  "condense.candidates": ["condense"],
  "condense.maxFindings": ["condense"],
  "condense.transport": ["condense"],
  "condense.thought": ["condense"],
  "condense.windowTokens": ["condense"],
  "condense.judge": ["condense"],
  evaluation: [], // what the files hold counts, not where they lie: see below
  filter: ["judge", "export"], // the card states it
  "filter.set": ["select", "export"],
  export: ["export"],
  "export.kinds": ["select", "export"],
  "export.condenseExtractive": ["export"],
  "export.audit": ["export"], // what travels beside the samples
  "tokenizer.folder": [], // the digest of what lies there counts, not the place: see the last test
  "tokenizer.template": [],
  "export.baseTools": ["measure", "export"],
  publish: [], // goes outside, comes back to no row
  "llm.baseUrl": ["condense"],
  "llm.model": ["condense"],
  "llm.temperature": ["condense"],
  "llm.topP": ["condense"],
  "llm.seed": ["condense"],
  "llm.replyLimitField": ["condense"],
  "llm.extraBody": ["condense"],
  "llm.apiKeyVariable": [],
  "llm.stream": [],
  "llm.concurrency": [],
  "llm.maxAttempts": [],
  "llm.timeoutMs": [],
  "llm.idleTimeoutMs": [],
  "llm.askAbove": [],
  "llm.budget": [],
  "llm.price": [],
};

const isBranch = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0;

function leaves(value: unknown, path: readonly string[] = []): string[][] {
  if (!isBranch(value)) return [[...path]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);

function changedAt(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  return { ...(value as Record<string, unknown>), [key]: changedAt((value as Record<string, unknown>)[key], rest, to) };
}

/** What is not to be seen from a parameter's type. */
const candidates: readonly unknown[] = [
  ...["http://127.0.0.1:9/v1", "OTHER_KEY", 0.25, 9, 4000, null, 2, 3],
  ...[{ bash: "execute_bash" }, { others: "flag" }, { openhands: 0.5 }, "2026-01-31", { top_k: 5 }],
];

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

const recipeSchema = z.toJSONSchema(Recipe, { io: "input", unrepresentable: "any" }) as JsonSchema;
const alternatives = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(alternatives),
];
const simple: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [false, true],
  integer: [7, 1],
  number: [0.25, 7],
  string: ["other"],
};

/** Some values of a type: every choice that it lists, short lists, whole objects. `auto` only says what another choice says. */
function valuesOf(schema: JsonSchema): unknown[] {
  return alternatives(schema).flatMap(({ type, enum: choices, items, properties }) => {
    if (choices !== undefined) return choices.filter((choice) => choice !== "auto");
    if (items !== undefined) return valuesOf(items).map((item) => [item]);
    if (properties !== undefined) return [Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, valuesOf(inner)[0]]))];
    return simple[type ?? ""] ?? [];
  });
}

const schemasAt = (path: readonly string[]): JsonSchema[] =>
  path.reduce<JsonSchema[]>(
    (schemas, key) => schemas.flatMap(alternatives).flatMap(({ properties }) => properties?.[key] ?? []),
    [recipeSchema],
  );

function otherValue(recipe: Recipe, path: readonly string[]): Recipe | null {
  const now = JSON.stringify(at(recipe, path));
  for (const candidate of [...schemasAt(path).flatMap(valuesOf), ...candidates]) {
    const parsed = Recipe.safeParse(changedAt(recipe, path, candidate));
    if (parsed.success && JSON.stringify(at(parsed.data, path)) !== now) return parsed.data;
  }
  return null;
}

const tokenizer = { name: "qwen2.5", digest: "0".repeat(64), local: null } as const;
const keysOf = (settled: Settled): string[] => stepTable.map(({ name }) => stepKey(name, settled).stageKey);

function changedBetween(settled: Settled, other: Settled): string[] {
  const [before, after] = [keysOf(settled), keysOf(other)];
  return stepTable.map(({ name }) => name).filter((_, index) => before[index] !== after[index]);
}
const changedSteps = (recipe: Recipe, other: Recipe): string[] =>
  changedBetween(settle(recipe, {}, tokenizer), settle(other, {}, tokenizer));

const expected = (path: string, table = reRuns): readonly string[] | undefined =>
  Object.entries(table)
    .filter(([prefix]) => path === prefix || path.startsWith(`${prefix}.`))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1];

const withModel = Recipe.parse({ llm: { baseUrl: "http://127.0.0.1:1/v1", model: "m", price: {} }, condense: { condenser: "llm" } });
const paths = leaves(withModel);
test("the recipe has parameters, and every one of them has another value to try", () => {
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => otherValue(withModel, path) === null).map((path) => path.join("."))).toEqual([]);
});

test.each(paths.map((path) => path.join(".")))("%s changes the keys of exactly the steps it concerns", (path) => {
  const other = otherValue(withModel, path.split("."));
  expect(other).not.toBeNull();
  expect(changedSteps(withModel, other ?? withModel)).toEqual(expected(path));
});

test("without a model nothing about the endpoint changes any key", () => {
  const recipe = Recipe.parse({ condense: { condenser: "extractive" } });
  for (const path of leaves(recipe).filter(([top]) => top === "llm")) {
    const other = otherValue(recipe, path);
    if (other !== null) expect(`${path.join(".")} ${changedSteps(recipe, other)}`).toBe(`${path.join(".")} `);
  }
});

/** The built-in condenser reads the fold, the size of memories and the persona; a second opinion on its memories is asked for as the recipe says. */
const reRunsBuiltIn: Readonly<Record<string, readonly string[]>> = {
  ...reRuns,
  "window.tokens": ["detect", "judge", "export"],
  "window.replyTokens": ["detect", "measure", "export"],
  "condense.attempts": [],
  "condense.retryTemperature": [],
  "condense.candidates": [],
  "condense.maxFindings": [],
  "condense.transport": [],
  "condense.windowTokens": [],
};
const withOpinion: Readonly<Record<string, readonly string[]>> = {
  ...reRunsBuiltIn,
  "window.tokens": ["detect", "condense", "judge", "export"],
  "window.replyTokens": ["detect", "condense", "measure", "export"],
  "condense.transport": ["condense"],
  "condense.windowTokens": ["condense"],
};

test.each([
  ["makes them anew for nothing that it does not read", false, reRunsBuiltIn],
  ["makes them anew where a second opinion would be another", true, withOpinion],
] as const)("the built-in condenser %s", (_, judge, table) => {
  const recipe = Recipe.parse({ ...withModel, condense: { condenser: "extractive", judge } });
  const asked = ["condense.condenser", "condense.thought", "condense.judge"]; // another condenser, or none of these without a model that writes
  for (const path of leaves(recipe).filter(([top]) => top === "window" || top === "condense")) {
    const name = path.join(".");
    const other = otherValue(recipe, path);
    if (asked.includes(name)) continue;
    expect(other).not.toBeNull();
    expect(`${name}: ${changedSteps(recipe, other ?? recipe).join(" ")}`).toBe(`${name}: ${expected(name, table)?.join(" ")}`);
  }
});

test("what trajectories are held against changes what is measured, and the card that states it", () => {
  const now = settle(withModel, {}, tokenizer, { lists: { verified: "0".repeat(64) }, indexes: {} });
  for (const evaluation of [
    { lists: { verified: "1".repeat(64) }, indexes: {} },
    { lists: { verified: "0".repeat(64) }, indexes: { mine: "0".repeat(64) } },
  ])
    expect(changedBetween(now, { ...now, evaluation })).toEqual(["measure", "export"]);
});

test("the tokenizer changes the keys of the steps that count tokens", () => {
  const now = settle(withModel, {}, tokenizer);
  const other = settle(withModel, {}, { ...tokenizer, digest: "1".repeat(64) });
  expect(changedBetween(now, other)).toEqual(["detect", "condense", "measure", "export"]);
});
