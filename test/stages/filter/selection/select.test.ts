import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FilterSetRecipe } from "../../../../schemas/recipe/filter-set.ts";
import type { SampleKind } from "../../../../schemas/sample.ts";
import { LeftOut, type SetRule } from "../../../../schemas/selection.ts";
import { type Candidate, Candidates } from "../../../../stages/filter/selection/candidates.ts";
import { absentSources } from "../../../../stages/filter/selection/compose.ts";
import { minHash, sketchText, stepsSketchValues, taskSketchValues } from "../../../../stages/filter/selection/min-hash.ts";
import { selectSet } from "../../../../stages/filter/selection/select.ts";
import { byStanding } from "../../../../stages/filter/selection/standing.ts";
import { drawer } from "../../../../stages/lib/drawer.ts";

/** A candidate as it is drawn: families of steps and tasks, of which members are near-duplicates. */
interface Drawn {
  readonly source: string;
  readonly task: number;
  readonly family: number;
  readonly repository: string | null;
  readonly resolved: boolean | null;
  readonly contextCalls: number;
  readonly samples: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  source: fc.constantFrom("smith", "rebench", "gym"),
  task: fc.nat(12),
  family: fc.nat(30),
  repository: fc.constantFrom("a/b", "c/d", "e/f", null),
  resolved: fc.constantFrom(true, true, false, null),
  contextCalls: fc.constantFrom(0, 0, 1, 3),
  samples: fc.integer({ min: 1, max: 6 }),
});
const many = fc.array(drawn, { maxLength: 60 });

const wordsOf = (family: number): number[] => {
  const random = drawer(family);
  return Array.from({ length: 120 }, () => Math.floor(random() * 2 ** 32));
};
const steps = new Map(Array.from({ length: 31 }, (_, family) => [family, sketchText(minHash(wordsOf(family), stepsSketchValues))]));
const tasks = new Map(Array.from({ length: 13 }, (_, task) => [task, sketchText(minHash(wordsOf(1000 + task), taskSketchValues))]));

/** Straight into the table, as `add` would leave it. */
function tableOf(all: readonly (Drawn & { readonly number: number })[]): Candidates {
  const table = new Candidates(["segment", "base"], 24);
  for (const { number, source, task, family, repository, resolved, contextCalls, samples } of all) {
    const draw = Math.floor(drawer(number)() * 2 ** 32);
    const standing = { resolved, contextCalls, failedFilters: number % 3, findingShare: (number % 4) / 10, draw };
    table.list.push({
      id: `${source}/task-${task}-${number % 2}/${number}`,
      source,
      instance: `task-${task}-${number % 2}`,
      repository,
      samples,
      standing,
    });
    table.steps.push(steps.get(family) ?? null);
    table.tasks.push(task > 10 ? null : (tasks.get(task) ?? null));
  }
  return table;
}
const numbered = (all: readonly Drawn[]) => all.map((one, number) => ({ ...one, number }));

const recipes: fc.Arbitrary<FilterSetRecipe> = fc
  .record({
    nearDuplicateSteps: fc.constantFrom(null, 0.75),
    nearDuplicateTasks: fc.constantFrom(null, 0.75),
    maxPerInstance: fc.constantFrom(null, 1, 3),
    maxPerRepository: fc.constantFrom(null, 2, 10),
    maxShareWithoutCalls: fc.constantFrom(null, 0, 0.3, 0.5, 1),
    mix: fc.constantFrom<Record<string, number>>({}, { smith: 0.7, rebench: 0.3 }, { smith: 0.5 }, { gym: 0.1, smith: 0.1 }, { smith: 0 }),
    targetTrajectories: fc.constantFrom(null, null, 1, 7, 30),
    targetSamples: fc.constantFrom(null, null, 5, 50),
  })
  .map((recipe) => FilterSetRecipe.parse(recipe));
const kinds: SampleKind[] = ["segment", "base"];
const select = (table: Candidates, set: FilterSetRecipe) => selectSet(table, { set, kinds, seed: 24 });
const settings = { seed: 615, numRuns: 400 };

function outcomes(all: readonly (Drawn & { readonly number: number })[], set: FilterSetRecipe): Map<string, LeftOut | null> {
  const table = tableOf(all);
  const leftOut = select(table, set);
  return new Map(table.list.map(({ id }, index) => [id, leftOut[index] ?? null]));
}

