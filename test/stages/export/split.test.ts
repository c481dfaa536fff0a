import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Place, repositoryOf, splitByRepository } from "../../../stages/export/split.ts";
import { ports } from "./small-bundles.ts";

const names = fc.constantFrom("a", "B", "c.d", "e-f", "g_h");
const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({
    repository: fc.tuple(names, names).map(([owner, name]) => `${owner}/${name}`),
    instance: fc.constantFrom("x-1", "x-2", "y"),
  }),
  fc.record({
    repository: fc.constant(null),
    instance: fc.tuple(names, names, fc.nat(3)).map(([owner, name, id]) => `${owner}__${name}-${id}`),
  }),
  fc.record({ repository: fc.constant(null), instance: fc.constantFrom("x-1", "x-2", "y", "z") }),
);
const places = fc.array(place, { maxLength: 40 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe("the split", () => {
  test("never has one repository on both sides", () => {
    fc.assert(
      fc.property(places, share, fc.nat(), (all, validationShare, seed) => {
        const split = splitByRepository(all, { share: validationShare, seed }, ports.digest);
        const sides = new Map<string, string>();
        for (const one of all) {
          const repository = repositoryOf(one);
          if (repository === null) continue;
          expect(sides.get(repository) ?? split.of(one)).toBe(split.of(one));
          sides.set(repository, split.of(one));
        }
      }),
    );
  });

  test("takes the rounded share of the repositories and never all of them", () => {
    fc.assert(
      fc.property(places, share, fc.nat(), (all, validationShare, seed) => {
        const { train, validation } = splitByRepository(all, { share: validationShare, seed }, ports.digest);
        const count = train.length + validation.length;
        expect(validation.length).toBe(Math.max(0, Math.min(Math.round(validationShare * count), count - 1)));
        expect(all.length === 0 || train.length > 0).toBe(true);
      }),
    );
  });

  test("knows a repository under all names that datasets have for it", () => {
    const named = (repository: string | null, instance = "i-1") => repositoryOf({ repository, instance });
    for (const name of [
      "getmoto/moto",
      "Getmoto/Moto",
      "https://github.com/getmoto/moto.git",
      "swesmith/getmoto__moto.694ce1f4",
      "SWE-bench/getmoto__moto",
    ])
      expect([name, named(name)]).toEqual([name, "getmoto/moto"]);
    for (const instance of [
      "getmoto__moto-5752",
      "getmoto__moto.694ce1f4.pr_6055",
      `instance_getmoto__moto-${"0a".repeat(20)}-v${"1b".repeat(20)}`,
      "swebench/sweb.eval.x86_64.getmoto_1776_moto-5752:latest",
    ])
      expect([instance, named(null, instance)]).toEqual([instance, "getmoto/moto"]);
    expect(named("a name alone")).toBe("a name alone");
    expect(named(null, "task 7")).toBeNull();
  });

  test("does not depend on the order of the trajectories", () => {
    fc.assert(
      fc.property(places, fc.nat(), (all, seed) => {
        const forwards = splitByRepository(all, { share: 0.4, seed }, ports.digest);
        const backwards = splitByRepository([...all].reverse(), { share: 0.4, seed }, ports.digest);
        expect(all.map((one) => forwards.of(one))).toEqual(all.map((one) => backwards.of(one)));
      }),
    );
  });

  test("draws others with another seed", () => {
    const all = Array.from({ length: 50 }, (_unused, index) => ({ repository: `o/r${index}`, instance: "i" }));
    const drawn = (seed: number) => splitByRepository(all, { share: 0.2, seed }, ports.digest).validation;
    expect(drawn(1)).toHaveLength(10);
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  test("keeps a run of an instance with those that name its repository", () => {
    const named = { repository: "a/b", instance: "b-1" };
    const unnamed = { repository: null, instance: "b-1" };
    const split = splitByRepository([named, unnamed, { repository: "c/d", instance: "d-1" }], { share: 0.5, seed: 1 }, ports.digest);
    expect(split.of(unnamed)).toBe(split.of(named));
  });
});

test.each([
  [{ repository: "Django/Django", instance: "x" }, "django/django"],
  [{ repository: null, instance: "django__django-11019" }, "django/django"],
  [{ repository: null, instance: "Project-MONAI__MONAI.a09c1f08.lm_rewrite__0abc" }, "project-monai/monai"],
  [{ repository: "swesmith/Project-MONAI__MONAI.a09c1f08", instance: "x" }, "project-monai/monai"],
  [{ repository: null, instance: "pallets__flask_ext-12" }, "pallets/flask_ext"],
  [{ repository: null, instance: "aiohttp_final:abc" }, null],
])("%j stands for the repository %s", (where, repository) => {
  expect(repositoryOf(where)).toBe(repository);
});
