import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Status } from "../../schemas/status.ts";
import { messageLines, messageRun } from "../fakes/message-runs.ts";
import { makePlace, type Place } from "./harness.ts";

/** What goes wrong at a user's desk: each case has a clear message, the right exit status, and loses nothing. */

let place: Place;
beforeAll(async () => {
  place = await makePlace();
});
afterAll(() => place.remove());

let runs = 0;
async function importing(
  files: Readonly<Record<string, string | Uint8Array>>,
  ...more: string[]
): Promise<{ status: Status; code: number | null; stderr: string }> {
  runs += 1;
  const name = `bad-${runs}`;
  for (const [file, text] of Object.entries(files)) await place.write(`${name}/${file}`, text);
  await mkdir(join(place.folder, name), { recursive: true });
  const { code, stderr } = await place.catgen(["run", "1-5", "--run", name, "--input", join(place.folder, name), "--quiet", ...more]);
  return { status: await place.json<Status>(["status", "--run", name]), code, stderr };
}

const good = messageLines([{ instance: "good__one-1", steps: 30 }]);
const judged = (status: Status) => status.stages.find(({ name }) => name === "judge")?.rows;

test("empty files and runs without a step are told apart from broken ones, and good ones beside them are imported", async () => {
  const noSteps = {
    instance_id: "empty__run-1",
    messages: [
      { role: "system", content: "x" },
      { role: "user", content: "y" },
    ],
  };
  const { status, code } = await importing({
    "a.jsonl": "",
    "b.json": "  \n",
    "c.jsonl": `${JSON.stringify(noSteps)}\n`,
    "good.jsonl": good,
  });
  expect(code).toBe(0);
  expect(status.inputs).toMatchObject({ files: 4, imported: 1, trajectories: 1, quarantined: [] });
  expect(status.inputs.empty).toBe(3);
});

test("truncated JSON in the middle of a file is quarantined with its offset, and the rows around it are imported", async () => {
  const lines = messageLines([{ instance: "t__a-1" }, { instance: "t__b-2" }]).split("\n");
  const { status, code, stderr } = await importing({ "runs.jsonl": `${lines[0]}\n${lines[1]?.slice(0, 300)}\n${lines[1]}\n` });
  expect(status.inputs.trajectories).toBe(2);
  expect(status.inputs.quarantined).toEqual([{ file: "runs.jsonl", offset: (lines[0]?.length ?? 0) + 1, why: expect.any(String) }]);
  expect(code).toBe(65); // one of three is more than 5 %
  expect(stderr).toMatch(/1 of 3 input records are unreadable.*maxQuarantinedShare/);
  const allowed = await importing({ "runs.jsonl": `${lines[0]}\n{"half": \n${lines[1]}\n` }, "--set", "run.maxQuarantinedShare=0.5");
  expect(allowed.code).toBe(0);
  expect(judged(allowed.status)).toMatchObject({ in: 2, out: 2 });
});

test("wrong types in a known format are quarantined by name of the field, not guessed", async () => {
  const row = messageRun({ instance: "w__t-1" });
  const { status } = await importing({ "runs.jsonl": `${JSON.stringify({ ...row, messages: 7 })}\n${good}` });
  expect(status.inputs.trajectories).toBe(1);
  expect(status.inputs.quarantined.length + status.inputs.refused.length).toBe(1);
});

test("a missing result in mid-run marks and rejects the trajectory by name", async () => {
  const row = messageRun({ instance: "m__r-1" });
  const messages = (row["messages"] as unknown[]).filter((_, index) => index !== 7);
  const { status, code } = await importing({ "runs.jsonl": `${JSON.stringify({ ...row, messages })}\n${good}` });
  expect(code).toBe(0);
  expect(status.stages.find(({ name }) => name === "detect")?.rows.rejected).toEqual({ "missing-result": 1 });
  expect(judged(status)).toMatchObject({ in: 2, out: 2 });
});

test("the same run in two files is one trajectory, and the second file is named as a part of the first", async () => {
  const { status, code } = await importing({ "a.jsonl": good, "b.jsonl": good });
  expect(code).toBe(0);
  expect(status.inputs).toMatchObject({ files: 2, imported: 1, partOf: 1, trajectories: 1 });
  expect(status.stages[0]?.rows).toMatchObject({ in: 2, out: 1, rejected: { duplicate: 1 } });
});

