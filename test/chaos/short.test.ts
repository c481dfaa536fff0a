import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dieAtEach, inOrderOfPassing } from "./crash-points.ts";
import { flip, rowHarms } from "./damage.ts";
import { killMany, makeReference, type Reference } from "./kill.ts";
import {
  asked,
  chanceOf,
  copySite,
  expectWhole,
  finished,
  mustRun,
  openYard,
  rowsFile,
  runLimited,
  seeded,
  siteAt,
  start,
  until,
  verified,
  type Yard,
} from "./lib.ts";

/** The short form of the chaos suite: each kind of harm once. The long form is `make chaos`. */

let yard: Yard;
let reference: Reference;
beforeAll(async () => {
  yard = await openYard({ endpoint: { delayMs: 100 }, shards: 2 });
  reference = await makeReference(yard);
});
afterAll(() => yard.close());

// Side by side: most of the time is waiting for processes to start.
test.concurrent("a run that dies at every named crash point in turn, always resuming, ends like one that never died", async () => {
  const half = (odd: number) => inOrderOfPassing.filter((_, index) => index % 2 === odd);
  await Promise.all([dieAtEach(siteAt(yard, "even"), half(0), reference), dieAtEach(siteAt(yard, "odd"), half(1), reference)]);
});

test.concurrent("three kills at random moments lose, double and pay twice nothing", () =>
  seeded("short", async () => {
    const own = await openYard({ endpoint: { delayMs: 100 }, shards: 2 });
    try {
      await killMany(own, await makeReference(own), chanceOf("short"), 3);
    } finally {
      await own.close();
    }
  }));

test.concurrent("a flipped bit, a truncated, a deleted and two swapped rows files and a flipped bit in the dataset's account are found by verify and mended by repair alone", async () => {
  const site = await copySite(reference.site, "damaged");
  const harms = [
    ["a flipped bit", "1-generate"],
    ["a truncated file", "3-condense"],
    ["a deleted file", "5-measure"],
    ["two shards' files swapped", "2-detect"],
  ] as const;
  for (const [title, step] of harms) await rowHarms[title]?.(site, step, chanceOf(title));
  await flip(join(site.root, "stages", "6-export", "manifests", "parts.json"), chanceOf("parts"));
  const { damage } = await verified(site);
  expect(damage.map(({ stage, what }) => `${stage} ${what}`).join("\n")).toMatch(/^6-export .*parts\.json/m);
  for (const [title, step] of harms) expect(`${title}: ${damage.map(({ stage }) => stage)}`).toContain(step);
  await mustRun(site, ["repair"]);
  await expectWhole(site, reference.files);
});

test.concurrent("a disk that is full by the last byte of a rows file stops the run with 74, and it goes on when there is room", async () => {
  const site = siteAt(yard, "full");
  const { size } = await stat(await rowsFile(reference.site, "1-generate"));
  const { code, stderr } = await runLimited(site, [`--fsize=${size - 1}`], yard.all);
  expect(`${code} ${stderr}`).toMatch(/^74 .*EFBIG/s);
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
});

test.concurrent("SIGTERM while stage 3 waits for the endpoint drains with 75, and nothing is paid twice", async () => {
  const own = await openYard({ endpoint: { delayMs: 300 }, shards: 2 });
  try {
    const site = siteAt(own, "drained");
    const child = start(site, own.all);
    const end = finished(child);
    await until(() => (own.server?.requests.length ?? 0) > 0);
    child.kill("SIGTERM");
    expect((await end).code).toBe(75);
    await mustRun(site, own.all);
    const { requests, distinct } = own.server === null ? { requests: 0, distinct: -1 } : asked(own.server, 0);
    expect(requests).toBe(distinct);
    expect((await verified(site)).damage).toEqual([]);
  } finally {
    await own.close();
  }
});
