import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { BatchRead, BatchWritten } from "../../schemas/batch.ts";
import { Fault, faultCodes } from "../../schemas/fault.ts";
import { openTokenizer } from "../adapters/model-tokenizer.ts";
import { createRecorder } from "../batch/recorder.ts";
import { checkResults } from "../batch/results.ts";
import { takeIn } from "../batch/take-in.ts";
import { openSettled, openWave, readWaves, type Waves } from "../batch/waves.ts";
import { evaluationPort } from "../contamination/load.ts";
import type { Settled } from "../keys.ts";
import { checkEndpoint } from "../llm/endpoint.ts";
import { type Ledger, openLedger } from "../llm/ledger.ts";
import { fileMemo } from "../llm/negotiate.ts";
import { openReplies, type Replies } from "../llm/replies.ts";
import { shardsIn } from "../plan.ts";
import type { RunContext, StepSummary } from "../run/context.ts";
import { runStage } from "../run/run-stage.ts";
import { stepStates } from "../run/state.ts";
import { sha256 } from "../store/digest.ts";
import { lockRun } from "../store/lock.ts";
import { isThere, ledgerFolder, type RunFolder } from "../store/run-folder.ts";
import { type CommonOptions, cacheFolder, openWithRecipe, print, progressFor, rememberEndpoint, runsFolder } from "./shared.ts";
import { drainOnSignals } from "./world.ts";

export interface BatchWriteOptions extends CommonOptions {
  readonly file: string;
  /** Write requests anew whose results have not been read. */
  readonly again: boolean;
  readonly shards: string | undefined;
}
export interface BatchReadOptions extends CommonOptions {
  readonly files: readonly string[];
}

interface Desk {
  readonly replies: Replies;
  readonly ledger: Ledger;
}

async function withDesk<T>(run: RunFolder, options: CommonOptions, work: (desk: Desk) => Promise<T>): Promise<T> {
  const writer = randomBytes(8).toString("hex");
  const replies = openReplies(cacheFolder(runsFolder(options.runs)), writer);
  const ledger = await openLedger(ledgerFolder(run), writer);
  try {
    return await work({ replies, ledger });
  } finally {
    await Promise.all([replies.close(), ledger.close()]);
  }
}

function requireModel({ condenser, endpoint }: Settled): void {
  if (condenser !== "llm")
    throw new Fault(
      "ENDPOINT_MISSING",
      "stop",
      "a batch needs a model: set CATGEN_MODEL, and CATGEN_BASE_URL to where it is (or will be) served; both are part of the memories' keys",
    );
  checkEndpoint(endpoint);
}

async function requireNew({ open }: Waves, { file, again, run }: BatchWriteOptions): Promise<void> {
  if (await isThere(resolve(file))) throw new Fault("USAGE", "stop", `${file} exists already; give another name`);
  if (open.length > 0 && !again)
    throw new Fault(
      "USAGE",
      "stop",
      `${open.length} requests of earlier batches have no result yet: read them with \`catgen batch read --run ${run} RESULTS\`, or give --again to ask them once more (and perhaps pay twice)`,
    );
}

/** Limits of OpenAI's Batch API per file; others have their own. */
const openAiLimits = { requests: 50_000, bytes: 200_000_000 };

function writtenText({ run, file, wave, requests, bytes, tokensIn, mostTokensOut, done, waiting, failed }: BatchWritten): string {
  const failures = failed.length === 0 ? [] : [`${failed.length} records failed, the first: ${failed[0]?.id}: ${failed[0]?.message}`];
  if (file === null) return [`run ${run}: nothing to ask, ${done} records of stage 3 are done`, ...failures].join("\n");
  const large = requests > openAiLimits.requests || bytes > openAiLimits.bytes;
  return [
    `wave ${wave}: ${requests} requests in ${file} (${(bytes / 1e6).toFixed(1)} MB, ${tokensIn} tokens in, at most ${mostTokensOut} out); ${done} records done, ${waiting} wait for them`,
    ...(large ? ["note: OpenAI takes at most 50,000 requests and 200 MB in one file; write fewer at once with --shards"] : []),
    ...failures,
    `next: run it, for instance \`vllm run-batch -i ${file} -o RESULTS --model MODEL\`, then: catgen batch read --run ${run} RESULTS`,
  ].join("\n");
}

async function outcomes(run: RunFolder, settled: Settled): Promise<{ done: number; waiting: number }> {
  let [done, waiting] = [0, 0];
  for (const { manifest } of await stepStates(run, "condense", settled)) {
    done += (manifest?.tallies.in ?? 0) - (manifest?.tallies.failed ?? 0);
    waiting += (manifest?.failures ?? []).filter(({ code }) => code === "BATCH_WAITING").length;
  }
  return { done, waiting };
}

