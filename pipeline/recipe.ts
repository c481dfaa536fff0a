import { isMap, isScalar, LineCounter, parseDocument, stringify } from "yaml";
import { z } from "zod";
import { Fault } from "../schemas/fault.ts";
import { Recipe } from "../schemas/recipe.ts";
import { trainingProblems } from "../stages/export/launchers/feasible.ts";
import { launchers } from "../stages/export/launchers/index.ts";
import { type ActionProblem, actionProblems, othersName } from "../stages/filter/actions.ts";
import { filters } from "../stages/filter/filters/index.ts";

/** Edit distance with swaps, for suggestions only. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, at(i - 2, j - 2) + 1);
      const row = rows[i];
      if (row !== undefined) row[j] = best;
    }
  }
  return at(a.length, b.length);
}

/** A word that another one begins with is nearer than any typo: people leave off the unit. */
const apart = (word: string, known: string): number => {
  const [a, b] = [word.toLowerCase(), known.toLowerCase()];
  return a.length > 2 && b.startsWith(a) ? 0.5 : distance(a, b);
};

/** Beyond half of its letters changed, a word is another word, and suggesting it only misleads (our choice). */
const isNear = (word: string, known: string): boolean => apart(word, known) <= Math.max(word.length, known.length) / 2;

/** The known word that was probably meant; null when none resembles it. */
export const nearest = (word: string, known: readonly string[]): string | null =>
  known.filter((one) => isNear(word, one)).sort((a, b) => apart(word, a) - apart(word, b))[0] ?? null;

/** What a message says of a name that nobody knows. */
export function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return `${near === null ? "there are" : `did you mean ${near}? There are`}: ${known.join(", ")}`;
}

/** The object schema behind defaults, prefaults and nullables; null when there is none. */
function objectIn(schema: unknown): z.ZodObject | null {
  let inner: unknown = schema;
  while (
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodOptional
  )
    inner = inner.unwrap();
  return inner instanceof z.ZodObject ? inner : null;
}

function schemaAt(path: readonly PropertyKey[]): z.ZodObject | null {
  let schema: z.ZodObject | null = Recipe;
  for (const key of path) schema = schema === null ? null : objectIn(schema.shape[String(key)]);
  return schema;
}

function explain(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return `${path || "the recipe"}: ${issue.message}`;
  const known = Object.keys(schemaAt(issue.path)?.shape ?? {});
  return issue.keys
    .map((key) => {
      const near = nearest(key, known);
      return `${[...issue.path.map(String), key].join(".")}: unknown key${near === null ? "" : `; did you mean ${[...issue.path.map(String), near].join(".")}?`}`;
    })
    .join("; ");
}

function explainAction({ name, allowed }: ActionProblem): string {
  const path = `filter.actions.${name}`;
  if (allowed !== null) return `${path}: this filter may ${allowed.join(", ")}`;
  return `${path}: no filter has this name; ${meant(name, [...Object.keys(filters), othersName])}`;
}

/** What no single value shows. */
const problemsOf = ({ filter, export: { training }, window }: Recipe): string[] => [
  ...actionProblems(filter.actions).map(explainAction),
  ...trainingProblems(training, window.tokens, launchers),
];

/** Checks a recipe value; `where` names the file or option for the message. */
export function checkRecipe(value: unknown, where: string): Recipe {
  const parsed = Recipe.safeParse(value ?? {});
  const problems = parsed.success ? problemsOf(parsed.data) : parsed.error.issues.map(explain);
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new Fault("RECIPE_INVALID", "stop", `${where}: ${problems.join("; ")} (\`catgen recipe\` prints every key with its range)`);
}

/** A copy of `tree` without a member at `path` that is null; the same where it holds something. */
function withoutOff(tree: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || tree === null || typeof tree !== "object" || Array.isArray(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, value]) =>
      name !== key ? [[name, value]] : rest.length > 0 ? [[name, withoutOff(value, rest)]] : value === null ? [] : [[name, value]],
    ),
  );
}

/** A recipe that catgen wrote, maybe an older one: a limit that is gone since then and was off decided nothing, and is left out. */
export function checkSavedRecipe(value: unknown, where: string): Recipe {
  const issues = Recipe.safeParse(value ?? {}).error?.issues ?? [];
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path.map(String), key]) : [],
  );
  return checkRecipe(unknown.reduce(withoutOff, value), where);
}

/** A recipe as YAML text; every problem is named with its line. */
export function parseRecipe(text: string, where: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw new Fault("RECIPE_INVALID", "stop", `${where}:${lines.linePos(error.pos[0]).line}: no YAML: ${error.message.split("\n")[0]}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      `${where}: expected keys such as window: and filter:, got ${isScalar(document.contents) ? "a single value" : "a list"}`,
    );
  return document.toJS() ?? {};
}

/** A copy of `tree` with `value` at `path`; what stands in the way is replaced, so that the check names the whole path. */
function withValue(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const object = tree !== null && typeof tree === "object" && !Array.isArray(tree) ? tree : {};
  const inner = Object.entries(object).find(([name]) => name === key)?.[1];
  return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== key), [key, withValue(inner, rest, value)]]);
}

/** Applies `--set path=value`; the value is YAML. */
export function setInRecipe(recipe: unknown, assignment: string): unknown {
  const at = assignment.indexOf("=");
  if (at < 1) throw new Fault("USAGE", "stop", `expected --set path=value such as filter.minSteps=20, got ${JSON.stringify(assignment)}`);
  const value = parseDocument(assignment.slice(at + 1));
  const [error] = value.errors;
  if (error !== undefined || assignment.slice(at + 1).trim() === "")
    throw new Fault("USAGE", "stop", `--set ${assignment}: expected a YAML value such as 20, null, [base] or {terminal: execute_bash}`);
  return withValue(recipe, assignment.slice(0, at).split("."), value.toJS());
}

export const filterText = ({ filter }: Recipe): string => stringify({ filter }, { lineWidth: 0 });
export const recipeText = (recipe: Recipe): string => stringify(recipe, { lineWidth: 0 });

const wrap = (text: string, indent: string): string => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + 2 + line.length + word.length > 118) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `${indent}# ${one}`).join("\n");
};

/** The description of a field, wherever in the chain of wrappers it was given. */
function describe(schema: unknown): string | undefined {
  let inner: unknown = schema;
  while (inner instanceof z.ZodType) {
    if (inner.description !== undefined) return inner.description;
    if (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodNullable) inner = inner.unwrap();
    else return undefined;
  }
  return undefined;
}

function commented(schema: z.ZodObject, values: Record<string, unknown>, indent: string): string {
  return Object.entries(schema.shape)
    .map(([key, field]) => {
      const about = describe(field);
      const inner = objectIn(field);
      const value = values[key];
      const note = about === undefined ? "" : `${wrap(about, indent)}\n`;
      if (inner !== null && value !== null && typeof value === "object")
        return `${indent === "" ? "\n" : ""}${note}${indent}${key}:\n${commented(inner, value as Record<string, unknown>, `${indent}  `)}`;
      return `${note}${indent}${stringify({ [key]: value }, { flowCollectionPadding: false, collectionStyle: "flow", lineWidth: 0 })
        .trim()
        .replace(/^\{(.*)\}$/s, "$1")}`;
    })
    .join("\n");
}

/** Every key with its default and what it means: what `catgen recipe` prints. It parses back to the defaults. */
export const defaultsAsYaml = (recipe: Recipe = Recipe.parse({})): string =>
  `# catgen recipe: every key with its default. Keep only what you change.\n${commented(Recipe, recipe, "")}\n`;
