import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal, readJournals, removeJournals } from "../../../pipeline/store/journal.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-journal-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function values(shard: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const value of readJournals(folder, shard)) found.push(value);
  return found;
}

async function write(shard: number, ...rows: unknown[]): Promise<void> {
  const journal = openJournal(folder, shard, true);
  for (const row of rows) await journal.append(row);
  await journal.close();
}

test("what several writers appended for a shard is read back, and no other shard's", async () => {
  await write(3, { id: "a" }, { id: "b" });
  await write(3, { id: "c\u2028\n" });
  await write(30, { id: "other" });
  expect(new Set((await values(3)).map((value) => JSON.stringify(value)))).toEqual(
    new Set(['{"id":"a"}', '{"id":"b"}', '{"id":"c\u2028\\n"}']),
  );
});

test("rows appended at the same time all arrive, each on its own line", async () => {
  const journal = openJournal(folder, 5, true);
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, text: "x".repeat(20_000) }));
  await Promise.all(rows.map((row) => journal.append(row)));
  await journal.close();
  expect(await values(5)).toEqual(rows);
});

test("a torn last line and a damaged line are skipped, the rest counts", async () => {
  await write(1, { id: "a" }, { id: "b" }, { id: "c" });
  const [name] = await readdir(folder);
  const path = join(folder, name ?? "");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"b"', '"x"'));
  await appendFile(path, '0badc0de {"id":"d"');
  expect(await values(1)).toEqual([{ id: "a" }, { id: "c" }]);
});

test("a writer that wrote nothing leaves no file, and removing journals leaves other shards alone", async () => {
  await write(1);
  expect(await readdir(folder)).toEqual([]);
  await write(1, 1);
  await write(2, 2);
  await removeJournals(folder, 1);
  expect(await values(1)).toEqual([]);
  expect(await values(2)).toEqual([2]);
});
