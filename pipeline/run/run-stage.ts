import { availableParallelism } from "node:os";
import PQueue from "p-queue";
import type { ShardManifest } from "../../schemas/manifest.ts";
import { stepKey } from "../keys.ts";
import { type RowStepName, stepNamed } from "../plan.ts";
import { sweepDone } from "../store/leftovers.ts";
import { readManifest, writeKeyMaterial } from "../store/manifests.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { requireFreshInputs } from "./fresh-inputs.ts";
import { runShard } from "./run-shard.ts";
import { openShardPool } from "./shard-pool.ts";
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

/** Threads that are worth having for these shards: none while the step waits for the model, whose calls one thread can keep in flight. */
async function workersFor(context: RunContext, name: RowStepName, todo: readonly number[]): Promise<number> {
  const wanted = Math.min(context.jobs ?? availableParallelism(), todo.length);
  if (context.jobs !== null || wanted < 2) return wanted;
  const [from, perWorker] =
    name === "judge" ? (["measure", bytesPerWorker.numbers] as const) : (["generate", bytesPerWorker.texts] as const);
  let bytes = 0;
  for (const shard of todo) bytes += (await readManifest(context.run, stepNamed(from).step, shard))?.output.bytes ?? 0;
  return Math.max(1, Math.min(wanted, Math.floor(bytes / perWorker)));
}

interface Hands {
  readonly atOnce: number;
  run(shard: number): Promise<StepSummary>;
  close(): Promise<void>;
}

async function handsFor(context: RunContext, name: RowStepName, todo: readonly number[]): Promise<Hands> {
  const here = (atOnce: number): Hands => ({ atOnce, run: (shard) => runShard(context, name, shard), close: async () => undefined });
  if (name === "condense" && context.settled.condenser === "llm") return here(Math.ceil(context.recordsAtOnce / recordsPerShard));
  const workers = await workersFor(context, name, todo);
  return workers > 1 ? openShardPool(context, name, workers) : here(1);
}

/** Runs shards side by side; the first that breaks lets the others drain, then its error is thrown. */
async function runShards(context: RunContext, name: RowStepName, todo: readonly number[]): Promise<StepSummary[]> {
  const breaking = new AbortController();
  const hands = await handsFor({ ...context, signal: AbortSignal.any([context.signal, breaking.signal]) }, name, todo);
  const queue = new PQueue({ concurrency: hands.atOnce });
  const errors: unknown[] = [];
  const made: StepSummary[] = [];
  try {
    for (const shard of todo) {
      await queue.onSizeLessThan(queue.concurrency);
      if (errors.length > 0) break;
      queue.add(async () => {
        try {
          made.push(await hands.run(shard));
        } catch (error) {
          errors.push(error);
          breaking.abort();
        }
      });
    }
    await queue.onIdle();
  } finally {
    await hands.close();
  }
  if (errors.length > 0) throw errors[0];
  return made;
}
