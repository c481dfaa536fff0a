import { availableParallelism } from "node:os";
import type { ShardManifest } from "../../schemas/manifest.ts";
import { asksModel, stepKey } from "../keys.ts";
import { type RowStepName, stepNamed } from "../plan.ts";
import { sweepDone } from "../store/leftovers.ts";
import { readManifest, writeKeyMaterial } from "../store/manifests.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { requireFreshInputs } from "./fresh-inputs.ts";
import { lanesFor, makeShards, openQueue } from "./shard-queue.ts";
import { startShardThread } from "./shard-thread.ts";
import { shardState } from "./state.ts";

const add = (a: StepSummary, b: StepSummary): StepSummary => ({
  step: a.step,
  shardsMade: a.shardsMade + b.shardsMade,
  shardsKept: a.shardsKept + b.shardsKept,
  rowsMade: a.rowsMade + b.rowsMade,
  rowsReused: a.rowsReused + b.rowsReused,
  failures: [...a.failures, ...b.failures],
});

/** Runs one row step over the given shards: what is done is kept, the rest is made, row by row reusing what has not changed. */
export async function runStage(context: RunContext, name: RowStepName, shards: readonly number[]): Promise<StepSummary> {
  const { step } = stepNamed(name);
  const { stageKey, material } = stepKey(name, context.settled);
  const todo: number[] = [];
  const kept: ShardManifest[] = [];
  let rows = 0;
  for (const shard of shards) {
    const shardRows = await requireFreshInputs(context, name, shard);
    const state = await shardState(context.run, name, shard, stageKey);
    if (state.lack === null && state.manifest !== null) kept.push(state.manifest);
    else {
      todo.push(shard);
      rows += shardRows;
    }
  }
  let summary: StepSummary = { step, shardsMade: 0, shardsKept: kept.length, rowsMade: 0, rowsReused: 0, failures: [] };
  await sweepDone(context.run, step, kept);
  if (todo.length === 0) return summary;
  await writeKeyMaterial(context.run, step, stageKey, material);
  context.progress.start(step, rows);
  try {
    for (const made of await runShards(context, name, todo)) summary = add(summary, made);
  } finally {
    context.progress.end();
  }
  return summary;
}

/** Records a shard offers at once are few (about 16), so a step that waits for the model works on several shards. */
const recordsPerShard = 8;

/** A worker costs up to a second to start (modules, tokenizer); below this much input per worker one thread is done sooner. */
const bytesPerWorker = { texts: 16 << 20, numbers: 64 << 20 };

/** Threads that are worth having for these shards, this one included. */
async function workersFor(context: RunContext, name: RowStepName, todo: readonly number[]): Promise<number> {
  const wanted = Math.min(context.jobs ?? availableParallelism(), todo.length);
  if (context.jobs !== null || wanted < 2) return wanted;
  const [from, perWorker] =
    name === "judge" ? (["measure", bytesPerWorker.numbers] as const) : (["generate", bytesPerWorker.texts] as const);
  let bytes = 0;
  for (const shard of todo) bytes += (await readManifest(context.run, stepNamed(from).step, shard))?.output.bytes ?? 0;
  return Math.max(1, Math.min(wanted, Math.floor(bytes / perWorker)));
}

/** Shards begun side by side in this thread, and threads beside it. This one works, too: it is there, and a new one takes a second to start. */
async function handsFor(context: RunContext, name: RowStepName, todo: readonly number[]): Promise<{ lanes: number; threads: number }> {
  if (name === "condense" && asksModel(context.settled))
    return { lanes: Math.min(todo.length, Math.ceil(context.recordsAtOnce / recordsPerShard)), threads: 0 };
  return { lanes: lanesFor(name), threads: (await workersFor(context, name, todo)) - 1 };
}

/** Runs shards side by side; the first that breaks lets the others drain, then its error is thrown. */
export async function runShards(context: RunContext, name: RowStepName, todo: readonly number[]): Promise<StepSummary[]> {
  const hands = await handsFor(context, name, todo);
  const breaking = new AbortController();
  const within = { ...context, signal: AbortSignal.any([context.signal, breaking.signal]) };
  const queue = openQueue(todo);
  const made: StepSummary[] = [];
  const keep = (summary: StepSummary): void => void made.push(summary);
  const errors: unknown[] = [];
  const broke = (error: unknown): void => {
    errors.push(error);
    breaking.abort();
  };
  const threads = Array.from({ length: hands.threads }, () => startShardThread(within, name, queue, keep));
  const helped = threads.map(({ done }) => done.catch(broke)); // at once: an error that nobody waits for would end the process
  const own = Array.from({ length: hands.lanes }, () => makeShards(within, name, queue, keep).catch(broke));
  await Promise.all([...helped, ...own]);
  await Promise.all(threads.map((thread) => thread.close()));
  if (errors.length > 0) throw errors[0];
  return made;
}
