/**
 * Reading other people's JSON. Only own properties are looked at and nothing is spread or assigned, so a key such as `__proto__` is
 * data like any other and never reaches a prototype.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** Control flow of the dialects only: `importRecord` turns it into a quarantined record. `where` is a path such as `messages[3].content`. */
export class WrongShape extends Error {
  override readonly name = "WrongShape";

  constructor(where: string, expected: string, got: unknown) {
    super(`${where}: expected ${expected}, got ${describe(got)}`);
  }
}

export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object") return `an object with keys ${listed(Object.keys(value))}`;
  if (typeof value === "string") return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`;
  return `the ${typeof value} ${String(value)}`;
}

const listed = (keys: readonly string[]): string => {
  const shown = keys
    .slice(0, 8)
    .map((key) => key.slice(0, 40))
    .join(", ");
  return keys.length > 8 ? `${shown}, ... (${keys.length})` : shown || "(none)";
};

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Own property or undefined; null counts as absent, because tables fill what a row lacks with null. */
export const field = (value: unknown, key: string): unknown =>
  isFields(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;

/** `at(value, "info", "config", "model")`. */
export const at = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>(field, value);

export const textAt = (value: unknown, ...path: readonly string[]): string | null => {
  const found = at(value, ...path);
  return typeof found === "string" ? found : null;
};

/** Like `textAt`, and the empty text counts as absent. */
export const wordAt = (value: unknown, ...path: readonly string[]): string | null => textAt(value, ...path) || null;

export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] | null => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : null;
};

export const intAt = (value: unknown, ...path: readonly string[]): number | null => {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : null;
};

/** `true`, `false`, 1 or 0; anything else (-1 means "not judged" in some tables) is null. */
export const flagAt = (value: unknown, ...path: readonly string[]): boolean | null => {
  const found = at(value, ...path);
  if (typeof found === "boolean") return found;
  return found === 1 ? true : found === 0 ? false : null;
};

/** Text of a message's `content`: a string, null, or a list of text parts (joined by a line break, as the scaffolds' own serialisers do). */
export function contentText(content: unknown, where: string): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new WrongShape(where, "text or a list of text parts", content);
  return content
    .map((part: unknown, index) => {
      const text = typeof part === "string" ? part : textAt(part, "text");
      if (text === null) throw new WrongShape(`${where}[${index}]`, "a text part (images and other parts cannot be kept)", part);
      return text;
    })
    .join("\n");
}

/** What `contentText` would refuse is read as null. For the look before the reading. */
export function peekText(content: unknown): string | null {
  try {
    return contentText(content, "");
  } catch {
    return null;
  }
}

export function asFields(value: unknown, where: string): Fields {
  if (!isFields(value)) throw new WrongShape(where, "an object", value);
  return value;
}

export function asList(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongShape(where, "a list", value);
  return value;
}
