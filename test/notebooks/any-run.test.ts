import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePlace, type Place, repository } from "../e2e/harness.ts";
import { messageLines } from "../fakes/message-runs.ts";

/** The notebooks on runs that are not the demo's. */

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await place.write(
    "in/runs.jsonl",
    messageLines([
      { instance: "acme__web-1", steps: 60 },
      { instance: "beta__core-7", resolved: false, steps: 50 },
      { instance: "gamma__cli-3", resolved: null, steps: 12 },
    ]),
  );
  const ran = await place.catgen(["run", "1-5", "--run", "mine", "--input", join(place.folder, "in"), "--quiet"]);
  if (ran.code !== 0) throw new Error(ran.stderr);
}, 60_000);
afterAll(() => place.remove());

const notebook = (name: string, ...args: string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", `notebooks/${name}.ts`, "--runs", place.runs, ...args], {
    cwd: repository,
    encoding: "utf8",
  });

async function digestOfRun(): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(join(place.runs, "mine"), { recursive: true, withFileTypes: true });
  for (const path of entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).sort())
    hash.update(path).update(await readFile(path));
  return hash.digest("hex");
}

test.each(["01-look", "02-thresholds"])("%s tells of any run on stdout, and leaves the run as it is", async (name) => {
  const before = await digestOfRun();
  const { status, stdout, stderr } = notebook(name, "--run", "mine");
  expect(`${status} ${stderr}`).toBe("0 ");
  expect(stdout).toContain("the run `mine`");
  expect(stdout).toContain("give --out DIR to have it");
  expect(stdout.replace(/^```ts[\s\S]*?^```$/gm, "")).not.toMatch(/\bNaN\b|undefined|Infinity/);
  expect(await digestOfRun()).toBe(before);
});

test("pictures are drawn into the folder that is named", async () => {
  const out = join(place.folder, "drawn");
  expect(notebook("02-thresholds", "--run", "mine", "--pair", "minSteps,maxSteps", "--out", out).status).toBe(0);
  expect(await readdir(join(out, "02-thresholds"))).toEqual(["curves.svg", "pair.svg"]);
  expect(await readFile(join(out, "02-thresholds", "pair.svg"), "utf8")).toContain(">minSteps<");
});

test("the --set line of 02-thresholds keeps what it says", async () => {
  const { stdout } = notebook("02-thresholds", "--run", "mine", "--keep", "0.01");
  const set = /^```text\n(--set filter\..*)$/m.exec(stdout)?.[1];
  if (set === undefined) throw new Error(stdout.slice(-2_000));
  const kept = Number(/together they keep ([\d.]+) %/.exec(stdout)?.[1]);
  await place.json(["run", "5", "--run", "mine", "--verdict", "chosen", ...set.split(" ")]);
  const list = await place.json<{ trajectories: { kept: boolean }[] }>(["show", "--list", "--run", "mine", "--verdict", "chosen"]);
  expect(((100 * list.trajectories.filter((one) => one.kept).length) / 3).toFixed(1)).toBe(kept.toFixed(1));
});

test("a run or a threshold that is not there is told in a line, with exit status 64", () => {
  const missing = notebook("01-look", "--run", "nobody");
  expect([missing.status, missing.stderr]).toEqual([64, expect.stringMatching(/^catgen: there is no run "nobody".*\n$/)]);
  const wrong = notebook("02-thresholds", "--run", "mine", "--pair", "minStep,maxSteps");
  expect([wrong.status, wrong.stderr]).toEqual([64, expect.stringContaining("did you mean minSteps?")]);
});
