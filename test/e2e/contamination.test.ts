import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { IndexBuilt } from "../../schemas/contamination.ts";
import type { Status } from "../../schemas/status.ts";
import { messageRun } from "../fakes/message-runs.ts";
import { makePlace, type Place } from "./harness.ts";

/** Evaluation sets, from a user's file of rows to the dataset's card, through the real command line. */

interface Ran extends Status {
  readonly summary: readonly { step: string; shardsMade: number; rowsMade: number }[];
}

const statement = Array.from({ length: 40 }, (_, at) => `handler${at}`).join(" ");
const ids = { named: "django__django-11019", worded: "acme__web-1", clean: "gamma__cli-3" };

let place: Place;
let index: string;
beforeAll(async () => {
  place = await makePlace();
  const row = (instance: string, task: string): string => {
    const run = messageRun({ instance, steps: 40 }) as { messages: { content: string }[] };
    return `${JSON.stringify({ ...run, messages: run.messages.map((message, at) => (at === 1 ? { ...message, content: task } : message)) })}\n`;
  };
  const plain = "Fix the handlers.";
  await place.write("in/runs.jsonl", row(ids.named, plain) + row(ids.worded, `<issue>\n${statement}\n</issue>`) + row(ids.clean, plain));
  index = join(place.folder, "mine.tsv.gz");
}, 60_000);
afterAll(() => place.remove());

const run = (stages: string, ...more: string[]): Promise<Ran> => place.json<Ran>(["run", stages, "--run", "mine", ...more]);
const made = ({ summary }: Ran): string[] => summary.filter((one) => one.shardsMade > 0).map((one) => one.step);
const kept = async (): Promise<string[]> => {
  const { trajectories } = await place.json<{ trajectories: { id: string; kept: boolean }[] }>(["show", "--list", "--run", "mine"]);
  return trajectories.filter((one) => one.kept).map(({ id }) => id.split("/")[1] ?? "");
};
const card = (): Promise<string> => readFile(join(place.runs, "mine/export/README.md"), "utf8");

test("the shipped sets keep a run on a task of theirs out, found by its id, and the card says so", async () => {
  await run("all", "--input", join(place.folder, "in"), "--set", "run.shards=1");
  expect((await kept()).sort()).toEqual([ids.worded, ids.clean]);
  expect(await card()).toContain("3 trajectories were held against");
  expect(await card()).toContain("1 on tasks of theirs: 1 left out, 0 in this dataset.");
  expect(await card()).toContain("| swe-bench-lite | the instance's id | 1 | 1 | 0 |");
  const { stdout } = await place.catgen(["show", ids.named, "--run", "mine"]);
  expect(stdout).toContain("evaluation sets: its instance is in swe-bench-lite; its repository is in swe-bench-lite, swe-bench-verified");
  expect(stdout).toContain("contaminated-instance (swe-bench-lite, limit false)");
});

test("an index is made of a local file: ids and hashes, the same bytes each time", async () => {
  const rows = await place.write(
    "rows.jsonl",
    `${JSON.stringify({ instance_id: "other__set-7", problem_statement: statement, patch: "short" })}\n`,
  );
  const args = ["decontamination", "index", "--from", rows, "--fields", "problem_statement,patch", "--name", "mine", "--out", index];
  const built = IndexBuilt.parse(await place.json(args));
  expect(built).toMatchObject({ name: "mine", instances: 1, text: { fingerprints: 28 }, patch: { fingerprints: 0, instancesWithout: 1 } });
  const bytes = await readFile(index);
  expect(gunzipSync(bytes).toString("utf8")).not.toContain("handler");
  expect(IndexBuilt.parse(await place.json(args)).sha256).toBe(built.sha256);
  expect((await readFile(index)).equals(bytes)).toBe(true);
  const text = await place.catgen(args);
  expect([text.code, text.stdout]).toEqual([0, expect.stringContaining("ids and hashes, no text")]);
  const wrong = await place.catgen([...args.slice(0, 5), "statement", ...args.slice(6)]);
  expect([wrong.code, wrong.stderr]).toEqual([
    64,
    expect.stringContaining("has no field statement; it has instance_id, patch, problem_statement"),
  ]);
});

test("held against it, runs are measured anew and nothing else, and one is found by its words", async () => {
  const set = ["--set", `evaluation.indexes=[${index}]`];
  const { stdout } = await place.catgen(["why", "5", "--run", "mine", ...set]);
  expect(stdout).toContain("evaluation.indexes.mine changed from absent to");
  expect(made(await run("all", ...set))).toEqual(["5-measure", "5-judge", "5-select", "6-export"]);
  expect(await kept()).toEqual([ids.clean]);
  const show = await place.catgen(["show", ids.worded, "--run", "mine"]);
  expect(show.stdout).toContain("evaluation sets: 100 % of the text of other__set-7 (mine)");
  expect(show.stdout).toContain("contaminated-text (1, limit 0.37)");
  expect(await card()).toContain("| mine | the words of the task | 1 | 1 | 0 |");
  const analysis = await place.json<{ filters: { filter: string; fails: number }[]; curves: { threshold: string }[] }>([
    "analyze",
    "--run",
    "mine",
  ]);
  expect(analysis.filters.filter(({ fails }) => fails > 0).map(({ filter }) => filter)).toEqual([
    "contaminated-instance",
    "contaminated-text",
  ]);
  expect(analysis.curves.map(({ threshold }) => threshold)).toContain("maxEvaluationTextShare");
  expect(made(await run("all"))).toEqual([]);
});

test("a threshold judges again and measures nothing, and what is then kept is said in bold", async () => {
  expect(made(await run("all", "--set", "filter.maxEvaluationTextShare=null"))).toEqual(["5-judge", "5-select", "6-export"]);
  expect((await kept()).sort()).toEqual([ids.worded, ids.clean]);
  expect(await card()).toContain("1 in this dataset. **Results on these sets of models trained on it mean nothing.**");
  await run("all", "--set", "filter.maxEvaluationTextShare=0.37");
});

test("a set that only moved changes nothing; one that is gone or damaged stops the run and is named", async () => {
  const moved = join(place.folder, "elsewhere.tsv.gz");
  await rename(index, moved);
  const gone = await place.catgen(["run", "all", "--run", "mine"]);
  expect([gone.code, gone.stderr]).toEqual([64, expect.stringMatching(/the evaluation set .*mine\.tsv\.gz cannot be read/)]);
  expect(made(await run("all", "--set", `evaluation.indexes=[${moved}]`))).toEqual([]);
  const prose = await place.write("prose.tsv", "An essay.\n");
  const broken = await place.catgen(["run", "5", "--run", "mine", "--set", `evaluation.indexes=[${prose}]`]);
  expect([broken.code, broken.stderr]).toEqual([
    78,
    expect.stringContaining("prose.tsv:1: expected an instance id, a tab and fingerprints"),
  ]);
});

test("analyze does not answer for sets that nothing was held against", async () => {
  const list = await place.write("list.txt", "gamma/cli\n");
  const asked = await place.catgen(["analyze", "--run", "mine", "--set", `evaluation.lists=[${list}]`]);
  expect([asked.code, asked.stderr]).toEqual([64, expect.stringContaining("analyze looks at stored metrics")]);
});
