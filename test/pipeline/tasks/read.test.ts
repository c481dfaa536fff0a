import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeParquet } from "../../../pipeline/adapters/parquet-writer.ts";
import { readTasks, type TaskEvent } from "../../../pipeline/tasks/read.ts";
import type { ColumnType } from "../../../schemas/columns.ts";
import { rows, sweBenchRow, sweGymRow, sweSmithRow } from "../../stages/generate/tasks/rows.ts";
import { folderWith, jsonLines } from "../import/import-folder.ts";

async function read(paths: readonly string[], maxRecordBytes = 1 << 20): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  for await (const event of readTasks(paths, { maxRecordBytes })) events.push(event);
  return events;
}

/** One line per event: the task's id or the reason, and where. */
const said = (events: readonly TaskEvent[], root: string): string[] =>
  events.map(
    (event) =>
      `${event.file.replace(`${root}/`, "")}#${event.record ?? ""} ${event.ok ? `${event.task.source}/${event.task.instance}` : event.why}`,
  );

const text: ColumnType = { type: "utf8", nullable: true };
const texts: ColumnType = { type: "list", nullable: true, element: text };

/** Rows of texts and lists of texts. */
async function writeTable(path: string, table: readonly Readonly<Record<string, string | readonly string[]>>[]): Promise<void> {
  const columns = Object.entries(table[0] ?? {}).map(([name, value]) => [name, Array.isArray(value) ? texts : text] as const);
  await writeParquet(path, Object.fromEntries(columns), table, { rowGroupBytes: 1 << 20 });
}

const smith = (n: number) => ({ ...sweSmithRow, instance_id: `pydantic__pydantic.acb0f10f.func__${n}` });

test("rows of every packing are read, in the order of names and rows", async () => {
  const root = await folderWith({
    "b/rows.jsonl": jsonLines(smith(1), smith(2)),
    "a.json": JSON.stringify([smith(3), smith(4)]),
    "c.jsonl.gz": gzipSync(jsonLines(smith(5))),
    "d.json": JSON.stringify(sweGymRow),
    "e-lines.json": jsonLines(smith(6), smith(7)),
    "notes.md": "no rows",
    "node_modules/x/package.json": "{}",
    ".git/config.json": "{}",
  });
  await writeTable(join(root, "p.parquet"), [sweBenchRow, { ...sweBenchRow, instance_id: "sqlfluff__sqlfluff-2" }]);
  const events = await read([root]);
  const id = "swe-smith/pydantic__pydantic.acb0f10f.func__";
  expect(said(events, root)).toEqual([
    `a.json#0 ${id}3`,
    `a.json#1 ${id}4`,
    `b/rows.jsonl#0 ${id}1`,
    `b/rows.jsonl#1 ${id}2`,
    `c.jsonl.gz#0 ${id}5`,
    "d.json# swe-gym/getmoto__moto-5406",
    `e-lines.json#0 ${id}6`,
    `e-lines.json#1 ${id}7`,
    "p.parquet#0 swe-bench/sqlfluff__sqlfluff-1625",
    "p.parquet#1 swe-bench/sqlfluff__sqlfluff-2",
  ]);
  expect(await read([root])).toEqual(events);
});

test("a row of a table is the task that the same row is as JSON", async () => {
  const root = await folderWith({ "rows.jsonl": jsonLines(sweSmithRow) });
  await writeTable(join(root, "rows.parquet"), [sweSmithRow]);
  const [fromJson] = await read([join(root, "rows.jsonl")]);
  const [fromTable] = await read([join(root, "rows.parquet")]);
  expect(fromTable?.ok).toBe(true);
  expect(fromTable?.ok && fromTable.task).toEqual(fromJson?.ok && fromJson.task);
});

