import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { digestOf } from "../../../pipeline/store/digest.ts";
import { readKeyMaterial, readManifest, writeKeyMaterial, writeManifest } from "../../../pipeline/store/manifests.ts";
import { createRun, keyPath, manifestPath, openRun, type RunFolder, readTextIfThere } from "../../../pipeline/store/run-folder.ts";

let folder = "";
let run: RunFolder;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-manifests-"));
  run = await createRun(folder, "r", 3);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const digest = digestOf("anything");
const publish = (shard: number) =>
  writeManifest(run, "2-detect", {
    stage: "detect",
    shard,
    stageKey: digest,
    inputs: { trajectory: digest },
    output: { file: "x.jsonl", sha256: digest, content: digest, bytes: 10, rows: 1 },
    tallies: { in: 1, out: 1, rejected: {}, quarantined: 0, failed: 0 },
    failures: [],
    reusedRows: 0,
    started: "2026-01-01T00:00:00.000Z",
  });

test("a manifest in which any byte has changed is refused, and a whole one is read", async () => {
  await publish(1);
  const path = manifestPath(run, "2-detect", 1);
  const whole = await readFile(path);
  for (let at = 0; at < whole.length; at += 1) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(path, bytes);
    await expect(readManifest(run, "2-detect", 1), `byte ${at}`).rejects.toMatchObject({ code: "ROWS_CORRUPT" });
  }
  await writeFile(path, whole);
  expect(await readManifest(run, "2-detect", 1)).toMatchObject({ shard: 1, of: 3 });
});

test("a manifest from before there were seals is read as it is", async () => {
  const manifest = await publish(0);
  await writeFile(manifestPath(run, "2-detect", 0), JSON.stringify(manifest, null, 1));
  expect(await readManifest(run, "2-detect", 0)).toEqual(manifest);
});

test("a manifest in another shard's place is refused", async () => {
  await publish(0);
  await rename(manifestPath(run, "2-detect", 0), manifestPath(run, "2-detect", 2));
  await expect(readManifest(run, "2-detect", 2)).rejects.toMatchObject({
    code: "ROWS_CORRUPT",
    message: expect.stringContaining("shard 0 of 3, expected shard 2 of 3"),
  });
});

test("damaged key material counts as unknown and is written anew", async () => {
  const material = { stage: "detect", version: 1, tokenizer: null, params: {} };
  await writeKeyMaterial(run, "2-detect", digest, material);
  await writeFile(keyPath(run, "2-detect", digest), "{");
  expect(await readKeyMaterial(run, "2-detect", digest)).toBeNull();
  await writeKeyMaterial(run, "2-detect", digest, material);
  expect(await readKeyMaterial(run, "2-detect", digest)).toEqual(material);
});

test("of several that create a run at once all get the number of shards of the first", async () => {
  const made = await Promise.all([2, 3, 5, 7].map((shards) => createRun(folder, "raced", shards)));
  expect(new Set(made.map(({ shards }) => shards)).size).toBe(1);
});

test("a damaged run file is a fault that says what to do", async () => {
  await writeFile(join(run.root, "run.json"), '{"format": "catgen');
  await expect(openRun(folder, "r")).rejects.toMatchObject({ code: "RUN_MISMATCH" });
});

test("what cannot be read is a fault, what is not there is null", async () => {
  expect(await readTextIfThere(join(folder, "nothing"))).toBeNull();
  await expect(readTextIfThere(folder)).rejects.toMatchObject({ code: "IO", message: expect.stringContaining("EISDIR") });
});
