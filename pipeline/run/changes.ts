import type { KeyMaterial } from "../../schemas/manifest.ts";

const show = (value: unknown): string => (value === undefined ? "absent" : JSON.stringify(value));

/** What differs between two JSON values, by path, in sentences. */
export function differences(before: unknown, after: unknown, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const objects = [before, after].every((value) => value !== null && typeof value === "object" && !Array.isArray(value));
  if (!objects) return [`${path} changed from ${show(before)} to ${show(after)}`];
  const old = before as Record<string, unknown>;
  const now = after as Record<string, unknown>;
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  return keys.flatMap((key) => differences(old[key], now[key], path === "" ? key : `${path}.${key}`));
}

/** Where a parameter stands in the recipe, when its step knows it by a shorter path. */
const inRecipe: Readonly<Record<string, string>> = {
  windowTokens: "window.tokens",
  replyTokens: "window.replyTokens",
  baseTools: "export.baseTools",
  seed: "run.seed",
  kinds: "export.kinds",
};
const named = (sentence: string): string =>
  sentence
    .replace(/^memory\./, "condense.")
    .replace(/^set\./, "filter.set.")
    .replace(/^[A-Za-z]+(?= changed)/, (path) => inRecipe[path] ?? path);

/** What changed between two keys of a step, in sentences: parameters by path, version, tokenizer. */
export function changes(before: KeyMaterial, after: KeyMaterial): string[] {
  const found = differences(before.params, after.params, "").map(named);
  if (before.version !== after.version)
    found.push(`${after.stage} is version ${after.version} now, the rows were made by version ${before.version}`);
  if (before.tokenizer !== after.tokenizer) found.push("the tokenizer changed");
  return found;
}
