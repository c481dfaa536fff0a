import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeReference, type Reference } from "./kill.ts";
import {
  asked,
  type Chance,
  chanceOf,
  expectWhole,
  finished,
  leftovers,
  mustRun,
  openYard,
  removeSite,
  rounds,
  type Site,
  seeded,
  siteAt,
  snapshot,
  start,
  until,
  type Yard,
} from "./lib.ts";

/** Row 2: asked to stop, a run finishes what is in flight, says 75, and goes on later without paying again. */

let yard: Yard;
let reference: Reference;
beforeAll(async () => {
  yard = await openYard({ endpoint: { delayMs: 300 } });
  reference = await makeReference(yard);
});
afterAll(() => yard.close());

const signals = ["SIGTERM", "SIGUSR1", "SIGINT"] as const;

/** A signal before that finds nobody who listens yet: the process dies of it, and there is nothing to drain. */
const untilImporting = (site: Site): Promise<void> => until(() => existsSync(join(site.root, "stages", "1-generate")));

async function drainOnce(name: string, signal: NodeJS.Signals, chance: Chance, inStage3: boolean): Promise<"drained" | "done"> {
  const site = siteAt(yard, name);
  const from = yard.server?.requests.length ?? 0;
  const child = start(site, yard.all);
  const end = finished(child);
  if (inStage3) await until(() => (yard.server?.requests.length ?? 0) > from);
  else await untilImporting(site);
  await pause(chance.next() * reference.lockedMs * (inStage3 ? 0.2 : 0.8));
  child.kill(signal);
  const atMs = performance.now();
  const { code, stderr } = await end;
  expect(performance.now() - atMs).toBeLessThan(30_000);
  expect([0, 75], `${code} ${stderr}`).toContain(code); // 0: the last stage was already done
  expect((await leftovers(site)).filter((left) => !left.includes("/journal/"))).toEqual([]);
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
  if (yard.server !== null) expect(asked(yard.server, from)).toEqual({ requests: reference.calls, distinct: reference.calls });
  await removeSite(site);
  return code === 75 ? "drained" : "done";
}

for (const signal of signals) {
  test(`${signal} at random moments drains: 75, nothing half-written, nothing paid twice`, () =>
    seeded(signal, async () => {
      const chance = chanceOf(signal);
      const ends: string[] = [];
      for (let round = 0; round < Math.max(2, Math.ceil(rounds / 15)); round += 1)
        ends.push(await drainOnce(`${signal}-${round}`, signal, chance, round % 2 === 0));
      expect(ends).toContain("drained");
      console.log(`chaos: ${signal}: ${ends.filter((end) => end === "drained").length} of ${ends.length} runs drained`);
    }));
}

test("SIGTERM while several threads compute drains with 75, and the rows are the same in the end", () =>
  seeded("threads", async () => {
    const built = await openYard({ runs: Array.from({ length: 24 }, (_, index) => ({ instance: `many__runs-${index}`, steps: 60 })) });
    try {
      const calm = await makeReference(built);
      const chance = chanceOf("threads");
      const codes: (number | null)[] = [];
      const threads = { ...built, all: [...built.all, "--jobs", "2"] };
      for (let round = 0; round < 4; round += 1) {
        const site = siteAt(threads, `threads-${round}`);
        const child = start(site, threads.all);
        const end = finished(child);
        await untilImporting(site);
        await pause(chance.next() * calm.lockedMs * 0.8);
        child.kill("SIGTERM");
        const { code, stderr } = await end;
        expect([0, 75], `${code} ${stderr}`).toContain(code);
        codes.push(code);
        await mustRun(site, threads.all);
        await expectWhole(site, calm.files);
      }
      expect(codes).toContain(75);
    } finally {
      await built.close();
    }
  }));

test("SIGTERM in the midst of an export drains with 75, and the next run makes the dataset", () =>
  seeded("export", async () => {
    const codes: (number | null)[] = [];
    for (let round = 0; round < 3; round += 1) {
      const site = siteAt(yard, `export-${round}`);
      const child = start(site, yard.all);
      const end = finished(child);
      const isExporting = (): boolean => existsSync(site.root) && readdirSync(site.root).some((name) => name.startsWith("export.tmp"));
      await until(() => isExporting() || child.exitCode !== null, 1);
      child.kill("SIGTERM");
      const { code, stderr } = await end;
      expect([0, 75], `${code} ${stderr}`).toContain(code);
      expect(stderr).not.toContain("bug");
      codes.push(code);
      await mustRun(site, yard.all);
      await expectWhole(site, reference.files);
    }
    expect(codes).toContain(75);
  }));

test("a second SIGINT ends at once, and what was in flight is all that is asked again", async () => {
  const site = siteAt(yard, "twice");
  const from = yard.server?.requests.length ?? 0;
  const child = start(site, yard.all);
  const end = finished(child);
  await until(() => (yard.server?.requests.length ?? 0) > from);
  child.kill("SIGINT");
  await pause(20);
  child.kill("SIGINT");
  expect((await end).code).toBe(75);
  await mustRun(site, yard.all);
  expect(await snapshot(site)).toEqual(reference.files);
});
