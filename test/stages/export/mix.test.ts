import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MixRecipe } from "../../../schemas/recipe/export.ts";
import type { SampleKind } from "../../../schemas/sample.ts";
import { Mix, type Mixed, type MixLimits } from "../../../stages/export/mix.ts";
import { sha256 } from "../../fakes/fake-ports.ts";

const limitsOf = (mix: Partial<MixRecipe>, baseMaxPerInstance: number | null = null, seed = 1): MixLimits => ({
  mix: { ...MixRecipe.parse({}), ...mix },
  baseMaxPerInstance,
  seed,
});

interface Entry {
  readonly kind: SampleKind;
  readonly id: string;
  readonly instance: string;
}
const entry = (kind: SampleKind, instance: number, attempt: number): Entry => ({
  kind,
  id: `s/${instance}/${attempt}#${kind}0`,
  instance: `i${instance}`,
});

/** The ids that are in, and the result. */
function drawn(entries: readonly Entry[], limits: MixLimits): { ids: string[]; mixed: Mixed } {
  const mix = new Mix(limits, sha256);
  const draws = entries.map(({ kind, id, instance }) => ({ kind, id, draw: mix.add(kind, id, instance, Number(instance.slice(1))) }));
  const mixed = mix.result();
  return { ids: draws.flatMap(({ kind, id, draw }) => (mixed.has(kind, draw) ? [id] : [])).sort(), mixed };
}

const many = Array.from({ length: 60 }, (_, index) => entry(index % 2 === 0 ? "base" : "segment", index % 7, index));
const rowsIn = (mixed: Mixed, kind: SampleKind): number => [...(mixed.rows.get(kind)?.values() ?? [])].reduce((a, b) => a + b, 0);
const any = fc.array(
  fc.record({ kind: fc.constantFrom<SampleKind>("base", "segment", "step"), instance: fc.nat(5), attempt: fc.nat(40) }),
  { maxLength: 80 },
);
const unique = (all: readonly { kind: SampleKind; instance: number; attempt: number }[]): Entry[] => [
  ...new Map(all.map(({ kind, instance, attempt }) => [`${kind} ${instance} ${attempt}`, entry(kind, instance, attempt)])).values(),
];

describe("the mix", () => {
  test("without limits takes everything and remembers nothing of it", () => {
    const { ids, mixed } = drawn(many, limitsOf({}));
    expect(ids).toHaveLength(60);
    expect(mixed.dropped).toEqual([]);
    expect([rowsIn(mixed, "base"), rowsIn(mixed, "segment")]).toEqual([30, 30]);
  });

  test("takes at most so many samples of one instance, then at most so many in all, and counts what it leaves out", () => {
    const { ids, mixed } = drawn(many, limitsOf({ base: 10, segment: 4 }, 3));
    expect([rowsIn(mixed, "base"), rowsIn(mixed, "segment")]).toEqual([10, 4]);
    expect(mixed.dropped).toEqual([
      { kind: "base", why: "over-instance-limit", count: 9 },
      { kind: "base", why: "over-mix", count: 11 },
      { kind: "segment", why: "over-mix", count: 26 },
    ]);
    const perInstance = new Map<string, number>();
    for (const id of ids.filter((one) => one.endsWith("base0")))
      perInstance.set(id.split("/")[1] ?? "", (perInstance.get(id.split("/")[1] ?? "") ?? 0) + 1);
    expect(Math.max(...perInstance.values())).toBeLessThanOrEqual(3);
  });

  test("is the same in whatever order the samples come, and another seed takes others", () => {
    const shuffled = fc.shuffledSubarray(many, { minLength: many.length });
    const limits = limitsOf({ base: 9, segment: 5 }, 2);
    const expected = drawn(many, limits).ids;
    fc.assert(
      fc.property(shuffled, (order) => {
        expect(drawn(order, limits).ids).toEqual(expected);
      }),
      { seed: 1, numRuns: 50 },
    );
    expect(drawn(many, { ...limits, seed: 2 }).ids).not.toEqual(expected);
  });

  test("only gains when a limit is raised, and a sample that is added pushes out at most one of its kind", () => {
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 4 }), (all, most, perInstance) => {
        const entries = unique(all);
        const { ids, mixed } = drawn(entries, limitsOf({ base: most, step: most }, perInstance));
        const more = drawn(entries, limitsOf({ base: most + 1, step: most + 1 }, perInstance)).ids;
        expect(ids.filter((id) => !more.includes(id))).toEqual([]);
        const added = drawn([...entries, entry("base", 99, 99)], limitsOf({ base: most, step: most }, perInstance)).ids;
        expect(ids.filter((id) => !added.includes(id)).length).toBeLessThanOrEqual(1);
        const rows = (["base", "segment", "step"] as const).reduce((sum, kind) => sum + rowsIn(mixed, kind), 0);
        expect(rows).toBe(ids.length);
        expect(rows + mixed.dropped.reduce((sum, { count }) => sum + count, 0)).toBe(entries.length);
      }),
      { seed: 2, numRuns: 200 },
    );
  });
});
