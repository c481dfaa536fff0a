import { Worker } from "node:worker_threads";
import { Fault } from "../../schemas/fault.ts";
import type { RowStepName } from "../plan.ts";
import type { RunContext, StepSummary } from "./context.ts";
import type { ShardQueue } from "./shard-queue.ts";
import type { FromWorker, WorkerTask } from "./shard-worker.ts";

/** A thread that makes shards of a queue. It reads and writes its own files, so that nothing but tallies is sent. */
export interface ShardThread {
  /** Resolves when the queue is empty. */
  readonly done: Promise<void>;
  close(): Promise<void>;
}

export function startShardThread(
  context: RunContext,
  name: RowStepName,
  queue: ShardQueue,
  made: (summary: StepSummary) => void,
): ShardThread {
  const task: WorkerTask = { run: context.run, settled: context.settled, name, queue };
  const worker = new Worker(new URL("shard-worker.mjs", import.meta.url), { workerData: task, execArgv: [] });
  const drain = (): void => worker.postMessage("drain");
  context.signal.addEventListener("abort", drain, { once: true });
  if (context.signal.aborted) drain();
  const done = new Promise<void>((resolve, reject) => {
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "rows") for (let row = 0; row < message.count; row += 1) context.progress.step();
      else if (message.kind === "made") made(message.summary);
      else if (message.kind === "done") resolve();
      else if (message.kind === "fault") reject(new Fault(message.code, message.remedy, message.message));
      else reject(new Error(message.message));
    });
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`a thread of ${name} ended with ${code}`)));
  });
  return {
    done,
    close: async () => {
      context.signal.removeEventListener("abort", drain);
      await worker.terminate(); // a promise that is settled stays as it is
    },
  };
}
