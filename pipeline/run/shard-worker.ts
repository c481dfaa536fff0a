import { parentPort, workerData } from "node:worker_threads";
import { Fault, type FaultCode, type Remedy } from "../../schemas/fault.ts";
import { openTokenizer } from "../adapters/model-tokenizer.ts";
import { evaluationPort } from "../contamination/load.ts";
import type { Settled } from "../keys.ts";
import type { RowStepName } from "../plan.ts";
import { silentProgress } from "../progress.ts";
import { systemFault } from "../store/atomic.ts";
import { sha256 } from "../store/digest.ts";
import type { RunFolder } from "../store/run-folder.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { lanesFor, makeShards, type ShardQueue } from "./shard-queue.ts";

export interface WorkerTask {
  readonly run: RunFolder;
  readonly settled: Settled;
  readonly name: RowStepName;
  readonly queue: ShardQueue;
}
export type FromWorker =
  | { readonly kind: "rows"; readonly count: number }
  | { readonly kind: "made"; readonly summary: StepSummary }
  | { readonly kind: "done" }
  | { readonly kind: "fault"; readonly code: FaultCode; readonly remedy: Remedy; readonly message: string }
  | { readonly kind: "bug"; readonly message: string };

const port = parentPort;
if (port === null) throw new Error("this is the code of a worker thread");
const { run, settled, name, queue } = workerData as WorkerTask;
const send = (message: FromWorker): void => port.postMessage(message);
const draining = new AbortController();

/** Progress is for eyes: a message for every row would cost more than judging it. */
const rowsPerMessage = 64;
let rowsDone = 0;
const sendRows = (): void => {
  if (rowsDone > 0) send({ kind: "rows", count: rowsDone });
  rowsDone = 0;
};
const stepped = (): void => {
  rowsDone += 1;
  if (rowsDone >= rowsPerMessage || name !== "judge") sendRows();
};

const context: RunContext = {
  run,
  settled,
  ports: {
    complete: () => Promise.reject(new Error("steps that ask the model run in the main thread")),
    countTokens: (await openTokenizer(settled.tokenizer)).countTokens,
    digest: sha256,
    evaluationSets: evaluationPort(settled),
  },
  progress: { ...silentProgress, step: stepped },
  signal: draining.signal,
  jobs: 1,
  recordsAtOnce: 1,
};

const told = (error: unknown): FromWorker =>
  error instanceof Fault
    ? { kind: "fault", code: error.code, remedy: error.remedy, message: error.message }
    : {
        kind: "bug",
        message:
          error instanceof Error
            ? `${error.stack}${error.cause instanceof Error ? `\ncaused by: ${error.cause.stack}` : ""}`
            : String(error),
      };

port.on("message", () => draining.abort()); // there is but one message
const made = (summary: StepSummary): void => {
  sendRows();
  send({ kind: "made", summary });
};
const lanes = Array.from({ length: lanesFor(name) }, () =>
  makeShards(context, name, queue, made).catch((error: unknown) => {
    draining.abort();
    throw error;
  }),
);
Promise.allSettled(lanes)
  .then(() => Promise.all(lanes))
  .then(
    () => send({ kind: "done" }),
    (error: unknown) => send(told(systemFault(error))),
  );
