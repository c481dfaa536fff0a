import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepDone, sweepTemporaries } from "../../../pipeline/store/leftovers.ts";
import type { RunFolder } from "../../../pipeline/store/run-folder.ts";
import type { ShardManifest } from "../../../schemas/manifest.ts";

let run: RunFolder;
beforeEach(async () => {
  run = { name: "r", root: await mkdtemp(join(tmpdir(), "catgen-leftovers-")), shards: 3, verdict: null };
});
afterEach(() => rm(run.root, { recursive: true, force: true }));

async function put(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(run.root, name, ".."), { recursive: true });
    await writeFile(join(run.root, name), "");
  }
}
const files = async (): Promise<string[]> =>
  (await readdir(run.root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);

test("beside a published shard only the rows that its manifest names are left, and no journal", async () => {
  await put("stages/s/rows/00000-old.jsonl", "stages/s/rows/00000-new.jsonl", "stages/s/rows/00001-mine.jsonl");
  await put("stages/s/journal/00000.1-a.jsonl", "stages/s/journal/00001.1-a.jsonl");
  await sweepDone(run, "s", [{ shard: 0, output: { file: "00000-new.jsonl" } } as ShardManifest]);
  expect((await files()).sort()).toEqual(["00000-new.jsonl", "00001-mine.jsonl", "00001.1-a.jsonl"]);
});

test("temporary files are swept from every folder of a run", async () => {
  const folders = ["", "stages/s", "stages/s/rows", "stages/s/manifests", "stages/s/journal", "stages/s/keys", "stages/s/quarantine"];
  await put(...folders.flatMap((folder) => [join(folder, "x.tmp-1-abcdef12"), join(folder, "kept.json")]));
  await sweepTemporaries(run, ["s"]);
  expect(new Set(await files())).toEqual(new Set(["kept.json"]));
  expect(await files()).toHaveLength(folders.length);
});
