import { excerpt } from "../../lib/call-styles/excerpt.ts";
import { injectedArguments, type PaperTool } from "../../lib/personas/paper-tools.ts";
import type { ParsedArguments } from "./tool.ts";

/** Reads one argument. `expected` completes "expected ..."; `read` gives undefined for what it does not take. */
export interface Reader<Value> {
  readonly expected: string;
  readonly read: (value: unknown) => Value | undefined;
}

/** A NUL ends a command line and a path, whatever comes behind it, and makes a binary file of a text. */
export const text: Reader<string> = {
  expected: "a text without NUL characters",
  read: (value) => (typeof value === "string" && !value.includes("\0") ? value.toWellFormed() : undefined),
};

export const oneOf = <Choice extends string>(choices: readonly Choice[]): Reader<Choice> => ({
  expected: `one of ${choices.join(", ")}`,
  read: (value) => choices.find((choice) => choice === value),
});

/** Numbers may come as text: models of the `xml` style write all values alike. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
};

export const seconds: Reader<number> = {
  expected: "a number of seconds above 0",
  read: (value) => {
    const number = numberOf(value);
    return number !== undefined && number > 0 ? number : undefined;
  },
};

export const wholeNumber: Reader<number> = {
  expected: "a whole number",
  read: (value) => {
    const number = numberOf(value);
    return Number.isSafeInteger(number) ? number : undefined;
  },
};

/** `True` is Python's. */
export const flag: Reader<boolean> = {
  expected: "true or false",
  read: (value) => {
    const word = typeof value === "string" || typeof value === "boolean" ? String(value).toLowerCase() : null;
    return word === "true" ? true : word === "false" || word === "" ? false : undefined;
  },
};

const listOf = (value: unknown): unknown => {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return undefined;
  }
};

/** An empty list is none. The list may come as text, and so may its numbers. */
export const lineRange: Reader<readonly [number, number] | null> = {
  expected: "a list of two whole numbers",
  read: (value) => {
    const list = listOf(value);
    if (!Array.isArray(list)) return undefined;
    const [first, last] = list.map(wholeNumber.read);
    if (list.length === 0) return null;
    return list.length === 2 && first !== undefined && last !== undefined ? [first, last] : undefined;
  },
};

type Readers = Readonly<Record<string, Reader<unknown>>>;
type Required<All extends Readers> = { readonly [Key in keyof All]: All[Key] extends Reader<infer Value> ? Value : never };
type Optional<All extends Readers> = { readonly [Key in keyof All]: (All[Key] extends Reader<infer Value> ? Value : never) | null };

const shown = (value: unknown): string => {
  if (typeof value === "string") return excerpt(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
};

function readObject(json: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : shown(value);
  } catch {
    return `${excerpt(json)}, which is no JSON`;
  }
}

/** Every argument that is missing, unknown or of the wrong kind, for one answer that names them all. */
function* complaints(object: Record<string, unknown>, required: Readers, optional: Readers): Generator<string> {
  const readers: Readers = { ...required, ...optional };
  const known = new Set(Object.keys(readers));
  for (const key of Object.keys(object))
    if (!known.has(key)) yield `there is no argument ${excerpt(key)}, expected ${[...known].join(", ") || "none"}`;
  for (const key of known) {
    const reader = readers[key];
    if (reader === undefined) continue;
    if (!Object.hasOwn(object, key)) {
      if (Object.hasOwn(required, key)) yield `"${key}" is missing, expected ${reader.expected}`;
    } else if (reader.read(object[key]) === undefined) yield `"${key}" must be ${reader.expected}, got ${shown(object[key])}`;
  }
}

/**
 * Arguments of a call; optional ones that are absent are null. What models do without harm is let through: arguments that their scaffold
 * injected, and null for an argument that may lack. Everything else that the schema does not have is refused.
 */
export function readArguments<Needed extends Readers, Possible extends Readers>(
  tool: PaperTool,
  json: string,
  required: Needed,
  optional: Possible,
): ParsedArguments<Required<Needed> & Optional<Possible>> {
  const all = readObject(json);
  if (typeof all === "string") return { ok: false, why: `Expected the arguments of ${tool.name} as a JSON object, got ${all}` };
  const object = Object.fromEntries(
    Object.entries(all).filter(([key, value]) => !injectedArguments.has(key) && !(value === null && tool.arguments.has(key))),
  );
  const wrong = [...complaints(object, required, optional)];
  if (wrong.length > 0) return { ok: false, why: `${tool.name} cannot be called like this: ${wrong.join("; ")}` };
  const values = Object.entries({ ...required, ...optional }).map(([key, reader]) => [
    key,
    Object.hasOwn(object, key) ? reader.read(object[key]) : null,
  ]);
  return { ok: true, value: Object.fromEntries(values) as Required<Needed> & Optional<Possible> };
}