describe("of any candidates under any recipe", () => {
  test("each is selected or has one reason that the recipe asks for", () => {
    fc.assert(
      fc.property(many, recipes, (all, set) => {
        const table = tableOf(numbered(all));
        const leftOut = select(table, set);
        expect(leftOut.length).toBe(all.length);
        const asked: Record<SetRule, boolean> = {
          "near-duplicate": set.nearDuplicateSteps !== null,
          "per-instance": set.maxPerInstance !== null,
          "per-repository": set.maxPerRepository !== null,
          "without-calls": set.maxShareWithoutCalls !== null,
          mix: Object.keys(set.mix).length > 0,
          "target-size": set.targetTrajectories !== null || set.targetSamples !== null,
        };
        for (const why of leftOut) if (why !== null) expect([why.rule, asked[LeftOut.parse(why).rule]]).toEqual([why.rule, true]);
      }),
      settings,
    );
  });

  test("the order in which they come does not matter", () => {
    fc.assert(
      fc.property(many, recipes, fc.nat(), (all, set, seed) => {
        const random = drawer(seed);
        const one = numbered(all);
        const other = one
          .map((candidate) => ({ candidate, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ candidate }) => candidate);
        const [first, second] = [outcomes(one, set), outcomes(other, set)];
        for (const [id, why] of first) expect([id, second.get(id)]).toEqual([id, why]);
      }),
      settings,
    );
  });

  test("caps hold, target and share without calls hold, and every source has its share within one", () => {
    fc.assert(
      fc.property(many, recipes, (all, set) => {
        const table = tableOf(numbered(all));
        const leftOut = select(table, set);
        const selected = table.list.filter((_, index) => leftOut[index] === null);
        const count = (key: (one: Candidate) => string | null): number[] => {
          const counts = new Map<string, number>();
          for (const name of selected.flatMap((one) => key(one) ?? [])) counts.set(name, (counts.get(name) ?? 0) + 1);
          return [...counts.values()];
        };
        for (const most of count(({ instance }) => instance)) expect(most).toBeLessThanOrEqual(set.maxPerInstance ?? all.length);
        for (const most of count(({ repository }) => repository)) expect(most).toBeLessThanOrEqual(set.maxPerRepository ?? all.length);
        expect(selected.length).toBeLessThanOrEqual(set.targetTrajectories ?? all.length);
        expect(selected.reduce((sum, { samples }) => sum + samples, 0)).toBeLessThanOrEqual(set.targetSamples ?? Number.POSITIVE_INFINITY);
        const without = selected.filter(({ standing }) => standing.contextCalls === 0).length;
        expect(without).toBeLessThanOrEqual((set.maxShareWithoutCalls ?? 1) * selected.length + 1e-9);
        const pool = table.list.filter(
          (_, index) => !["near-duplicate", "per-instance", "per-repository"].includes(leftOut[index]?.rule ?? ""),
        );
        const unnamed = pool.some(({ source }) => !Object.hasOwn(set.mix, source));
        const sum = Object.values(set.mix).reduce((a, b) => a + b, 0);
        const whole = unnamed ? 1 : sum;
        for (const [source, share] of Object.entries(set.mix)) {
          const mine = selected.filter((one) => one.source === source).length;
          if (whole > 0) expect(Math.abs(mine - (share / whole) * selected.length)).toBeLessThan(1 + 1e-6);
        }
      }),
      settings,
    );
  });

  test("a near-duplicate names one that comes before it and was no near-duplicate itself, and no two that stay are alike", () => {
    fc.assert(
      fc.property(many, recipes, (all, set) => {
        const table = tableOf(numbered(all));
        const leftOut = select(table, set);
        const byId = new Map(table.list.map((one, index) => [one.id, { one, index }]));
        for (const [index, why] of leftOut.entries()) {
          if (why?.rule !== "near-duplicate") continue;
          const better = byId.get(why.of ?? "");
          const mine = table.list[index];
          if (better === undefined || mine === undefined) throw new Error(`${why.of} is no candidate`);
          expect(["near-duplicate", "per-instance", "per-repository"]).not.toContain(leftOut[better.index]?.rule);
          expect(byStanding(better.one.standing, mine.standing)).toBeLessThanOrEqual(0);
          expect(why.value).toBeGreaterThanOrEqual(0.75);
        }
        const stays = [...leftOut.keys()].filter((index) => leftOut[index] === null);
        if (set.nearDuplicateSteps !== null) expect(new Set(stays.map((index) => numbered(all)[index]?.family)).size).toBe(stays.length);
      }),
      settings,
    );
  });
});

const plain: Drawn = { source: "smith", task: 11, family: 0, repository: null, resolved: true, contextCalls: 1, samples: 3 };
const off = FilterSetRecipe.parse({ nearDuplicateSteps: null, nearDuplicateTasks: null, maxPerInstance: null });

test("by default a few runs that are alike in nothing all stay", () => {
  const all = numbered(Array.from({ length: 6 }, (_, family) => ({ ...plain, task: family, family })));
  expect([...outcomes(all, FilterSetRecipe.parse({})).values()]).toEqual(all.map(() => null));
});