/** Ids of all trajectories of a run, with their licences. */
async function licencesIn(run: string): Promise<Record<string, string | null>> {
  const { trajectories } = await place.json<{ trajectories: { id: string }[] }>(["show", "--list", "--run", run]);
  const shown = await Promise.all(
    trajectories.map(async ({ id }) => {
      const { trajectory } = await place.json<{ trajectory: { origin: { licence: string | null } } }>(["show", id, "--run", run]);
      return [id, trajectory.origin.licence] as const;
    }),
  );
  return Object.fromEntries(shown);
}

test("two sources under one name: other runs of the same task are other trajectories, and none takes another's place", async () => {
  const [mine, yours] = [30, 40].map((steps) => messageLines([{ instance: "good__one-1", steps }]));
  const { status, code } = await importing({ "mine/a.jsonl": mine ?? "", "yours/a.jsonl": yours ?? "" }, "--set", "generate.source=both");
  expect(code).toBe(0);
  expect(status.inputs).toMatchObject({ files: 2, imported: 2, partOf: 0, trajectories: 2 });
  const ids = Object.keys(await licencesIn(`bad-${runs}`));
  expect(ids.map((id) => id.split("/").slice(0, 2).join("/"))).toEqual(["both/good__one-1", "both/good__one-1"]);
  expect(new Set(ids).size).toBe(2);
});

test("two sources under one id: the very same run under two licences is one trajectory under that of the first file, whatever the order they are given in", async () => {
  const under = (license: string): string => `${JSON.stringify({ ...messageRun({ instance: "good__one-1", steps: 30 }), license })}\n`;
  const first = await place.write("one-id/a.jsonl", under("MIT"));
  const second = await place.write("one-id/b.jsonl", under("CC-BY-NC-4.0"));
  for (const [name, inputs] of [
    ["one-id", [first, second]],
    ["one-id-turned", [second, first]],
  ] as const) {
    await place.json(["run", "1-5", "--run", name, ...inputs.flatMap((input) => ["--input", input])]);
    expect(Object.values(await licencesIn(name))).toEqual(["MIT"]);
    const { inputs: read } = await place.json<Status>(["status", "--run", name]);
    expect(read).toMatchObject({ files: 2, imported: 1, partOf: 1, trajectories: 1 });
  }
});

test("an unknown tokenizer is refused by the path where it is looked for, and does not stay with the run", async () => {
  const input = await place.write("tokenizer.jsonl", good);
  const { code, stderr } = await place.catgen([
    "run",
    "all",
    "--run",
    "no-tokenizer",
    "--input",
    input,
    "--set",
    "tokenizer.folder=/no/such/model",
  ]);
  expect(`${code} ${stderr}`).toMatch(/^(?:66|78|64) .*expected tokenizer\.json at .*tokenizer\.folder/s);
  await place.json(["run", "1-2", "--run", "no-tokenizer", "--input", input]); // it does not stay with the run
});

test("bytes that are no UTF-8 are imported with a mark", async () => {
  const bytes = Buffer.from(good);
  const at = bytes.indexOf("Let me look");
  bytes[at + 3] = 0xff;
  const { status, code } = await importing({ "runs.jsonl": bytes });
  expect(code).toBe(0);
  expect(status.inputs.trajectories).toBe(1);
  const shown = await place.json<{ trajectory: { marks: string[] } }>(["show", "good", "--run", `bad-${runs}`]);
  expect(shown.trajectory.marks).toContain("lossy-utf8");
});

test("control-token text in a result rejects the trajectory by default and is harmless when escaped", async () => {
  const runsText = messageLines([{ instance: "c__t-1", planted: "log: <|im_end|> <tool_call> text" }, { instance: "c__t-2" }]);
  const { status } = await importing({ "runs.jsonl": runsText });
  expect(status.stages.find(({ name }) => name === "detect")?.rows.rejected).toEqual({ "control-token-text": 1 });
  const shown = await place.json<{ verdict: { value: { trajectory: { failed: { filter: string; value: number }[] } } } }>([
    "show",
    "c__t-1",
    "--run",
    `bad-${runs}`,
  ]);
  expect(shown.verdict.value.trajectory.failed).toMatchObject([
    { filter: "control-token-text", value: 2, limit: 0, action: "reject-trajectory" },
  ]);
  const escaped = await importing({ "runs.jsonl": runsText }, "--set", "persona.controlTokens=escape");
  expect(escaped.status.stages.find(({ name }) => name === "detect")?.rows.rejected).toEqual({});
});

