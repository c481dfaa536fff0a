import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sha256 } from "../../../pipeline/store/digest.ts";
import { openRowsWriter, readOwnRows } from "../../../pipeline/store/rows.ts";
import { createRun, type RunFolder, rowsFolder } from "../../../pipeline/store/run-folder.ts";
import type { ShardManifest } from "../../../schemas/manifest.ts";
import type { Row } from "../../../schemas/row.ts";

let folder: string;
let run: RunFolder;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-rows-"));
  run = await createRun(folder, "rows", 4);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = (number: number, value: string): Row<unknown> => ({
  id: `made/task-${String(number).padStart(4, "0")}/0123456789ab`,
  key: sha256(`key ${number}`),
  rev: sha256(value),
  from: { trajectory: sha256(`from ${number}`) },
  outcome: { ok: true, value },
});

async function written(shard: number, rows: readonly Row<unknown>[]): Promise<ShardManifest["output"]> {
  const writer = await openRowsWriter(run, "5-judge", shard);
  for (const [index, one] of rows.entries()) await writer.write(one, index % 2 === 0 ? JSON.stringify(one.outcome) : undefined);
  return writer.publish();
}

async function read(output: ShardManifest["output"]): Promise<Row<string>[]> {
  const rows: Row<string>[] = [];
  for await (const some of readOwnRows(run, "5-judge", { output } as ShardManifest, z.string())) rows.push(...some);
  return rows;
}

/** Short ones, some that fill the writer's buffer to the brim, and some longer than it. */
const lengths = [10, 340_000, 5, 349_000, 349_300, 1, 1 << 20, 3 << 20, 20];

for (const [name, letter] of [
  ["ASCII", "x"],
  ["three bytes", "中"],
  ["four bytes", "🫠"],
] as const)
  test(`rows of ${name}, of every length, stand in the file as they are and are read back equal`, async () => {
    const rows = lengths.map((length, index) => row(index, letter.repeat(length / letter.length)));
    const output = await written(0, rows);
    const bytes = await readFile(join(rowsFolder(run, "5-judge"), output.file));
    expect(bytes.toString("utf8") === rows.map((one) => `${JSON.stringify(one)}\n`).join("")).toBe(true);
    expect(output).toMatchObject({ bytes: bytes.length, rows: rows.length, sha256: sha256(bytes) });
    expect(output.content).toBe(sha256(rows.map(({ id, rev }) => `${id} ${rev}\n`).join("")));
    expect(JSON.stringify(await read(output)) === JSON.stringify(rows)).toBe(true);
  });

test("rows that do not ascend are a bug", async () => {
  await expect(written(1, [row(2, "b"), row(1, "a")])).rejects.toThrow("must ascend");
});

test("a file that differs from its digest in one byte is read strictly, and refused", async () => {
  const output = await written(2, [row(1, "a"), row(2, "b")]);
  await expect(read({ ...output, sha256: sha256("other") })).rejects.toThrow("expected sha256");
});
