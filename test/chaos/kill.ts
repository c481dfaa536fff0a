import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import {
  asked,
  type Chance,
  concurrency,
  expectWhole,
  finished,
  holdsLock,
  keptKeys,
  mustRun,
  removeSite,
  type Site,
  siteAt,
  snapshot,
  start,
  untilLocked,
  type Yard,
} from "./lib.ts";

/** An uninterrupted run: what it makes, and how long it takes. */
export interface Reference {
  readonly site: Site;
  readonly files: Readonly<Record<string, string>>;
  /** From the start of the process, ms. */
  readonly wholeMs: number;
  /** While it held the run's lock, ms. */
  readonly lockedMs: number;
  /** Calls a run needs that is never interrupted. */
  readonly calls: number;
}

export async function makeReference(yard: Yard): Promise<Reference> {
  const site = siteAt(yard, "reference");
  const startedMs = performance.now();
  const child = start(site, yard.all);
  const end = finished(child);
  await untilLocked(site, child);
  const lockedAtMs = performance.now();
  const { code, stderr } = await end;
  expect(`${code} ${stderr}`).toBe("0 ");
  const endedMs = performance.now();
  const calls = yard.server?.requests.length ?? 0;
  return { site, files: await snapshot(site), wholeMs: endedMs - startedMs, lockedMs: endedMs - lockedAtMs, calls };
}

export interface Killed {
  kills: number;
  /** Moments drawn too late: the process had ended, and nothing was killed. */
  missed: number;
  /** Kills of a process that lived and held the lock. */
  inside: number;
  /** ... and waited for the endpoint in stage 3. */
  inStage3: number;
  /** Kills of a process that was itself resuming after a kill. */
  whileResuming: number;
  runs: number;
  requests: number;
  distinct: number;
  /** Share of the measured time that kills are drawn from: a machine that got faster since must not be missed. */
  pace: number;
}

const nobodyKilled = (): Killed => ({
  kills: 0,
  missed: 0,
  inside: 0,
  inStage3: 0,
  whileResuming: 0,
  runs: 0,
  requests: 0,
  distinct: 0,
  pace: 1,
});

/** One kill in this many is timed from the start of the process, so that loading and locking are hit too. */
const fromStartEvery = 20;

async function killOnce(site: Site, reference: Reference, chance: Chance, resuming: boolean, tally: Killed): Promise<void> {
  const { server } = site.yard;
  const before = server?.requests.length ?? 0;
  const child = start(site, site.yard.all);
  const end = finished(child);
  if (tally.kills % fromStartEvery === fromStartEvery - 1) await pause(50 + chance.next() * reference.wholeMs * 1.05);
  else {
    await untilLocked(site, child);
    await pause(chance.next() * reference.lockedMs * (resuming ? 0.5 : 0.9) * tally.pace); // a resumed run has less to do
  }
  const held = await holdsLock(site, child);
  const busy = (server?.requests.length ?? 0) > before && !existsSync(join(site.root, "stages", "4-stitch", "rows"));
  child.kill("SIGKILL");
  const { signal } = await end;
  if (signal !== "SIGKILL") {
    tally.missed += 1; // it had just ended: there was nobody to kill
    tally.pace *= 0.9;
    return;
  }
  const inside = held;
  tally.kills += 1;
  if (inside) tally.inside += 1;
  tally.pace = inside ? Math.min(1, tally.pace * 1.02) : tally.pace * 0.9;
  if (inside && busy) tally.inStage3 += 1;
  if (inside && resuming) tally.whileResuming += 1;
}

/** Kills one run at one to three moments, then lets it come to its end, and compares. */
async function killedRun(yard: Yard, name: string, reference: Reference, chance: Chance, most: number, tally: Killed): Promise<void> {
  const site = siteAt(yard, name);
  const from = yard.server?.requests.length ?? 0;
  let kills = 0;
  do {
    await killOnce(site, reference, chance, kills > 0, tally);
    kills += 1;
  } while (kills < most && chance.next() < 0.4);
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
  tally.runs += 1;
  if (yard.server !== null) {
    const { requests, distinct } = asked(yard.server, from);
    expect(distinct).toBe(reference.calls);
    expect(requests - distinct).toBeLessThanOrEqual(kills * concurrency);
    const keys = await keptKeys(site);
    expect(keys.length).toBe(new Set(keys).size); // what was kept was never asked for again
    tally.requests += requests;
    tally.distinct += distinct;
  }
  await removeSite(site);
}

/** `kills` kills, spread over as many runs as it takes. */
export async function killMany(yard: Yard, reference: Reference, chance: Chance, kills: number): Promise<Killed> {
  const tally = nobodyKilled();
  for (let number = 0; tally.kills < kills; number += 1)
    await killedRun(yard, `killed-${number}`, reference, chance, Math.min(3, kills - tally.kills), tally);
  return tally;
}
