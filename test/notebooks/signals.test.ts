import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BoundaryLabel } from "../../schemas/boundary-label.ts";
import { makePlace, type Place, repository } from "../e2e/harness.ts";
import { messageLines } from "../fakes/message-runs.ts";

let place: Place;
let ids: string[] = [];
const report = (...args: string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", "notebooks/signals.ts", "--runs", place.runs, "--seeds", "5", ...args], {
    cwd: repository,
    encoding: "utf8",
  });
const labelsFile = (name: string, labels: readonly unknown[]): Promise<string> =>
  place.write(name, labels.map((label) => `${JSON.stringify(label)}\n`).join(""));

beforeAll(async () => {
  place = await makePlace();
  await place.write(
    "in/runs.jsonl",
    messageLines([
      { instance: "acme__web-1", steps: 40 },
      { instance: "beta__core-7", steps: 30 },
    ]),
  );
  const { code, stderr } = await place.catgen(["run", "1-2", "--run", "mine", "--input", join(place.folder, "in"), "--quiet"]);
  if (code !== 0) throw new Error(stderr);
  const { stdout } = await place.catgen(["show", "--list", "--run", "mine"]);
  ids = stdout.split("\n").flatMap((line) => /^\S+\/\S+\/[0-9a-f]{12}/.exec(line)?.[0] ?? []);
});
afterAll(() => place.remove());

test("a run alone gives frequencies and the agreement of signals, and prints nothing else", () => {
  const { status, stdout } = report("--run", "mine");
  expect(status).toBe(0);
  expect(stdout).toContain("2 trajectories, 70 steps");
  expect(stdout).toMatch(/^\| repeated-failures \| error-correction \| past \| \d+ \|/m);
  expect(stdout).toMatch(/^\| 11 direction-change \| (?:[\d.-]+ \| ){10}/m);
  expect(stdout).not.toContain("Beside the labels");
});

test("labels give precision and recall of signals, points and baselines, and the passes' own agreement", async () => {
  expect(ids).toHaveLength(2);
  const [one, two] = ids;
  const a = await labelsFile("pass-a.jsonl", [
    { id: one, cut: 10, kind: "verified", why: "x" },
    { id: one, cut: 20, kind: "edited", why: "x" },
    { id: two, cut: null, kind: "none", why: "x" },
  ]);
  const b = await labelsFile("pass-b.jsonl", [
    { id: one, cut: 11, kind: "verified", why: "x" },
    { id: two, cut: 5, kind: "explored", why: "x" },
  ]);
  const { status, stdout } = report("--run", "mine", "--labels", a, "--labels", b);
  expect(status).toBe(0);
  expect(stdout).toContain("pass-a and pass-b: 2 trajectories read by both; 2 and 2 cuts.");
  expect(stdout).toContain("| 0 | 0 | 0.00 | - | - |");
  expect(stdout).toContain("| 1 | 1 | 0.50 | 1.00 | - |");
  expect(stdout).toContain("Either pass: 3 cuts in 2 trajectories, 3 of them legal.");
  expect(stdout).toContain("Both passes: 1 cuts in 2 trajectories, 1 of them legal.");
  for (const row of ["chosen points", "every \\d+ steps \\(as many as chosen\\)", "every \\d+ tokens \\(as many as labels\\)"])
    expect(stdout).toMatch(new RegExp(`^\\| ${row} \\| \\d+ \\| [\\d.-]+ \\|`, "m"));
});

test("a line that is no label is named with its place", async () => {
  const file = await labelsFile("broken.jsonl", [{ id: ids[0], cut: null, kind: "verified", why: "x" }]);
  const { status, stderr } = report("--run", "mine", "--labels", file);
  expect(status).not.toBe(0);
  expect(stderr).toContain("broken.jsonl:1: no label: cut is null exactly when the kind is none");
});

test("without a run it says how it is used", () => {
  const { status, stderr } = report();
  expect([status, stderr]).toEqual([64, expect.stringContaining("usage: npx tsx notebooks/signals.ts --run NAME")]);
});

describe("the committed labels", () => {
  const pass = (name: string): BoundaryLabel[] =>
    readFileSync(join(repository, "data/labels", `pass-${name}.jsonl`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => BoundaryLabel.parse(JSON.parse(line)));
  const covered = (labels: readonly BoundaryLabel[]): string[] => [...new Set(labels.map(({ id }) => id))].sort();

  test("are two passes over the same 40 trajectories or more, each cut with its reason", () => {
    const [a, b] = [pass("a"), pass("b")];
    expect(covered(a)).toEqual(covered(b));
    expect(covered(a).length).toBeGreaterThanOrEqual(40);
    for (const { why } of [...a, ...b]) expect(why.length).toBeGreaterThan(10);
  });

  test("name no cut of a trajectory twice", () => {
    for (const name of ["a", "b"]) {
      const cuts = pass(name).map(({ id, cut }) => `${id} ${cut}`);
      expect(new Set(cuts).size).toBe(cuts.length);
    }
  });
});
