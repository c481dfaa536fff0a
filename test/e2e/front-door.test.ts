import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageLines } from "../fakes/message-runs.ts";
import { makePlace, type Place, repository } from "./harness.ts";

let place: Place;
beforeAll(async () => {
  place = await makePlace();
});
afterAll(() => place.remove());

test("the installed command works from any folder", () => {
  const { status, stdout } = spawnSync(process.execPath, [join(repository, "pipeline", "bin.mjs"), "recipe"], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).toContain("window:");
});

test("help names every command that the README's table has, and no other", async () => {
  const { stdout } = await place.catgen(["--help"]);
  const readme = await readFile(join(repository, "README.md"), "utf8");
  const listed = [...readme.matchAll(/^\| `([a-z]+)[ `]/gm)].map((match) => match[1]).sort();
  const offered = [...stdout.matchAll(/^ {2}catgen ([a-z]+)/gm)].map((match) => match[1]).sort();
  expect(offered).toEqual(listed);
});

test("without --run a lone run is meant, and with several they are named", async () => {
  await place.write("in.jsonl", messageLines([{ instance: "a__a-1", steps: 12 }]));
  await place.json(["run", "1", "--run", "first", "--input", join(place.folder, "in.jsonl")]);
  expect((await place.json<{ run: string }>(["status"])).run).toBe("first");
  await place.json(["run", "1", "--run", "second", "--input", join(place.folder, "in.jsonl")]);
  const { code, stderr } = await place.catgen(["status"]);
  expect(code).toBe(64);
  expect(stderr).toContain("runs here: first, second");
});

test("options take one value each and leave the stages and paths behind them alone", async () => {
  const why = await place.json<{ run: string }>(["why", "--set", "filter.minSteps=5", "--set", "filter.maxSteps=9", "5", "--run", "first"]);
  expect(why.run).toBe("first");
  const scan = await place.catgen(["scan", "--personal", "mail", "--allow", "jwt", join(place.folder, "in.jsonl")]);
  expect(`${scan.code} ${scan.stdout}`).toMatch(/^0 nothing that looks secret in 1 files/);
});

test("what a trajectory says cannot drive the terminal", async () => {
  await place.write("ansi.jsonl", messageLines([{ instance: "t__t-1", planted: "\u001b]0;owned\u0007\u001b[31m red \u202e back" }]));
  await place.json(["run", "1", "--run", "ansi", "--input", join(place.folder, "ansi.jsonl")]);
  const { stdout } = await place.catgen(["show", "t__t", "--run", "ansi", "--full"]);
  expect(stdout).toContain("\\x1b]0;owned");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the point of the test
  expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
});

test("--limit imports the first trajectories only, stays, and is lifted by name", async () => {
  await place.write("many.jsonl", messageLines([1, 2, 3, 4].map((number) => ({ instance: `m__m-${number}`, steps: 12 }))));
  const few = await place.json<{ inputs: { trajectories: number } }>([
    "run",
    "1",
    "--run",
    "limit",
    "--input",
    join(place.folder, "many.jsonl"),
    "--limit",
    "2",
  ]);
  expect(few.inputs.trajectories).toBe(2);
  const still = await place.json<{ inputs: { trajectories: number } }>(["run", "1", "--run", "limit"]);
  expect(still.inputs.trajectories).toBe(2);
  const all = await place.json<{ inputs: { trajectories: number } }>(["run", "1", "--run", "limit", "--limit", "all"]);
  expect(all.inputs.trajectories).toBe(4);
});

test("--shards works on the named shards alone, and status says what is missing", async () => {
  await place.json(["run", "1", "--run", "shards", "--input", join(place.folder, "many.jsonl"), "--set", "run.shards=4"]);
  const status = await place.json<{ stages: { name: string; shardsDone: number; shardsMissing: number }[] }>([
    "run",
    "2",
    "--run",
    "shards",
    "--shards",
    "1-2",
  ]);
  expect(status.stages.find(({ name }) => name === "detect")).toMatchObject({ shardsDone: 2, shardsMissing: 2 });
  const { code, stderr } = await place.catgen(["run", "2", "--run", "shards", "--shards", "9"]);
  expect(code).toBe(64);
  expect(stderr).toContain("numbers under 4");
});
