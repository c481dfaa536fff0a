import type { RowStepName } from "../plan.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { runShard } from "./run-shard.ts";

/** Shards to make, and how many of them somebody has taken: one number in memory that all threads share, so that none waits to be told. */
export interface ShardQueue {
  readonly shards: readonly number[];
  readonly taken: Int32Array;
}

export const openQueue = (shards: readonly number[]): ShardQueue => ({ shards, taken: new Int32Array(new SharedArrayBuffer(4)) });

const take = ({ shards, taken }: ShardQueue): number | undefined => shards[Atomics.add(taken, 0, 1)];

/** Shards that a computing thread has begun at a time: judging one is done so soon that a disk still flushes it when the next could be. */
export const lanesFor = (name: RowStepName): number => (name === "judge" ? 2 : 1);

/** Makes shards as long as there are any; after an abort the first that is begun throws. */
export async function makeShards(
  context: RunContext,
  name: RowStepName,
  queue: ShardQueue,
  made: (summary: StepSummary) => void,
): Promise<void> {
  for (let shard = take(queue); shard !== undefined; shard = take(queue)) made(await runShard(context, name, shard));
}
