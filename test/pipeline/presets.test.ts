import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chosenRecipe } from "../../pipeline/commands/chosen-recipe.ts";
import { presetNames, presetText, requirePreset } from "../../pipeline/presets.ts";
import { checkRecipe, parseRecipe } from "../../pipeline/recipe.ts";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { FilterSetRecipe } from "../../schemas/recipe/filter-set.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { feasibility } from "../../stages/export/launchers/feasible.ts";
import { launchers } from "../../stages/export/launchers/index.ts";
import type { Launcher } from "../../stages/export/launchers/launcher.ts";
import { actionOf, allowedActions } from "../../stages/filter/actions.ts";
import type { Filter, Limits } from "../../stages/filter/filters/filter.ts";
import { filters } from "../../stages/filter/filters/index.ts";

const forTraining = presetNames().filter((name) => name.startsWith("train-"));
const forMixing = presetNames().filter((name) => name.startsWith("mix-"));
const forFiltering = presetNames().filter((name) => ![...forTraining, ...forMixing].includes(name));

test("there are four for filters, one for a mixture and five for trainings, and an unknown name is answered with the nearest and all of them", () => {
  expect(forFiltering).toEqual(["audit", "lenient", "paper", "strict"]);
  expect(forMixing).toEqual(["mix-20k"]);
  expect(forTraining).toEqual(["train-0.5b", "train-32b-qlora", "train-7b", "train-7b-lora", "train-paper"]);
  expect(presetText("papers")).toBeNull();
  expect(() => requirePreset("stict")).toThrow(/did you mean strict\? There are: audit, lenient, mix-20k, paper, strict, train-0.5b/);
});

const limitsOf = (name: string): Limits => {
  const recipe = checkRecipe(parseRecipe(requirePreset(name), name), name);
  return { ...recipe.filter, windowTokens: recipe.window.tokens };
};

describe.each(forFiltering)("preset %s", (name) => {
  const text = requirePreset(name);

  test("sets every threshold there is, and nothing but filters", () => {
    const value = parse(text) as Record<string, object>;
    expect(Object.keys(value)).toEqual(["filter"]);
    const given = Object.keys(value["filter"] ?? {}).filter((key) => key !== "actions");
    expect(given).toEqual(Object.keys(FilterRecipe.shape).filter((key) => key !== "actions"));
    expect(Object.keys((value["filter"] as { set: object }).set)).toEqual(Object.keys(FilterSetRecipe.shape));
  });

  test("is a recipe as it stands, and says where its numbers come from", () => {
    expect(limitsOf(name)).toBeDefined();
    for (const line of text.split("\n")) if (/: \d/.test(line)) expect(line, line).toMatch(/#|minContextCalls: 1/);
  });
});

describe.each(forTraining)("preset %s", (name) => {
  const text = requirePreset(name);
  const value = parse(text) as { export: { training: object } };

  test("sets the training alone, and leaves the rest of the export as it was", async () => {
    expect([Object.keys(value), Object.keys(value.export)]).toEqual([["export"], ["training"]]);
    const saved = Recipe.parse({ export: { kinds: ["base"], name: "Mine", training: { epochs: 1 } }, filter: { minSteps: 7 } });
    const chosen = await chosenRecipe(saved, { recipe: name, set: [] }, null);
    expect(chosen).toEqual({ ...saved, export: { ...saved.export, training: Recipe.parse(value).export.training } });
  });

  test("can be done by at least four of the five trainers at 65,536 tokens, in the memory that it states", () => {
    const { training } = checkRecipe(value, name).export;
    const found = Object.values<Launcher>(launchers).map((launcher) => feasibility(training, 65_536, launcher));
    const runs = found.flatMap((one) => (one.ok ? [one.run] : []));
    expect(runs.length).toBeGreaterThanOrEqual(4);
    const [, stated] = /an estimated (\d+) GB/.exec(text) ?? [];
    expect(Math.abs((runs[0]?.memory?.gigabytes ?? 0) - Number(stated))).toBeLessThan(1);
  });

  test("says where its numbers come from", () => {
    for (const line of text.split("\n")) if (/: \d/.test(line)) expect(line, line).toContain("#");
  });
});

describe("preset mix-20k", () => {
  const text = requirePreset("mix-20k");
  const value = parse(text) as { export: object };

  test("sets kinds, their numbers and the one mixture, and leaves thresholds, layouts and training as they were", async () => {
    expect(Object.keys(value)).toEqual(["export"]);
    const saved = Recipe.parse({ export: { layouts: ["tokenized"], name: "Mine", training: { epochs: 1 } }, filter: { minSteps: 7 } });
    const { export: exporting, ...rest } = await chosenRecipe(saved, { recipe: "mix-20k", set: [] }, null);
    expect({ ...rest, export: {} }).toEqual({ ...saved, export: {} });
    expect(exporting).toMatchObject({
      layouts: ["tokenized"],
      name: "Mine",
      mixtures: ["cat-base"],
      mix: { segment: 20_000, base: 20_000 },
    });
  });

  test("says where its numbers come from", () => {
    for (const line of text.split("\n")) if (/: \d/.test(line)) expect(line, line).toContain("#");
  });
});

test("`audit` rejects nothing that could be flagged", () => {
  const { actions } = limitsOf("audit");
  for (const [name, filter] of Object.entries<Filter>(filters))
    expect([name, actionOf(name, filter, actions)]).toEqual([
      name,
      allowedActions(filter).includes("flag") ? "flag" : allowedActions(filter)[0],
    ]);
});

test("`strict` lets through no threshold that `lenient` does not, and `paper` lies between where it states one", () => {
  const [strict, paper, lenient] = [limitsOf("strict"), limitsOf("paper"), limitsOf("lenient")];
  const looseness = (limits: Limits, key: keyof Limits): number => {
    const value = limits[key];
    if (typeof value !== "number") return Number.POSITIVE_INFINITY;
    return key.startsWith("min") ? -value : value;
  };
  for (const key of Object.keys(Recipe.parse({}).filter) as (keyof Limits)[]) {
    if (!/^(min|max)/.test(key)) continue;
    expect([key, looseness(strict, key) <= looseness(lenient, key)]).toEqual([key, true]);
    expect([key, looseness(strict, key) <= looseness(paper, key)]).toEqual([key, true]);
  }
});
