import { expect } from "vitest";
import { type CrashPoint, crashPoints } from "../../pipeline/store/crash-point.ts";
import type { Reference } from "./kill.ts";
import { expectWhole, mustRun, run, type Site } from "./lib.ts";

/** Points in an order in which a run that has died at each of them still passes the next: the dataset is written last. */
export const inOrderOfPassing: readonly CrashPoint[] = crashPoints.toSorted(
  (a, b) => Number(a.startsWith("export-")) - Number(b.startsWith("export-")),
);

/** Dies at the `nth` passing of the point. */
export async function dieAt(site: Site, point: CrashPoint, nth = 1): Promise<void> {
  const { signal, code, stderr } = await run(site, site.yard.all, { CATGEN_CRASH_AT: `${point}:${nth}` });
  expect(`${point}:${nth} ${signal} ${code} ${stderr}`).toBe(`${point}:${nth} SIGKILL null `);
}

/** Dies at one point after the other, each time resuming from what the last death left, and then comes to its end. */
export async function dieAtEach(site: Site, points: readonly CrashPoint[], reference: Reference): Promise<void> {
  for (const point of points) await dieAt(site, point);
  await mustRun(site, site.yard.all);
  await expectWhole(site, reference.files);
}