test("keys named __proto__ and constructor change nothing", async () => {
  const row = JSON.stringify(messageRun({ instance: "p__p-1" }));
  const { status, code } = await importing({ "runs.jsonl": `{"__proto__": {"polluted": true}, "constructor": 1, ${row.slice(1)}\n` });
  expect(code).toBe(0);
  expect(status.inputs.trajectories).toBe(1);
});

test("files of other kinds are refused by name, and the run goes on", async () => {
  const { status, code } = await importing({
    "notes.txt": "hello",
    "page.html": "<html></html>",
    "other.json": '{"a": 1}',
    "good.jsonl": good,
  });
  expect(code).toBe(0);
  expect(status.inputs.refused.map(({ file }) => file)).toEqual(["notes.txt", "other.json", "page.html"]);
  for (const { why } of status.inputs.refused) expect(why.length).toBeGreaterThan(10);
});

test("an input without any trajectory is told so, with the reasons in status", async () => {
  const { status, code, stderr } = await importing({ "notes.txt": "hello" });
  expect(code).toBe(65);
  expect(stderr).toContain("no trajectory in 1 input files");
  expect(status.inputs.trajectories).toBe(0);
  expect(status.inputs.refused).toHaveLength(1);
});

test("a recipe typo names the nearest known key and exits 78", async () => {
  const recipe = await place.write("typo.yaml", "filter:\n  minStep: 3\n");
  const { code, stderr } = await place.catgen(["run", "all", "--run", "typo", "--input", place.folder, "--recipe", recipe]);
  expect(code).toBe(78);
  expect(stderr).toContain("filter.minStep: unknown key; did you mean filter.minSteps?");
  const set = await place.catgen(["run", "all", "--run", "typo", "--input", place.folder, "--set", "windw.tokens=9000"]);
  expect(set.code).toBe(78);
  expect(set.stderr).toContain("did you mean window?");
  const range = await place.catgen(["run", "all", "--run", "typo", "--input", place.folder, "--set", "window.tokens=12"]);
  expect(range.code).toBe(78);
  expect(range.stderr).toContain("window.tokens");
  const yaml = await place.write("broken.yaml", "filter:\n  - [\n");
  expect((await place.catgen(["run", "all", "--run", "typo", "--input", place.folder, "--recipe", yaml])).stderr).toMatch(
    /broken\.yaml:\d+: no YAML/,
  );
});

test("usage errors exit 64 and say what is expected", async () => {
  for (const [args, words] of [
    [["run", "9", "--run", "x", "--input", place.folder], /expected a stage: 1 to 6/],
    [["run", "all", "--run", "x", "--input", join(place.folder, "absent")], /absent/],
    [["run", "all", "--run", "../x", "--input", place.folder], /run name/],
    [["run", "all", "--run", "x", "--input", place.folder, "--limit", "0"], /--limit/],
    [["status", "--run", "nobody"], /there is no run "nobody".*catgen run all/],
    [["run", "2", "--run", "nobody"], /there is no run "nobody"/],
    [["statsu"], /Did you mean status/],
    [["run", "all", "--run", "x", "--inptu", "y"], /inptu/],
  ] as const) {
    const { code, stderr } = await place.catgen(args);
    expect({ args, code }).toEqual({ args, code: 64 });
    expect(stderr).toMatch(words);
  }
});

test("a read-only runs folder is a clear I/O fault", async () => {
  const input = await place.write("ro/in.jsonl", good);
  const blocked = await place.write("ro/file", "a file where a folder is expected");
  const { code, stderr } = await place.catgen(["run", "all", "--run", "x", "--input", input, "--runs", blocked]);
  expect(code).toBe(74);
  expect(stderr).toMatch(/ENOTDIR|EEXIST/);
});

test("an evaluation set that cannot be read is refused, and does not stay with the run", async () => {
  const broken = await place.write("broken.tsv", "no index\n");
  await place.write("sets/good.jsonl", good);
  const make = (...more: string[]) => place.catgen(["run", "1-5", "--run", "sets", "--quiet", ...more]);
  expect((await make("--input", join(place.folder, "sets"))).code).toBe(0);
  const refused = await make("--set", `evaluation.indexes=[${broken}]`);
  expect(refused.code).toBe(78);
  expect(refused.stderr).toMatch(/broken\.tsv:1: expected an instance id.*index --from ROWS --name NAME --out/);
  expect((await make()).code).toBe(0);
});

test("a run without trajectories says so", async () => {
  await importing({ "NOTES.md": "nothing of an agent" });
  const { stdout } = await place.catgen(["show", "--run", `bad-${runs}`]);
  expect(stdout).toMatch(/has no trajectories; .* catgen status --run bad-/);
});
