import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ShardManifest } from "../../schemas/manifest.ts";
import { removeTemporaries } from "./atomic.ts";
import { journalFolder, namesIn, type RunFolder, rowsFolder, shardName, stageFolder } from "./run-folder.ts";

/** Removes temporary files of processes that were killed; only the owner of the run lock may call it. */
export async function sweepTemporaries(run: RunFolder, steps: readonly string[]): Promise<void> {
  await removeTemporaries(run.root);
  for (const folder of ["", "done", "predictions"]) await removeTemporaries(join(run.root, "rollouts", folder));
  for (const step of steps) {
    await removeTemporaries(stageFolder(run, step));
    for (const folder of ["rows", "manifests", "journal", "keys", "quarantine"])
      await removeTemporaries(join(stageFolder(run, step), folder));
  }
}

/** Removes what a process killed right after it published a manifest has left beside it: the rows it replaced, and journals. */
export async function sweepDone(run: RunFolder, step: string, done: readonly ShardManifest[]): Promise<void> {
  const named = new Map(done.map(({ shard, output }) => [shardName(shard), output.file]));
  const sweep = async (folder: string, isLeft: (name: string) => boolean): Promise<void> => {
    for (const name of await namesIn(folder)) if (isLeft(name)) await rm(join(folder, name), { force: true });
  };
  const shardIn = (name: string): string => name.slice(0, shardName(0).length);
  await sweep(rowsFolder(run, step), (name) => (named.get(shardIn(name)) ?? name) !== name);
  await sweep(journalFolder(run, step), (name) => named.has(shardIn(name)));
}
