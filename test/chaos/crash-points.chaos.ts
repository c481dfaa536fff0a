import { afterAll, beforeAll, expect, test } from "vitest";
import { crashPoints } from "../../pipeline/store/crash-point.ts";
import { dieAt, dieAtEach, inOrderOfPassing } from "./crash-points.ts";
import { makeReference, type Reference } from "./kill.ts";
import { asked, expectWhole, keptKeys, mustRun, openYard, removeSite, run, siteAt, snapshot, type Yard } from "./lib.ts";

/** Row 1, the named half: death at every write there is. */

let yard: Yard;
let reference: Reference;
beforeAll(async () => {
  yard = await openYard({ endpoint: {} });
  reference = await makeReference(yard);
});
afterAll(() => yard.close());

for (const point of crashPoints) {
  for (const nth of point.startsWith("export-") || point === "inputs-forgotten" ? [1] : [1, 3]) {
    test(`a run that dies at ${point}, passing number ${nth}, is resumed as if nothing had happened`, async () => {
      const site = siteAt(yard, `${point}-${nth}`);
      const from = yard.server?.requests.length ?? 0;
      await dieAt(site, point, nth);
      await mustRun(site, yard.all);
      await expectWhole(site, reference.files);
      if (yard.server !== null && point === "reply-kept") {
        const { requests, distinct } = asked(yard.server, from);
        const keys = await keptKeys(site);
        expect(keys.length).toBe(new Set(keys).size);
        expect(requests - distinct).toBeLessThanOrEqual(3); // the kept one is not among those in flight
      }
      await removeSite(site);
    });
  }
}

test("a run that dies at every point in turn, always resuming, ends like one that never died", async () => {
  await dieAtEach(siteAt(yard, "each"), inOrderOfPassing, reference);
});

test("with several threads, too, a run that dies at every point in turn ends like one that never died", async () => {
  const built = await openYard();
  try {
    const calm = await makeReference(built);
    const threads = { ...built, all: [...built.all, "--jobs", "2"] };
    const points = inOrderOfPassing.filter((point) => point !== "reply-kept"); // nobody is asked
    await dieAtEach(siteAt(threads, "threads"), points, calm);
  } finally {
    await built.close();
  }
});

test("a changed recipe that dies at every point in turn leaves nothing of the old rows behind", async () => {
  const change = ["--set", "window.keepSteps=2", "--set", "detect.callPrice=0.1", "--set", "filter.minSteps=20"]; // other folds, so that every step makes rows anew
  const calm = siteAt(yard, "calm");
  await mustRun(calm, yard.all);
  const changed = siteAt(yard, "changed");
  await mustRun(changed, yard.all);
  await mustRun(calm, [...yard.all, ...change]);
  let deaths = 0;
  for (const point of ["rows-renamed", "old-rows-removed", "journals-removed", "export-forgotten", "export-moved-away", "export-placed"])
    for (const nth of point.startsWith("export") ? [1] : [1, 2, 5]) {
      const { signal } = await run(changed, [...yard.all, ...change], { CATGEN_CRASH_AT: `${point}:${nth}` });
      if (signal === "SIGKILL") deaths += 1; // else the passing was behind us already
    }
  expect(deaths).toBeGreaterThanOrEqual(8);
  await mustRun(changed, [...yard.all, ...change]);
  await expectWhole(changed, await snapshot(calm));
});

test("a run that died anywhere in its first import goes on without being told its input again", async () => {
  const site = siteAt(yard, "no-input");
  await dieAt(site, "inputs-forgotten");
  await mustRun(site, ["run", "all"]);
  await expectWhole(site, reference.files);
});