/** `catgen batch write`: runs stage 3 on what is known, and writes what it had to ask into a file. */
export async function batchWriteCommand(options: BatchWriteOptions): Promise<number> {
  const { run, settled } = await openWithRecipe(options);
  requireModel(settled);
  const release = await lockRun(run.root);
  const progress = progressFor(options);
  const drain = drainOnSignals((text) => progress.say(text));
  try {
    const waves = await readWaves(run);
    await requireNew(waves, options);
    const written = await withDesk(run, options, async ({ replies, ledger }) => {
      const { endpoint: settings, tokenizer } = settled;
      const { countTokens } = await openTokenizer(tokenizer);
      const draft = await openWave(run, waves.last + 1, resolve(options.file));
      let summary: StepSummary;
      const recorder = createRecorder({
        settings,
        replies,
        ledger,
        memo: fileMemo(run.root, settings),
        waves,
        draft,
        countTokens,
      });
      try {
        const ports = { complete: recorder.complete, countTokens, digest: sha256, evaluationSets: evaluationPort(settled) };
        const context: RunContext = { run, settled, ports, progress, signal: drain.signal, jobs: 1, recordsAtOnce: 1 };
        summary = await runStage(context, "condense", shardsIn(options.shards, run.shards));
        if (recorder.written.requests > 0) await draft.publish();
        else await draft.discard();
      } catch (error) {
        await draft.discard();
        throw error;
      }
      return { requests: recorder.written, failed: summary.failures.filter(({ code }) => code !== "BATCH_WAITING") };
    });
    await rememberEndpoint(run, settled);
    const nothing = written.requests.requests === 0;
    const answer = BatchWritten.parse({
      run: run.name,
      file: nothing ? null : resolve(options.file),
      wave: waves.last + (nothing ? 0 : 1),
      ...written.requests,
      ...(await outcomes(run, settled)),
      failed: written.failed,
    });
    print(options, answer, () => writtenText(answer));
    return answer.failed.length === 0 ? 0 : faultCodes.DATA_ERRORS.exit;
  } finally {
    drain.stop();
    await release();
  }
}

function readText({ run, answered, refused, failed, known, open, problems, tokensIn, tokensOut, cost }: BatchRead): string {
  const price = cost === null ? "" : `, ${cost.amount.toFixed(4)} ${cost.currency}`;
  return [
    `run ${run}: ${answered} replies kept, ${refused} requests refused, ${failed} not usable (asked again by the next wave), ${known} read before; ${tokensIn} tokens in, ${tokensOut} out${price}`,
    ...problems.map(({ label, outcome, detail }) => `  ${label}: ${outcome}: ${detail}`),
    open > 0
      ? `${open} requests have no result yet: read the other files too (OpenAI writes errors into one of their own), or ask again with: catgen batch write --run ${run} --again FILE`
      : `next: catgen batch write --run ${run} FILE for the following wave, or catgen run 3 --run ${run} to go on online`,
  ].join("\n");
}

/** `catgen batch read`: takes the results of a batch in, as if they had come over the wire. */
export async function batchReadCommand(options: BatchReadOptions): Promise<number> {
  const { run, settled } = await openWithRecipe(options);
  const release = await lockRun(run.root);
  try {
    for (const file of options.files)
      if (!(await isThere(resolve(file)))) throw new Fault("INPUT_MISSING", "stop", `there is no file ${file}`);
    const paths = options.files.map((file) => resolve(file));
    const waves = await readWaves(run);
    if (waves.last === 0)
      throw new Fault("USAGE", "stop", `run ${run.name} has written no batch; write one with: catgen batch write --run ${run.name} FILE`);
    await checkResults(paths, waves);
    const taken = await withDesk(run, options, async ({ replies, ledger }) => {
      const { endpoint: settings, tokenizer } = settled;
      const { countTokens } = await openTokenizer(tokenizer);
      const done = openSettled(run);
      try {
        return await takeIn(
          { settings, replies, ledger, memo: fileMemo(run.root, settings), waves, settled: done, countTokens, now: Date.now },
          paths,
        );
      } finally {
        await done.close();
      }
    });
    const answer = BatchRead.parse({ run: run.name, ...taken, open: (await readWaves(run)).open.length });
    print(options, answer, () => readText(answer));
    return answer.failed === 0 ? 0 : faultCodes.REPLY_INVALID.exit;
  } finally {
    await release();
  }
}
