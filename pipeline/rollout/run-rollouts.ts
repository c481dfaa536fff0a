import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import PQueue from "p-queue";
import { Fault } from "../../schemas/fault.ts";
import type { RolloutsFile } from "../../schemas/rollouts.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import type { Prediction } from "../../schemas/verification.ts";
import { loadTaskLists } from "../contamination/load.ts";
import { costOf } from "../llm/budget.ts";
import type { RunContext } from "../run/context.ts";
import { writeAtomically } from "../store/atomic.ts";
import type { RunFolder } from "../store/run-folder.ts";

import { oneRollout, type RolloutWorld, requireTask } from "./one-rollout.ts";
import { openPlaces, type Places } from "./places.ts";
import { predictionsFolder, readRecord, readRollouts, summaryOf, writeRollouts } from "./records.ts";
import { type WantedOptions, type WantedRollout, wantedRollouts } from "./wanted.ts";

export interface RolloutRequest {
  readonly paths: readonly string[];
  /** First runs only; null: all. */
  readonly limit: number | null;
}

export interface RolloutSummary {
  readonly made: number;
  readonly kept: number;
  /** Tasks that are not worked on; `status` says of each why. */
  readonly leftOut: number;
  readonly failures: RolloutsFile["failed"];
}

type Account = { -readonly [K in keyof RolloutsFile]: RolloutsFile[K] };

export interface Survey {
  readonly account: Account;
  /** Names of runs of tasks that this machine cannot work on. */
  readonly beyond: ReadonlySet<string>;
  /** What is lacking, and the tasks that it costs. */
  readonly lacking: ReadonlyMap<string, readonly string[]>;
}

/** Says of each thing that is lacking which tasks it costs. */
function sayLeftOut({ progress }: RunContext, lacking: ReadonlyMap<string, readonly string[]>): void {
  for (const [why, ids] of lacking) {
    const named = `${ids.slice(0, 3).join(", ")}${ids.length > 3 ? ", ..." : ""}`;
    progress.say(`note:   ${ids.length} ${ids.length === 1 ? "task is" : "tasks are"} left out (${named}): ${why}`);
  }
}

/**
 * First pass: which runs are wanted, and which of those are done. Keeps of each no more than its name. Only a task with work left is
 * asked what it takes: what is finished stays, also where it could not be made again. Without `places` nothing is asked.
 */
export async function survey(
  run: RunFolder,
  request: RolloutRequest,
  options: WantedOptions,
  before: RolloutsFile | null,
  places: Places | null,
): Promise<Survey> {
  const beyond = new Set<string>();
  const lacking = new Map<string, string[]>();
  const account: Account = {
    format: "catgen.rollouts/1",
    paths: [...request.paths],
    limit: request.limit,
    tasks: 0,
    wanted: 0,
    leftOut: [],
    failed: [],
    finished: {},
  };
  for await (const news of wantedRollouts(request.paths, options)) {
    if (news.kind === "left-out") {
      const { kind: _, ...leftOut } = news;
      account.leftOut.push(leftOut);
      continue;
    }
    const open: string[] = [];
    for (const { name } of news.rollouts) {
      if (request.limit !== null && account.wanted + open.length >= request.limit) continue;
      const record = await readRecord(run, name); // not the account's word: the file may be gone
      if (record === null) open.push(name);
      else {
        account.wanted += 1;
        account.finished[name] = before?.finished[name] ?? summaryOf(record);
      }
    }
    const [rollout] = news.rollouts;
    const why = open.length === 0 || rollout === undefined ? null : ((await places?.lacks(rollout.task, news.needs)) ?? null);
    if (why === null || rollout === undefined) {
      account.tasks += 1;
      account.wanted += open.length;
    } else {
      for (const name of open) beyond.add(name);
      lacking.set(why, [...(lacking.get(why) ?? []), rollout.task.instance]);
      account.leftOut.push({ file: news.file, record: news.record, why });
    }
  }
  const fault = places?.missing() ?? null;
  if (account.wanted === 0 && fault !== null) throw fault;
  return { account, beyond, lacking };
}

const million = (tokens: number): string => (tokens < 1e6 ? `${Math.round(tokens / 1e3)}k` : `${(tokens / 1e6).toFixed(1)}M`);

/** How the runs are getting on, for the eyes. */
function createBoard(context: RunContext, account: Account) {
  const resolved = (): number => Object.values(account.finished).filter((one) => one.verification === "resolved").length;
  let running = 0;
  let tokens = 0;
  let cost = 0;
  return {
    turn: (tokensIn: number | null, tokensOut: number | null): void => {
      tokens += (tokensIn ?? 0) + (tokensOut ?? 0);
      cost += costOf(context.settled.endpoint, tokensIn ?? 0, tokensOut ?? 0)?.amount ?? 0;
    },
    began: (): void => {
      running += 1;
    },
    ended: (name: string): void => {
      running -= 1;
      const total = `${Object.keys(account.finished).length} finished, ${resolved()} resolved, ${running} running`;
      context.progress.step(
        `${total}${tokens > 0 ? `, ${million(tokens)} tokens` : ""}${cost > 0 ? `, ${cost.toFixed(2)} ${context.settled.endpoint.budget.currency}` : ""}, ${name}`,
      );
    },
  };
}

