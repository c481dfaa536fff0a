import type { FilterAction } from "../../schemas/filter-action.ts";
import type { FilterRecipe } from "../../schemas/recipe/filter.ts";
import type { Filter } from "./filters/filter.ts";
import { filters } from "./filters/index.ts";

/** What filters of a scope may do; the first is what they do unless the recipe says otherwise. */
const byScope: Readonly<Record<Filter["scope"], readonly FilterAction[]>> = {
  trajectory: ["reject-trajectory", "flag"],
  context: ["reject-context", "reject-trajectory", "drop-last", "flag"],
  block: ["reject-context", "reject-trajectory", "drop-last", "reject-sample", "flag"],
  sample: ["reject-sample", "reject-context", "reject-trajectory", "flag"],
};

/** What is always on cannot be flagged: there is no text to export, or trainers would cut it. */
export const allowedActions = (filter: Filter): readonly FilterAction[] =>
  byScope[filter.scope].filter((action) => filter.limit !== null || action !== "flag");

/** Stands for every filter that is not named and may take the action. */
export const othersName = "others";

/** What a failing filter does under a recipe. */
export function actionOf(name: string, filter: Filter, actions: FilterRecipe["actions"]): FilterAction {
  const allowed = allowedActions(filter);
  const wanted = actions[name] ?? actions[othersName];
  return wanted !== undefined && allowed.includes(wanted) ? wanted : (allowed[0] ?? "reject-trajectory");
}

export interface ActionProblem {
  /** As it stands in the recipe. */
  readonly name: string;
  /** What it may be; null: no filter has this name. */
  readonly allowed: readonly FilterAction[] | null;
}

/** Actions for filters that are none, or that may not take them. */
export function actionProblems(actions: FilterRecipe["actions"]): ActionProblem[] {
  const known = new Map<string, Filter>(Object.entries(filters));
  return Object.entries(actions).flatMap(([name, action]): ActionProblem[] => {
    if (name === othersName) return [];
    const filter = known.get(name);
    if (filter === undefined) return [{ name, allowed: null }];
    return allowedActions(filter).includes(action) ? [] : [{ name, allowed: allowedActions(filter) }];
  });
}
