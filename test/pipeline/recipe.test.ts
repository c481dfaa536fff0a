import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkRecipe, checkSavedRecipe, defaultsAsYaml, nearest, parseRecipe, setInRecipe } from "../../pipeline/recipe.ts";
import { faultCodes } from "../../schemas/fault.ts";
import { Recipe } from "../../schemas/recipe.ts";

const fault = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("nothing was thrown");
};

test("an action for a filter that is none, or that it cannot take, is named with what is meant or allowed", () => {
  expect(() => checkRecipe({ filter: { actions: { "fold-ratio-to-high": "flag" } } }, "r.yaml")).toThrow(
    /r\.yaml: filter\.actions\.fold-ratio-to-high: no filter has this name; did you mean fold-ratio-too-high\?/,
  );
  expect(() => checkRecipe({ filter: { actions: { unrenderable: "flag" } } }, "r.yaml")).toThrow(
    /filter\.actions\.unrenderable: this filter may reject-trajectory/,
  );
  expect(() => checkRecipe({ filter: { actions: { unresolved: "drop" } } }, "r.yaml")).toThrow(/filter\.actions\.unresolved/);
});

test("the printed defaults parse back to the defaults, so the file can be edited and used", () => {
  expect(checkRecipe(parse(defaultsAsYaml()), "defaults")).toEqual(Recipe.parse({}));
});

test("every parameter is explained, with nothing left blank", () => {
  const lines = defaultsAsYaml().split("\n");
  const unexplained = lines.filter((line, index) => /^\s*[\w"-]+:/.test(line) && !(lines[index - 1] ?? "").trimStart().startsWith("#"));
  expect(unexplained).toEqual([]);
});

test("an unknown key names the nearest known one on its own level", () => {
  expect(fault(() => checkRecipe({ detect: { minGap: 3 } }, "r.yaml"))).toContain(
    "r.yaml: detect.minGap: unknown key; did you mean detect.minGapSteps?",
  );
  expect(fault(() => checkRecipe({ fitler: {} }, "r.yaml"))).toContain("did you mean filter?");
  expect(fault(() => checkRecipe({ llm: { buget: {} } }, "r.yaml"))).toContain("did you mean llm.budget?");
  expect(fault(() => checkRecipe({ detect: { weights: { "window-ocupancy": 1 } } }, "r.yaml"))).toContain(
    "did you mean detect.weights.window-occupancy?",
  );
});

test("a limit that was off when a run was made, and is gone by now, does not stop the run; one that was on does", () => {
  const saved = (limit: number | null) => ({ filter: { minSteps: 20, maxGoneValues: limit }, window: { keepSteps: 2 } });
  expect(checkSavedRecipe(saved(null), "recipe.yaml")).toEqual(Recipe.parse({ filter: { minSteps: 20 }, window: { keepSteps: 2 } }));
  expect(fault(() => checkSavedRecipe(saved(3), "recipe.yaml"))).toContain("recipe.yaml: filter.maxGoneValues: unknown key");
  expect(fault(() => checkRecipe(saved(null), "recipe.yaml"))).toContain("filter.maxGoneValues: unknown key");
});

test("all that is wrong is named at once, with the path", () => {
  const message = fault(() => checkRecipe({ window: { tokens: 3 }, filter: { minSteps: -1 } }, "r.yaml"));
  expect(message).toContain("window.tokens");
  expect(message).toContain("filter.minSteps");
});

test("broken YAML and repeated keys are named with their line", () => {
  expect(fault(() => parseRecipe("window:\n  tokens: 1\n  tokens: 2\n", "r.yaml"))).toMatch(/^r\.yaml:3: no YAML: .*unique/i);
  expect(fault(() => parseRecipe("- a\n- b\n", "r.yaml"))).toContain("got a list");
  expect(parseRecipe("", "r.yaml")).toEqual({});
});

test("--set takes YAML values, makes missing levels, and refuses what is no assignment", () => {
  expect(setInRecipe({}, "filter.minSteps=20")).toEqual({ filter: { minSteps: 20 } });
  expect(setInRecipe({ filter: { minSteps: 20 } }, "filter.minSteps=null")).toEqual({ filter: { minSteps: null } });
  expect(setInRecipe({}, "export.kinds=[base]")).toEqual({ export: { kinds: ["base"] } });
  expect(fault(() => setInRecipe({}, "filter.minSteps"))).toContain("expected --set path=value");
});

test("the nearest word is found through typos, swaps and case", () => {
  expect(nearest("Widnow", ["window", "filter", "detect"])).toBe("window");
  expect(nearest("trajectoryTokens", ["trajectory", "tokens"])).toBe("trajectory");
});

test("a word that resembles none is told what there is, not a chance resemblance", () => {
  expect(nearest("nope", ["stuck", "looping"])).toBeNull();
  const message = fault(() => checkRecipe({ filter: { actions: { xyzzy: "flag" } } }, "r.yaml"));
  expect(message).toContain("no filter has this name; there are: ");
  expect(message).not.toContain("did you mean");
});

test("a key of the API never fits into a recipe", () => {
  expect(() => Recipe.parse({ llm: { apiKey: "sk-x" } })).toThrow();
  expect(() => Recipe.parse({ llm: { apiKeyVariable: "sk-abc" } })).toThrow();
});

test("the README lists every fault code with the exit status it has", async () => {
  const { readFile } = await import("node:fs/promises");
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  for (const [code, { exit }] of Object.entries(faultCodes)) expect(readme).toMatch(new RegExp(`^\\| ${exit} \\|.*\`${code}\``, "m"));
});
