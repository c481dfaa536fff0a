import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeReference, type Reference } from "./kill.ts";
import {
  expectWhole,
  finished,
  holdsLock,
  leftovers,
  memory,
  mustRun,
  openYard,
  run,
  type Site,
  siteAt,
  start,
  until,
  untilLocked,
  type Yard,
} from "./lib.ts";

/** Rows 9 and 10: who works on a run, and what becomes of one who does not know that he no longer does. */

let stalled = false;
let yard: Yard;
let reference: Reference;
beforeAll(async () => {
  yard = await openYard({ endpoint: { reply: () => memory, delayMs: 300, fault: () => (stalled ? { kind: "stall" } : null) } });
  reference = await makeReference(yard);
});
afterAll(() => yard.close());

/** Starts 20 processes at once and returns the one that is left when all others have ended. */
async function race(site: Site): Promise<{ winner: ReturnType<typeof start>; end: ReturnType<typeof finished> }> {
  const children = Array.from({ length: 20 }, () => start(site, yard.all));
  const running = new Map(children.map((child) => [child, finished(child)]));
  const losers: string[] = [];
  for (const [child, end] of running) void end.then(({ code, stderr }) => running.delete(child) && losers.push(`${code} ${stderr}`));
  await until(() => running.size <= 1, 20);
  const [left] = running;
  if (left === undefined) throw new Error(`nobody works: ${losers.join("")}`);
  expect(losers).toHaveLength(19);
  for (const loser of losers) expect(loser).toMatch(new RegExp(`^73 .*process ${left[0].pid} on ${hostname()} .*RUN_LOCKED`));
  return { winner: left[0], end: left[1] };
}

test("of twenty processes that race for a new run one works and the others name it; after its death so do twenty more", async () => {
  const site = siteAt(yard, "raced");
  stalled = true; // the winner has to be at work when the last of them arrives
  const first = await race(site);
  expect(await holdsLock(site, first.winner)).toBe(true);
  first.winner.kill("SIGKILL");
  await first.end;
  const second = await race(site);
  expect(await holdsLock(site, second.winner)).toBe(true);
  second.winner.kill("SIGKILL");
  await second.end;
  stalled = false;
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
});

test("processes that create one run with different numbers of shards at once agree on one of them", async () => {
  const site = siteAt(yard, "created");
  const counts = [2, 3, 5, 7];
  const codes = await Promise.all(
    counts.map(async (shards) => (await run(site, ["run", "1", "--input", yard.input, "--set", `run.shards=${shards}`])).code),
  );
  expect(codes.filter((code) => code === 0).length).toBeGreaterThan(0);
  for (const code of codes) expect([0, 73, 78]).toContain(code); // works, is locked out, or is told that the number is fixed
  const { shards } = JSON.parse(await readFile(join(site.root, "run.json"), "utf8")) as { shards: number };
  expect(counts).toContain(shards);
  expect((await run(site, ["verify"])).code).toBe(0);
});

test("a process that was stopped, lost its lock and wakes when another has finished changes nothing", async () => {
  const site = siteAt(yard, "sleeper");
  const sleeper = start(site, yard.all);
  const end = finished(sleeper);
  const from = yard.server?.requests.length ?? 0;
  await until(() => (yard.server?.requests.length ?? 0) > from + 4);
  sleeper.kill("SIGSTOP");
  await rm(join(site.root, "lock.json")); // as somebody does who takes it for dead
  await mustRun(site, yard.all);
  sleeper.kill("SIGCONT");
  await end;
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
});

test("an orphan that goes on writing beside its successor spoils nothing, and does not take the successor's lock away", async () => {
  const site = siteAt(yard, "orphan");
  const orphan = start(site, yard.all);
  const orphanEnd = finished(orphan);
  const from = yard.server?.requests.length ?? 0;
  await until(() => (yard.server?.requests.length ?? 0) > from + 2);
  await rm(join(site.root, "lock.json"));
  const heir = start(site, yard.all);
  const heirEnd = finished(heir);
  await untilLocked(site, heir);
  const first = await Promise.race([orphanEnd.then(() => "orphan"), heirEnd.then(() => "heir")]);
  if (first === "orphan" && heir.exitCode === null) expect(await holdsLock(site, heir)).toBe(true);
  const ends = await Promise.all([orphanEnd, heirEnd]);
  for (const { code, stderr } of ends) expect([0, 74], stderr).toContain(code); // 74: its temporary files were swept
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
});

test("a lock whose pid belongs to another process by now is taken over", async () => {
  const site = siteAt(yard, "reused");
  const dying = start(site, yard.all);
  const end = finished(dying);
  await untilLocked(site, dying);
  dying.kill("SIGKILL");
  await end;
  const lock = JSON.parse(await readFile(join(site.root, "lock.json"), "utf8")) as Record<string, unknown>;
  await writeFile(join(site.root, "lock.json"), JSON.stringify({ ...lock, pid: process.pid }));
  await mustRun(site, yard.all);
  expect(await leftovers(site)).toEqual([]);
});
