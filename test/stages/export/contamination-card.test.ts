import { describe, expect, test } from "vitest";
import { type Contamination, ContaminationCount, telltaleShare } from "../../../schemas/contamination.ts";
import type { Funnel } from "../../../schemas/funnel.ts";
import { FilterRecipe } from "../../../schemas/recipe/filter.ts";
import { contaminationText } from "../../../stages/export/contamination-card.ts";
import { createContaminationCount } from "../../../stages/export/contamination-count.ts";
import { createFunnel, nothingSpent } from "../../../stages/export/funnel.ts";
import { uncontaminated } from "../../fakes/no-evaluation.ts";

const overlap = (list: string, share: number) => ({ list, instance: "x__y-1", share });
const looked: [Partial<Contamination>, boolean][] = [
  [{}, true],
  [{ instance: ["lite", "bench"], text: [overlap("bench", 1)] }, false],
  [{ text: [overlap("bench", telltaleShare)] }, true],
  [{ text: [overlap("bench", telltaleShare - 0.01)] }, true],
  [{ repository: ["bench"] }, true],
  [{ patch: [overlap("mine", 1)], repository: ["bench"] }, false],
];
const count = (): ContaminationCount => {
  const counting = createContaminationCount();
  for (const [found, kept] of looked) counting.add({ ...uncontaminated, ...found }, kept);
  return ContaminationCount.parse(counting.count());
};
const funnel = (contamination: ContaminationCount): Funnel => ({ ...createFunnel([]).funnel(nothingSpent), contamination });
const digest = "0".repeat(64);
const sets = { lists: { bench: digest, lite: digest }, indexes: { bench: digest, mine: digest } };

test("hits are counted by set and kind, texts from the telltale share on, and a repository makes no task", () => {
  expect(count()).toEqual({
    looked: 6,
    hits: [
      { list: "bench", by: "instance", trajectories: 1, kept: 0 },
      { list: "bench", by: "repository", trajectories: 2, kept: 1 },
      { list: "bench", by: "text", trajectories: 2, kept: 1 },
      { list: "lite", by: "instance", trajectories: 1, kept: 0 },
      { list: "mine", by: "patch", trajectories: 1, kept: 0 },
    ],
    tasks: { trajectories: 3, kept: 1 },
  });
});

describe("the card's statement", () => {
  test("says what was held against what, what was found by what, and what is left", () => {
    const text = contaminationText(funnel(count()), sets, FilterRecipe.parse({}));
    expect(text).toContain("6 trajectories were held against");
    expect(text).toContain("(by id and repository: `bench`, `lite`; by text, as fingerprints of 13 words: `bench`, `mine`)");
    expect(text).toContain("3 on tasks of theirs: 2 left out, 1 in this dataset. **Results on these sets");
    expect(text).toContain("| bench | the words of the task | 2 | 1 | 1 |");
    expect(text).toContain("Left out were those found by id; those with more than 0.37 of a task's fingerprints");
    expect(text).not.toContain("found by repository");
  });

  test("states the rules as the recipe has them", () => {
    const rules = (filter: Record<string, unknown>): string => contaminationText(funnel(count()), sets, FilterRecipe.parse(filter));
    expect(rules({ allowEvaluationRepositories: false })).toContain("those found by repository");
    const off = { allowEvaluationInstances: true, maxEvaluationTextShare: null, maxEvaluationPatchShare: null };
    expect(rules(off)).toContain("No filter left any of them out.");
    expect(rules({ actions: { others: "flag" } })).toContain("No filter left any of them out.");
    expect(rules({ actions: { others: "flag", "contaminated-text": "reject-trajectory" } })).toContain(
      "Left out were those with more than 0.37",
    );
  });

  test("says so where nothing was found, and is silent where nothing was held against anything", () => {
    const clean = createContaminationCount();
    clean.add(uncontaminated, true);
    const text = contaminationText(funnel(clean.count()), sets, null);
    expect(text).toContain("1 trajectories were held against");
    expect(text).toContain("None of them is on a task of theirs.");
    expect(text).not.toContain("|");
    expect(contaminationText(funnel(count()), { lists: {}, indexes: {} }, null)).toBe("");
    expect(contaminationText(null, sets, null)).toBe("");
  });
});