test("broken rows are refused one by one, with file and row, and the rest is read", async () => {
  const root = await folderWith({
    "rows.jsonl": `${jsonLines(smith(1))}{"instance_id": \n\n${jsonLines({ ...smith(2), FAIL_TO_PASS: [] }, { ...smith(3), hints_text: "x".repeat(5000) }, smith(4))}`,
  });
  const lines = said(await read([root], 4000), root);
  expect(lines).toHaveLength(5);
  expect(lines[1]).toMatch(/^rows\.jsonl#1 the JSON text ends too early/);
  expect(lines[2]).toMatch(/^rows\.jsonl#2 swe-smith: FAIL_TO_PASS: expected at least one test/);
  expect(lines[3]).toMatch(/^rows\.jsonl#3 a row of \d+ bytes, more than the limit of 4000$/);
  expect(lines[4]).toMatch(/func__4$/);
});

test("damaged files, empty files and other files are refused, and what was read before the damage stays", async () => {
  const many = Array.from({ length: 400 }, (_, n) => ({ ...smith(n), hints_text: String(Math.sin(n)).repeat(600) }));
  const packed = gzipSync(jsonLines(...many));
  const root = await folderWith({
    "cut.jsonl.gz": packed.subarray(0, packed.length - 400),
    "empty.jsonl": "",
    "broken.json": "[1, ",
    "large.json": JSON.stringify([{ ...smith(900), hints_text: "x".repeat(60_000) }]),
    "table.parquet": "PAR1 no table",
    "notes.md": "no rows",
    "x.zst": "no zstd",
  });
  const lines = said(await read([root, join(root, "notes.md")], 50_000), root);
  const cut = lines.filter((line) => line.startsWith("cut.jsonl.gz"));
  expect(cut.length).toBeGreaterThan(50);
  expect(cut.at(-1)).toMatch(/damaged file, read as far as possible: unexpected end of file/);
  expect(lines.filter((line) => !line.startsWith("cut."))).toEqual([
    expect.stringMatching(/^broken\.json# the JSON text ends too early/),
    "empty.jsonl# an empty file",
    expect.stringMatching(/^large\.json# a JSON file of \d+ bytes, more than the limit of 50000: write one row per line/),
    expect.stringMatching(/^table\.parquet#0 damaged file, read as far as possible: expected a whole Parquet file/),
    expect.stringMatching(/^notes\.md# not a kind of file that holds tasks/),
  ]);
});

test("the same instance a second time is a duplicate, named with its first place; a file given twice is read once", async () => {
  const root = await folderWith({ "a.jsonl": jsonLines(smith(1), smith(1)), "b.json": JSON.stringify(smith(1)) });
  const lines = said(await read([root, join(root, "a.jsonl"), root]), root);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^a\.jsonl#1 .* is a duplicate: it was read before from .*a\.jsonl record 0$/);
  expect(lines[2]).toMatch(/^b\.json# .* is a duplicate/);
});

test("a path that is not there is a fault that names it", async () => {
  await expect(read(["/nowhere/tasks"])).rejects.toMatchObject({
    code: "INPUT_MISSING",
    message: expect.stringContaining("/nowhere/tasks"),
  });
  await expect(read(["/nowhere/task.yaml"])).rejects.toMatchObject({ code: "INPUT_MISSING" });
});

describe("task folders", () => {
  const yaml = (tree: string): string =>
    `id: sums\ntitle: Sums\nproblem: wrong\ntree: ${tree}\nneeds: [node]\ntests: { command: node --test, log: node-test, failToPass: [a] }\n`;

  test("are found at any depth, with their tree made absolute and the files of tests/ at the paths they have there", async () => {
    const root = await folderWith({
      "projects/sums/index.js": "1",
      "tasks/deep/sums/task.yaml": yaml("../../../projects/sums"),
      "tasks/deep/sums/tests/test/hidden/b.test.js": "b",
      "tasks/deep/sums/tests/a.test.js": "\uFEFFa",
      "tasks/deep/sums/rows.jsonl": "below a task.yaml nothing is looked at",
    });
    const [event, ...rest] = await read([join(root, "tasks")]);
    expect(rest).toEqual([]);
    expect(event).toMatchObject({
      ok: true,
      needs: ["node"],
      file: join(root, "tasks/deep/sums/task.yaml"),
      record: null,
      task: {
        environment: { kind: "tree", folder: join(root, "projects/sums") },
        workdir: "/workspace/sums",
        tests: {
          files: [
            { path: "a.test.js", content: "a" },
            { path: "test/hidden/b.test.js", content: "b" },
          ],
        },
      },
    });
    expect(await read([join(root, "tasks/deep/sums/task.yaml")])).toEqual([event]);
  });

  test("that are broken say how", async () => {
    const root = await folderWith({
      "tasks/1-tree/task.yaml": yaml("../../nowhere"),
      "tasks/2-file/task.yaml": yaml("task.yaml"),
      "tasks/3-empty/task.yaml": yaml("tree"),
      "tasks/4-yaml/task.yaml": "id: a\n  b: [\n",
      "tasks/5-binary/task.yaml": yaml("../../ok"),
      "tasks/5-binary/tests/a.bin": Buffer.from([0xff, 0xfe, 0x80]),
      "tasks/6-link/task.yaml": yaml("../../ok"),
      "tasks/6-link/tests/a.js": "a",
      "tasks/7-list/task.yaml": "- 1\n",
      "tasks/8-huge/task.yaml": yaml("../../ok"),
      "tasks/8-huge/tests/a.js": "a".repeat(3000),
      "ok/a.js": "1",
    });
    await mkdir(join(root, "tasks/3-empty/tree"));
    await symlink("/etc/passwd", join(root, "tasks/6-link/tests/b.js"));
    const lines = said(await read([join(root, "tasks")], 2000), join(root, "tasks"));
    const expected = [
      /^1-tree.*tree: expected a folder at .*nowhere, got nothing$/,
      /^2-file.*tree: expected a folder at .*task\.yaml, got a file$/,
      /^3-empty.*tree: expected a repository at .*, got an empty folder$/,
      /^4-yaml.*line \d: no YAML/,
      /^5-binary.*tests\/a\.bin: expected UTF-8 text/,
      /^6-link.*tests\/b\.js: expected a regular file, got a link/,
      /^7-list.*folder: task\.yaml: /,
      /^8-huge.*tests\/: more than the limit of \d+ bytes$/,
    ];
    expect(lines).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(lines[index]).toMatch(pattern);
  });
});

test("every kind of row in one file keeps its kind", async () => {
  const { folder: _, ...table } = rows;
  const root = await folderWith({ "all.jsonl": jsonLines(...Object.values(table)) });
  expect((await read([root])).map((event) => event.ok && event.task.source)).toEqual(Object.keys(table));
});
