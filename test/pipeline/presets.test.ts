import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { presetNames, presetText, requirePreset } from "../../pipeline/presets.ts";
import { checkRecipe, parseRecipe } from "../../pipeline/recipe.ts";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { FilterSetRecipe } from "../../schemas/recipe/filter-set.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { actionOf, allowedActions } from "../../stages/filter/actions.ts";
import type { Filter, Limits } from "../../stages/filter/filters/filter.ts";
import { filters } from "../../stages/filter/filters/index.ts";

test("there are four, and an unknown name is answered with the nearest and all of them", () => {
  expect(presetNames()).toEqual(["audit", "lenient", "paper", "strict"]);
  expect(presetText("papers")).toBeNull();
  expect(() => requirePreset("stict")).toThrow(/did you mean strict\? There are: audit, lenient, paper, strict/);
});

const limitsOf = (name: string): Limits => {
  const recipe = checkRecipe(parseRecipe(requirePreset(name), name), name);
  return { ...recipe.filter, windowTokens: recipe.window.tokens };
};

describe.each(presetNames())("preset %s", (name) => {
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
