import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stepTable } from "../../pipeline/plan.ts";
import { rowSteps } from "./damage.ts";
import { makeReference, type Reference } from "./kill.ts";
import {
  copySite,
  expectWhole,
  leftovers,
  mustRun,
  openYard,
  removeSite,
  rowsFile,
  run,
  runLimited,
  type Site,
  siteAt,
  type Yard,
} from "./lib.ts";

/** Rows 7 and 18: disks that are full, locked or wrong about the time. */

let yard: Yard;
let reference: Reference;
beforeAll(async () => {
  // One shard and runs enough that every step writes a file larger than the recipe, which is written first.
  const runs = Array.from({ length: 40 }, (_, index) => ({ instance: `acme${index % 3}__web-${index}`, steps: 27 }));
  yard = await openYard({ shards: 1, runs });
  reference = await makeReference(yard);
});
afterAll(() => yard.close());

const root = process.getuid?.() === 0;
const bytesOf = async (path: string): Promise<number> => (await stat(path)).size;

/** Everything before `step` done, it and the rest not begun. */
async function before(step: string): Promise<Site> {
  const site = siteAt(yard, `before-${step}`);
  const at = stepTable.findIndex((info) => info.step === step);
  if (at === 0) return site;
  const copy = await copySite(reference.site, `before-${step}`);
  for (const info of stepTable.slice(at)) await rm(join(copy.root, "stages", info.step), { recursive: true });
  await rm(join(copy.root, "export"), { recursive: true });
  return copy;
}

for (const step of rowSteps) {
  test(`a disk that is full by the last byte of ${step} stops the run with 74, and it goes on when there is room`, async () => {
    const rows = await bytesOf(await rowsFile(reference.site, step));
    expect(rows).toBeGreaterThan(await bytesOf(join(reference.site.root, "recipe.yaml")));
    for (const limit of [rows - 1, Math.ceil(rows * 0.6)]) {
      const site = await before(step);
      const { code, stderr } = await runLimited(site, [`--fsize=${limit}`], yard.all);
      expect(`${code} ${stderr}`).toMatch(/^74 .*EFBIG.*\[IO\]/s);
      expect(await readdir(join(site.root, "stages", step, "manifests")).catch(() => [])).toEqual([]);
      await mustRun(site, yard.all);
      await expectWhole(site, reference.files);
      await removeSite(site);
    }
  });
}

test("a disk that is full while the dataset is written stops the run with 74, the old dataset stays, and it goes on", async () => {
  const site = await copySite(reference.site, "export");
  const limit = (await bytesOf(join(site.root, "recipe.yaml"))) + 1024;
  const { code, stderr } = await runLimited(site, [`--fsize=${limit}`], ["run", "6", "--set", "export.name=Other"]);
  expect(`${code} ${stderr}`).toMatch(/^74 .*\[IO\]/s);
  expect((await readdir(join(site.root, "export"))).length).toBeGreaterThan(0);
  await mustRun(site, ["run", "6", "--set", "export.name=CAT-Instruct"]);
  await expectWhole(site, reference.files);
});

test("a full disk at the very first file stops with 74, too", async () => {
  const site = siteAt(yard, "first");
  const { code, stderr } = await runLimited(site, ["--fsize=1"], yard.all);
  expect(`${code} ${stderr}`).toMatch(/^74 .*EFBIG/s);
  await mustRun(site, yard.all);
  await expectWhole(site, reference.files);
});

const mounted = (...args: readonly string[]): boolean => spawnSync("mount", args).status === 0;

test.skipIf(!root)(
  "a small file system that is full stops with 74 at whatever byte, and the run goes on when it has grown",
  async (context) => {
    const site = siteAt(yard, "small");
    await mkdir(site.runs, { recursive: true });
    if (!mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", site.runs)) return context.skip();
    try {
      for (let kilobytes = 64; ; kilobytes = Math.ceil(kilobytes * 1.6)) {
        expect(mounted("-o", `remount,size=${kilobytes}k`, site.runs)).toBe(true);
        const { code, stderr } = await run(site, yard.all);
        if (code === 0) break;
        expect(`${code} ${stderr}`).toMatch(/^74 .*ENOSPC.*free space.*\[IO\]/s);
        expect(await leftovers(site)).not.toContain("lock.json");
      }
      await expectWhole(site, reference.files);
    } finally {
      spawnSync("umount", [site.runs]);
    }
  },
);

test.skipIf(!root)("a read-only file system: what only reads works, a run stops with 74 and changes nothing", async (context) => {
  const site = siteAt(yard, "read-only");
  await mkdir(site.runs, { recursive: true });
  if (!mounted("-t", "tmpfs", "-o", "size=64m", "tmpfs", site.runs)) return context.skip();
  try {
    await mustRun(site, yard.all);
    expect(mounted("-o", "remount,ro", site.runs)).toBe(true);
    await mustRun(site, ["verify"]);
    await mustRun(site, ["status"]);
    const { code, stderr } = await run(site, yard.all);
    expect(`${code} ${stderr}`).toMatch(/^74 .*EROFS.*read-only/s);
    expect(mounted("-o", "remount,rw", site.runs)).toBe(true);
    await mustRun(site, yard.all);
    await expectWhole(site, reference.files);
  } finally {
    spawnSync("umount", [site.runs]);
  }
});

/** Root may read everything, so the process gives its rights up. */
const asNobody = ["--reuid=65534", "--clear-groups", "--", process.execPath, "pipeline/bin.mjs"];

test.skipIf(!root)("folders that may not be read stop the run with 74 and the way to mend it, wherever they lie", async () => {
  const site = await copySite(reference.site, "unreadable");
  const nobody = (...args: readonly string[]): { code: number | null; said: string } => {
    const { status, stderr } = spawnSync("setpriv", [...asNobody, ...args, "--run", "r", "--quiet"], {
      env: { ...process.env, CATGEN_RUNS: site.runs, CATGEN_CACHE: join(site.runs, "cache") },
      encoding: "utf8",
    });
    return { code: status, said: stderr };
  };
  spawnSync("chown", ["-R", "65534", site.runs]);
  await chmod(yard.folder, 0o755);
  for (const folder of ["", "stages/2-detect/manifests", "stages/2-detect/rows", "stages/1-generate", "stages/6-export/manifests"]) {
    const path = join(site.root, folder);
    await chmod(path, 0o000);
    const { code, said } = nobody("run", "all", "--set", "detect.minGapSteps=5");
    expect(`${folder}: ${code} ${said}`).toMatch(/: 74 .*EACCES.*no permission/s);
    await chmod(path, 0o755);
  }
  expect(nobody("run", "all", "--set", "detect.minGapSteps=8").code).toBe(0);
  await expectWhole(site, reference.files);
});

test("files dated 1970 or 2100 change nothing: digests decide", async () => {
  const site = await copySite(reference.site, "dated");
  for (const year of ["1970-01-02", "2100-01-01"]) {
    const time = new Date(year);
    for (const folder of [site.root, yard.input])
      for (const name of await readdir(folder, { recursive: true })) await utimes(join(folder, name), time, time);
    const { stdout } = await mustRun(site, yard.all);
    const { summary } = JSON.parse(stdout) as { summary: { shardsMade: number }[] };
    expect(summary.map(({ shardsMade }) => shardsMade)).toEqual(stepTable.map(() => 0));
    await expectWhole(site, reference.files);
  }
});
