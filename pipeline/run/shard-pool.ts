import { Worker } from "node:worker_threads";
import { Fault } from "../../schemas/fault.ts";
import type { RowStepName } from "../plan.ts";
import type { RunContext, StepSummary } from "./context.ts";
import type { FromWorker, WorkerTask } from "./shard-worker.ts";

/** Threads that make shards. Each reads and writes its own files, so that nothing but a shard's number and its tallies is sent. */
export interface ShardPool {
  readonly atOnce: number;
  run(shard: number): Promise<StepSummary>;
  close(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  busy: { readonly resolve: (summary: StepSummary) => void; readonly reject: (error: unknown) => void } | null;
}

function received(thread: Thread, context: RunContext, message: FromWorker): void {
  if (message.kind === "rows") {
    for (let row = 0; row < message.count; row += 1) context.progress.step();
    return;
  }
  const { busy } = thread;
  thread.busy = null;
  if (message.kind === "done") busy?.resolve(message.summary);
  else if (message.kind === "fault") busy?.reject(new Fault(message.code, message.remedy, message.message));
  else busy?.reject(new Error(message.message));
}

function start(context: RunContext, name: RowStepName): Thread {
  const task: WorkerTask = { run: context.run, settled: context.settled, name };
  const worker = new Worker(new URL("shard-worker.mjs", import.meta.url), { workerData: task, execArgv: [] });
  const thread: Thread = { worker, busy: null };
  const died = (error: unknown): void => {
    thread.busy?.reject(error);
    thread.busy = null;
  };
  worker.on("message", (message: FromWorker) => received(thread, context, message));
  worker.on("error", died);
  worker.on("exit", (code) => died(new Error(`a worker of ${name} ended with ${code}`)));
  return thread;
}

export function openShardPool(context: RunContext, name: RowStepName, size: number): ShardPool {
  const threads = Array.from({ length: size }, () => start(context, name));
  const drain = (): void => {
    for (const { worker } of threads) worker.postMessage({ kind: "drain" });
  };
  context.signal.addEventListener("abort", drain, { once: true });
  if (context.signal.aborted) drain();
  return {
    atOnce: size,
    run: (shard) =>
      new Promise((resolve, reject) => {
        const free = threads.find((thread) => thread.busy === null);
        if (free === undefined) throw new Error("more shards at once than workers");
        free.busy = { resolve, reject };
        free.worker.postMessage({ kind: "shard", shard });
      }),
    close: async () => {
      context.signal.removeEventListener("abort", drain);
      for (const { worker } of threads) worker.removeAllListeners("exit");
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}
