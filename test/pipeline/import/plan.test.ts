import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planInputs } from "../../../pipeline/import/plan.ts";
import { readFacts } from "../../../pipeline/import/read.ts";
import { defaults, digest, folderWith, importAll, jsonLines, row } from "./import-folder.ts";

test("every file is in one unit, sorted by name, hidden ones too, and only .git is left out", async () => {
  const folder = await folderWith({
    "b/x.jsonl": "",
    ".hidden": "h",
    "a.json": "{}",
    ".git/config": "g",
    "node_modules/p/package.json": "{}",
  });
  const units = await planInputs([folder]);
  expect(units.map((unit) => unit.files.map((file) => file.name))).toEqual([
    [".hidden"],
    ["a.json"],
    ["b/x.jsonl"],
    ["node_modules/p/package.json"],
  ]);
  expect(units[1]?.files[0]).toMatchObject({ bytes: 2, sha256: digest("{}"), path: join(folder, "a.json"), problem: null });
});

test("the same files give the same keys, another content gives another", async () => {
  const [one, two, three] = await Promise.all([
    folderWith({ "a.json": "1" }),
    folderWith({ "a.json": "1" }),
    folderWith({ "a.json": "2" }),
  ]);
  const key = async (path: string) => (await planInputs([path]))[0]?.key;
  expect(await key(one)).toBe(await key(two));
  expect(await key(one)).not.toBe(await key(three));
});

test("a path that does not exist stops the import and is named", async () => {
  const folder = await folderWith({});
  await expect(planInputs([join(folder, "nowhere")])).rejects.toMatchObject({
    code: "INPUT_MISSING",
    message: expect.stringContaining(join(folder, "nowhere")),
  });
});

test("links that go in circles end, and links that lead nowhere are accounted for", async () => {
  const folder = await folderWith({ "runs/a.jsonl": jsonLines(row("a")) });
  await symlink(folder, join(folder, "runs/back"));
  await symlink(join(folder, "gone"), join(folder, "dangling.json"));
  const { reports } = await importAll([folder]);
  expect(reports.map(({ file, disposition, why }) => [file, disposition, why])).toEqual([
    ["dangling.json", "refused", "a link that leads nowhere"],
    ["runs/a.jsonl", "imported", null],
  ]);
});

test("the event files of a conversation are one unit in the order of their numbers, and so are the logged calls of a run", async () => {
  const folder = await folderWith({
    "c/events/event-00010-b.json": "{}",
    "c/events/event-00002-a.json": "{}",
    "c/base_state.json": "{}",
    "d/model-1733340876.49.json": "{}",
    "d/model-1733340868.9.json": "{}",
    "e/model-1733340868.9.json": "{}",
  });
  const units = await planInputs([folder]);
  expect(units.map((unit) => [unit.kind, unit.files.map((file) => file.name)])).toEqual([
    ["file", ["c/base_state.json"]],
    ["events", ["c/events/event-00002-a.json", "c/events/event-00010-b.json"]],
    ["completions", ["d/model-1733340868.9.json", "d/model-1733340876.49.json"]],
    ["file", ["e/model-1733340868.9.json"]],
  ]);
});

test("a file given on its own and inside a folder is planned once", async () => {
  const folder = await folderWith({ "a.jsonl": jsonLines(row("a")), "b.jsonl": jsonLines(row("b")) });
  const units = await planInputs([join(folder, "a.jsonl"), folder]);
  expect(units.flatMap((unit) => unit.files.map((file) => file.name))).toEqual(["a.jsonl", "b.jsonl"]);
});

test("two files of one name keep apart", async () => {
  const folder = await folderWith({ "a/x.jsonl": jsonLines(row("a")), "b/x.jsonl": jsonLines(row("b")) });
  const units = await planInputs([join(folder, "a/x.jsonl"), join(folder, "b/x.jsonl")]);
  expect(units.flatMap((unit) => unit.files.map((file) => file.name))).toEqual(["x.jsonl", "x~2.jsonl"]);
});

test("with several folders names start with the folder, so that a report of one says nothing about the other's runs", async () => {
  const files = { "run.jsonl": jsonLines(row("a__b-1")) };
  const judged = await folderWith({
    "runs/run.jsonl": files["run.jsonl"],
    "runs/report.json": '{"a__b-1": {"resolved": true, "tests_status": {}}}',
  });
  const unjudged = await folderWith({ "runs/run.jsonl": files["run.jsonl"] });
  const { runs } = await importAll([join(judged, "runs"), join(unjudged, "runs")]);
  expect(runs.map((run) => [run.origin.file, run.outcome.resolved])).toEqual([
    ["runs/run.jsonl", true],
    ["runs~2/run.jsonl", null],
  ]);
});

test("reports are known by their beginning, wherever they lie, and runs are not read for facts", async () => {
  const folder = await folderWith({
    "model.run.json": '{"total_instances": 1, "resolved_instances": 1, "resolved_ids": ["a__b-1"]}',
    "runs.jsonl": jsonLines(row("a__b-1", "x", { resolved: false })),
  });
  const units = await planInputs([folder]);
  expect(units.filter((unit) => unit.mayHoldFacts).map((unit) => unit.files[0]?.name)).toEqual(["model.run.json"]);
  expect(await readFacts(units, defaults)).toMatchObject([{ instance: "a__b-1", resolved: true, scope: "" }]);
});