test("the better one stays: success, then a context call, then fewer failed filters, then fewer findings, then the draw", () => {
  const base = { resolved: true, contextCalls: 2, failedFilters: 1, findingShare: 0.1, draw: 5 };
  const order = [
    base,
    { ...base, draw: 6 },
    { ...base, findingShare: 0.2, draw: 0 },
    { ...base, failedFilters: 2, findingShare: 0 },
    { ...base, contextCalls: 0, failedFilters: 0 },
    { ...base, resolved: null, contextCalls: 26, failedFilters: 0 },
    { ...base, resolved: false, failedFilters: 0 },
  ];
  expect([...order].reverse().sort(byStanding)).toEqual(order);
  expect(byStanding(base, { ...base, contextCalls: 9 })).toBe(0);
});

test("tasks that say nearly the same count as one instance", () => {
  const all = numbered(Array.from({ length: 8 }, (_, family) => ({ ...plain, task: 3, family })));
  const apart = [...outcomes(all, { ...off, maxPerInstance: 1 }).values()];
  expect(apart.filter((why) => why === null)).toHaveLength(2); // task-3-0 and task-3-1
  const together = [...outcomes(all, { ...off, maxPerInstance: 1, nearDuplicateTasks: 0.75 }).values()];
  expect(together.filter((why) => why === null)).toHaveLength(1);
  expect(new Set(together.flatMap((why) => why?.of ?? [])).size).toBe(1);
  const unmarked = numbered(Array.from({ length: 8 }, (_, family) => ({ ...plain, task: 11, family })));
  expect(
    [...outcomes(unmarked, { ...off, maxPerInstance: 1, nearDuplicateTasks: 0.75 }).values()].filter((why) => why === null),
  ).toHaveLength(2);
});

test("a mix fills its quotas as far as the scarcest source goes, and says whose quota it was", () => {
  const all = numbered([
    ...Array.from({ length: 10 }, (_, family) => ({ ...plain, family })),
    ...Array.from({ length: 3 }, (_, family) => ({ ...plain, source: "gym", family: 10 + family })),
  ]);
  const mixed = outcomes(all, { ...off, mix: { smith: 0.5, gym: 0.5 } });
  const count = (source: string): number => [...mixed].filter(([id, why]) => id.startsWith(`${source}/`) && why === null).length;
  expect([count("smith"), count("gym")]).toEqual([3, 3]);
  expect([...mixed.values()].find((why) => why !== null)).toEqual({ rule: "mix", of: "smith", value: null, limit: 0.5 });
  expect(absentSources(tableOf(all).list, { smit: 0.5, gym: 0.1, none: 0 })).toEqual(["smit"]);
});

test("a target takes the best, whole trajectories only", () => {
  const all = numbered(Array.from({ length: 20 }, (_, family) => ({ ...plain, family, resolved: family % 2 === 0 })));
  const bySamples = outcomes(all, { ...off, targetSamples: 10 });
  const selected = [...bySamples].filter(([, why]) => why === null);
  expect(selected).toHaveLength(3); // of three samples each
  for (const [id] of selected) expect(Number(id.split("/")[2]) % 2).toBe(0);
  expect([...bySamples.values()].find((why) => why !== null)).toEqual({ rule: "target-size", of: null, value: null, limit: 10 });
  expect([...outcomes(all, { ...off, targetTrajectories: 4 }).values()].filter((why) => why === null)).toHaveLength(4);
});

test("a trajectory that is too large for what is left of the target is passed over, not the end", () => {
  const sizes = [9, 3, 8, 1, 2];
  const all = numbered(sizes.map((samples, family) => ({ ...plain, family, samples, resolved: samples === 9 ? true : null })));
  const of = new Map(all.map(({ number, samples }) => [number, samples]));
  const selected = (targetSamples: number): number[] =>
    [...outcomes(all, { ...off, targetSamples })].flatMap(([id, why]) => (why === null ? [of.get(Number(id.split("/")[2])) ?? 0] : []));
  expect(selected(6).sort()).toEqual([1, 2, 3]); // the best has nine
  expect(selected(23)).toHaveLength(5);
  expect(selected(9)).toEqual([9]);
});

test("the share without a context call is as large as it may be, and no larger", () => {
  const all = numbered([
    ...Array.from({ length: 6 }, (_, family) => ({ ...plain, family })),
    ...Array.from({ length: 10 }, (_, family) => ({ ...plain, contextCalls: 0, family: 10 + family })),
  ]);
  const quarter = [...outcomes(all, { ...off, maxShareWithoutCalls: 0.25 }).values()];
  expect(quarter.filter((why) => why === null)).toHaveLength(8);
  expect(quarter.find((why) => why !== null)).toEqual({ rule: "without-calls", of: null, value: null, limit: 0.25 });
});