/** Faults of one task or sandbox leave the others alone; what concerns all stops all. */
const isOwn = (error: unknown): error is Fault => error instanceof Fault && (error.remedy === "skip" || error.code === "SANDBOX_BROKEN");

async function work(
  context: RunContext,
  request: RolloutRequest,
  options: WantedOptions,
  { account, beyond }: Survey,
  { kindFor }: Places,
): Promise<number> {
  const { rollout } = context.settled.recipe.generate;
  const queue = new PQueue({ concurrency: context.jobs ?? rollout.atOnce });
  const breaking = new AbortController();
  const signal = AbortSignal.any([context.signal, breaking.signal]);
  const board = createBoard(context, account);
  const errors: unknown[] = [];
  let made = 0;
  let seen = 0;

  async function one(wanted: WantedRollout, checked: Promise<void>): Promise<void> {
    board.began();
    try {
      await checked;
      const { run, settled, ports } = context;
      const world: RolloutWorld = {
        run,
        settled,
        kind: await kindFor(wanted.task),
        signal,
        countTokens: ports.countTokens,
        onTurn: (turn) => board.turn(turn.tokensIn, turn.tokensOut),
      };
      account.finished[wanted.name] = summaryOf(await oneRollout(wanted, world));
      made += 1;
    } catch (error) {
      if (isOwn(error)) account.failed.push({ id: wanted.name, code: error.code, message: error.message });
      else {
        errors.push(error);
        breaking.abort();
      }
    }
    board.ended(wanted.name);
  }

  const check = async (task: TaskInstance): Promise<void> => {
    if (!rollout.checkTasks || !rollout.verify) return;
    const { run, settled, ports } = context;
    await requireTask(task, { run, settled, kind: await kindFor(task), signal, countTokens: ports.countTokens, onTurn: () => undefined });
  };

  const begin = async (): Promise<void> => {
    for await (const news of wantedRollouts(request.paths, options)) {
      if (news.kind === "left-out") continue;
      let checked: Promise<void> | null = null;
      for (const wanted of news.rollouts) {
        if (beyond.has(wanted.name)) continue;
        if (signal.aborted || (request.limit !== null && seen >= request.limit)) return;
        seen += 1;
        if (account.finished[wanted.name] !== undefined) continue;
        await queue.onSizeLessThan(1);
        void queue.add(async () => {
          if (signal.aborted) return;
          checked ??= check(wanted.task);
          await one(wanted, checked);
        });
      }
    }
  };
  try {
    await begin();
  } catch (error) {
    breaking.abort(); // what runs has sandboxes to take down
    throw error;
  } finally {
    await queue.onIdle();
  }
  if (errors.length > 0) throw errors[0];
  if (context.signal.aborted)
    throw new Fault("DRAINED", "stop", "stopped while rolling out; what was finished is kept, run again to go on");
  return made;
}

const sampleFile = (sample: number): string => `sample-${sample}.jsonl`;

/** Predictions for the official harness, one file per sample: it keeps one patch per instance and file. */
async function writePredictions({ run }: RunContext, { finished }: Account): Promise<void> {
  const folder = predictionsFolder(run);
  const samples = new Set(Object.values(finished).map(({ sample }) => sample));
  const files = new Set([...samples].map(sampleFile));
  for (const stale of (await readdir(folder).catch(() => [])).filter((name) => !files.has(name))) await rm(join(folder, stale));
  if (samples.size > 0) await mkdir(folder, { recursive: true });
  for (const sample of samples)
    await writeAtomically(join(folder, sampleFile(sample)), async (file) => {
      for (const name of Object.keys(finished).sort()) {
        const record = finished[name]?.sample === sample ? await readRecord(run, name) : null;
        if (record === null) continue;
        const { instance, model, end } = record;
        const prediction: Prediction = { instance_id: instance, model_name_or_path: model, model_patch: end.patch ?? "" };
        await file.write(`${JSON.stringify(prediction)}\n`);
      }
    });
}

const namesOf = (account: RolloutsFile | null): string =>
  Object.keys(account?.finished ?? {})
    .sort()
    .join("\n");

/** Stage 1 live: rolls out what is missing. Every finished run has its record on disk, whatever happens next. */
export async function runRollouts(context: RunContext, request: RolloutRequest): Promise<RolloutSummary> {
  const lists = await loadTaskLists(context.settled.recipe);
  const options = { settled: context.settled, lists, complete: context.ports.complete };
  const before = await readRollouts(context.run);
  const places = openPlaces(context);
  const surveyed = await survey(context.run, request, options, before, places);
  sayLeftOut(context, surveyed.lacking);
  const { account } = surveyed;
  const kept = Object.keys(account.finished).length;
  const sorted = (): Account => ({
    ...account,
    failed: account.failed.toSorted((left, right) => (left.id < right.id ? -1 : 1)), // they came in the order in which they ended
    finished: Object.fromEntries(Object.entries(account.finished).sort(([a], [b]) => (a < b ? -1 : 1))),
  });
  context.progress.start("rollouts", account.wanted - kept);
  try {
    const made = account.wanted === kept ? 0 : await work(context, request, options, surveyed, places);
    return { made, kept, leftOut: account.leftOut.length, failures: sorted().failed };
  } finally {
    context.progress.end();
    if (namesOf(account) !== namesOf(before)) await writePredictions(context, account); // before the account, which says that it was done
    await writeRollouts(context.run, sorted());
  }
}
