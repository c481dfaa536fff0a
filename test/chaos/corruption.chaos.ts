import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stepTable } from "../../pipeline/plan.ts";
import { accountHarms, datasetHarms, flip, type Harm, manifestHarms, rowHarms, rowSteps } from "./damage.ts";
import { makeReference, type Reference } from "./kill.ts";
import {
  chanceOf,
  copySite,
  expectWhole,
  mustRun,
  openYard,
  removeSite,
  rowsFile,
  run,
  type Site,
  seeded,
  siteAt,
  verified,
  type Yard,
} from "./lib.ts";

/** Row 8: whatever happens to a stored byte is found, refused and mended. */

let yard: Yard;
let reference: Reference;
beforeAll(async () => {
  yard = await openYard({ endpoint: {} });
  reference = await makeReference(yard);
});
afterAll(() => yard.close());

let copies = 0;
const freshCopy = (): Promise<Site> => copySite(reference.site, `copy-${++copies}`);

async function expectFound(site: Site, { file }: Harm, step: string): Promise<void> {
  const { damage } = await verified(site);
  expect(damage.filter(({ stage }) => stage === step).map(({ what }) => what)).toEqual(
    expect.arrayContaining([expect.stringContaining(file)]),
  );
}

/** The step after `step`, made to work again by forgetting what it had made. */
async function expectRefused(site: Site, step: string): Promise<void> {
  const next = stepTable[stepTable.findIndex((info) => info.step === step) + 1];
  if (next === undefined) throw new Error(`nothing comes after ${step}`);
  await rm(join(site.root, "stages", next.step, "manifests"), { recursive: true });
  const { code, stderr } = await run(site, ["run", next.name]);
  expect(`${code} ${stderr}`).toMatch(/^(65 .*ROWS_CORRUPT|64 .*STAGE_INCOMPLETE)/s);
  expect(await readdir(join(site.root, "stages", next.step, "manifests")).catch(() => [])).not.toContain("export.json");
}

async function expectMended(site: Site): Promise<void> {
  const calls = yard.server?.requests.length;
  await mustRun(site, ["repair"]);
  await expectWhole(site, reference.files);
  await mustRun(site, ["verify"]);
  expect(yard.server?.requests.length).toBe(calls); // a memory made anew is not paid again
}

for (const step of rowSteps) {
  for (const [title, harm] of Object.entries({ ...rowHarms, ...manifestHarms })) {
    test(`${title} of ${step} is found with its file, refused by the next stage, and mended by repair alone`, () =>
      seeded(`${step} ${title}`, async () => {
        const [one, other] = [await freshCopy(), await freshCopy()];
        const done = await harm(one, step, chanceOf(`${step} ${title}`));
        await harm(other, step, chanceOf(`${step} ${title}`));
        await expectFound(one, done, step);
        await Promise.all([expectMended(one), expectRefused(other, step)]);
        await Promise.all([removeSite(one), removeSite(other)]);
      }));
  }
}

const aParquetFile = async (site: Site): Promise<string> =>
  (await readdir(join(site.root, "export"), { recursive: true })).sort().find((name) => name.endsWith(".parquet")) ?? "none";

for (const [title, harm] of Object.entries(datasetHarms)) {
  test(`${title} of the dataset is found with its file and mended by repair alone`, () =>
    seeded(`dataset ${title}`, async () => {
      const site = await freshCopy();
      const done = await harm(join(site.root, "export", await aParquetFile(site)), chanceOf(`dataset ${title}`));
      await expectFound(site, done, "6-export");
      await expectMended(site);
      await removeSite(site);
    }));
}

/** The manifest, and the account of what the Parquet files were made of, by which later exports take them. */
for (const name of ["export.json", "parts.json"]) {
  for (const [title, harm] of Object.entries(accountHarms)) {
    test(`${title} of the dataset's ${name} is found and mended by repair alone`, () =>
      seeded(`${name} ${title}`, async () => {
        const site = await freshCopy();
        const path = join(site.root, "stages", "6-export", "manifests", name);
        const whole = await readFile(path, "utf8");
        await expectFound(site, await harm(path, chanceOf(`${name} ${title}`)), "6-export");
        await expectMended(site);
        if (name === "parts.json") expect(await readFile(path, "utf8")).toBe(whole);
        await removeSite(site);
      }));
  }
}

test("a deleted account of what the Parquet files were made of is found and mended by repair alone", async () => {
  const site = await freshCopy();
  await rm(join(site.root, "stages", "6-export", "manifests", "parts.json"));
  await expectFound(site, { file: "parts.json" }, "6-export");
  await expectMended(site);
  await removeSite(site);
});

test("a damaged account of the input is found, and importing again makes it anew", async () => {
  const site = await freshCopy();
  await flip(join(site.root, "stages", "1-generate", "inputs.json"), chanceOf("inputs"));
  await expectFound(site, { file: "inputs.json" }, "1-generate");
  const { code, stderr } = await run(site, ["repair"]);
  expect(`${code} ${stderr}`).toMatch(/^64 .*import again: catgen run 1 --run r --input PATH/s); // nothing else knows where the input lies
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
  await removeSite(site);
});

test("a dataset that was deleted is made anew by running stage 6", async () => {
  const site = await freshCopy();
  await rm(join(site.root, "export"), { recursive: true });
  await mustRun(site, ["run", "6"]);
  await expectWhole(site, reference.files);
  await removeSite(site);
});

test("damage in several stages and shards at once is mended by one repair", () =>
  seeded("everywhere", async () => {
    const site = await freshCopy();
    const chance = chanceOf("everywhere");
    for (const step of rowSteps) await flip(await rowsFile(site, step, chance.below(3)), chance);
    await expectMended(site);
    await removeSite(site);
  }));

test("a flipped bit anywhere in a rows file is found with file and row", () =>
  seeded("bits", async () => {
    const site = await freshCopy();
    const chance = chanceOf("bits");
    for (const step of rowSteps) {
      const path = await rowsFile(site, step);
      const whole = await readFile(path);
      for (let time = 0; time < 25; time += 1) {
        const { file } = await flip(path, chance);
        const found = (await verified(site)).damage.filter(({ stage }) => stage === step).map(({ what }) => what);
        expect(found.join("\n")).toContain(file);
        expect(found.join("\n")).toMatch(/row \d/);
        await writeFile(path, whole);
      }
    }
    expect((await verified(site)).damage).toEqual([]);
    await removeSite(site);
  }));

test("a repair that is killed is finished by the next repair", async () => {
  for (const point of ["file-written", "inputs-forgotten", "rows-renamed", "journal-append", "file-renamed"]) {
    const site = await freshCopy();
    for (const step of ["1-generate", "3-condense"]) await flip(await rowsFile(site, step), chanceOf(`killed repair ${point} ${step}`));
    const { signal } = await run(site, ["repair"], { CATGEN_CRASH_AT: point });
    expect(`${point} ${signal}`).toBe(`${point} SIGKILL`);
    await expectMended(site);
    await removeSite(site);
  }
});

test("repair leaves a stage alone that is merely stale", async () => {
  const site = siteAt(yard, "stale");
  await mustRun(site, yard.all);
  await run(site, ["run", "5", "--set", "detect.minGapSteps=4"]); // refused, but the recipe is remembered
  const before = await verified(site);
  expect(before.damage).toEqual([]);
  await flip(await rowsFile(site, "2-detect"), chanceOf("stale"));
  await run(site, ["repair"]);
  expect((await verified(site)).damage).toEqual([]);
  await mustRun(site, [...yard.all, "--set", "detect.minGapSteps=8"]);
  await expectWhole(site, reference.files);
});
