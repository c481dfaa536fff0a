import { appendFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Rollout } from "../../schemas/rollout.ts";
import { type FinishedRollout, RolloutsFile } from "../../schemas/rollouts.ts";
import { systemFault, writeTextAtomically } from "../store/atomic.ts";
import { jsonOf, type RunFolder, readTextIfThere } from "../store/run-folder.ts";
import { opened, sealed } from "../store/seal.ts";

/** Live runs of a run folder: finished records, notes on those under way, and the account of all. */
const rolloutsFolder = (run: RunFolder): string => join(run.root, "rollouts");
const openFolder = (run: RunFolder): string => join(rolloutsFolder(run), "open");
const accountPath = (run: RunFolder): string => join(rolloutsFolder(run), "account.json");
export const recordPath = (run: RunFolder, name: string): string => join(rolloutsFolder(run), "done", `${name}.json`);
export const predictionsFolder = (run: RunFolder): string => join(rolloutsFolder(run), "predictions");

/** null: there are no live runs, or another version wrote the account. */
export async function readRollouts(run: RunFolder): Promise<RolloutsFile | null> {
  const text = await readTextIfThere(accountPath(run));
  return text === null ? null : (RolloutsFile.safeParse(opened(text)).data ?? null);
}

/** Records of the runs wanted now, for import. */
export const finishedRecords = async (run: RunFolder): Promise<string[]> =>
  Object.keys((await readRollouts(run))?.finished ?? {}).map((name) => recordPath(run, name));

export async function writeRollouts(run: RunFolder, account: RolloutsFile): Promise<void> {
  await mkdir(rolloutsFolder(run), { recursive: true });
  await writeTextAtomically(accountPath(run), sealed(account));
}

export async function readRecord(run: RunFolder, name: string): Promise<Rollout | null> {
  const text = await readTextIfThere(recordPath(run, name));
  return text === null ? null : (Rollout.safeParse(jsonOf(text)).data ?? null); // damaged: the run is rolled out again, from cached replies
}

export async function writeRecord(run: RunFolder, name: string, record: Rollout): Promise<void> {
  await mkdir(join(rolloutsFolder(run), "done"), { recursive: true });
  await writeTextAtomically(recordPath(run, name), `${JSON.stringify(record)}\n`);
  await rm(join(openFolder(run), name), { force: true });
}

export const summaryOf = ({ source, instance, sample, end, turns, verification }: Rollout): FinishedRollout => ({
  source,
  instance,
  sample,
  exit: end.exit,
  steps: turns.length,
  verification: verification?.status ?? null,
});

/**
 * What earlier tries of a run had seen, one digest per turn. Its replies come from the cache as long as all observations stay equal; the notes
 * tell whether they did.
 */
export interface Notes {
  /** True when this turn is another than that of some earlier try. */
  add(turn: number, digest: string): Promise<boolean>;
}

/** A line is `<turn> <digest>`. Lines are only added: a try that ends early takes away nothing of what others had seen. */
export async function openNotes(run: RunFolder, name: string): Promise<Notes> {
  const path = join(openFolder(run), name);
  await mkdir(openFolder(run), { recursive: true });
  const seen = new Map<number, Set<string>>();
  for (const line of ((await readTextIfThere(path)) ?? "").split("\n")) {
    const [, turn, digest] = /^(\d+) ([0-9a-f]{64})$/.exec(line) ?? []; // the last line may be torn
    if (digest !== undefined) seen.set(Number(turn), (seen.get(Number(turn)) ?? new Set()).add(digest));
  }
  return {
    add: async (turn, digest) => {
      const before = seen.get(turn);
      if (before?.has(digest) !== true)
        await appendFile(path, `\n${turn} ${digest}\n`).catch((error: unknown) => {
          throw systemFault(error);
        });
      return before !== undefined && (before.size > 1 || !before.has(digest));
    },
  };
}
