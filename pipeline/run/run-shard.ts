import { type PartName, parts } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import type { ShardManifest, Tallies } from "../../schemas/manifest.ts";
import type { Row } from "../../schemas/row.ts";
import type { Outcome } from "../../stages/stage.ts";
import { stepKey } from "../keys.ts";
import { type AnyOutline, type AnyStage, loadStage, type RowStepName, stepNamed, writerOf } from "../plan.ts";
import { type Journal, openJournal, readJournals, removeJournals } from "../store/journal.ts";
import { readManifest, writeManifest } from "../store/manifests.ts";
import { openRowsWriter, readOwnRows, removeOldRows } from "../store/rows.ts";
import { journalFolder, type RunFolder } from "../store/run-folder.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { type Joined, joinParts } from "./join-parts.ts";
import { revOfText, rowKey } from "./row-key.ts";
import { partsRead } from "./state.ts";

/** `text`: the outcome as it will stand in the file, where it has just been made. */
type Made = { readonly row: Row<unknown>; readonly text?: string } | { readonly failure: ShardManifest["failures"][number] };

/** Rejected early is rejected all the way: the first rejection is passed on with the stage that made it. */
const passedOn = (part: PartName, why: string): string => (why.includes(": ") ? why : `${writerOf(part).name}: ${why}`);

/** A record that failed in an earlier stage of this run; it is made when that one is. */
const waitingCode = "UPSTREAM_FAILED";

interface ShardWork {
  readonly context: RunContext;
  readonly stage: AnyStage;
  readonly params: unknown;
  readonly stageKey: string;
  readonly shard: number;
  readonly known: ReadonlyMap<string, Row<unknown>>;
  /** null: nothing is kept. */
  readonly journal: Journal | null;
}

async function finished(
  { stage, journal }: ShardWork,
  { id, key, from }: Pick<Row<unknown>, "id" | "key" | "from">,
  made: Outcome<unknown>,
): Promise<Made & { readonly reused: false }> {
  const outcome = made.ok ? { ok: true as const, value: parts[stage.writes].parse(made.value) } : { ok: false as const, why: made.why };
  const text = JSON.stringify(outcome);
  const row: Row<unknown> = { id, key, rev: revOfText(text), from, outcome };
  if (journal !== null) await journal.append(row);
  return { row, text, reused: false };
}

async function makeRow(work: ShardWork, joined: Joined): Promise<Made & { readonly reused: boolean }> {
  const { stage, context } = work;
  if (joined.waiting !== null)
    return { failure: { id: joined.id, code: waitingCode, message: `${writerOf(joined.waiting).name} failed for it` }, reused: false };
  const from: Record<string, string> = {};
  for (const [part, row] of joined.rows) from[part] = row.rev;
  const key = rowKey(work.stageKey, from);
  const known = work.known.get(joined.id);
  if (known?.key === key) return { row: known, reused: true };
  const head = { id: joined.id, key, from };
  const input: Record<string, unknown> = {};
  for (const [part, { outcome }] of joined.rows) {
    const needed = stage.reads.includes(part);
    if (needed && !outcome.ok) return finished(work, head, { ok: false, why: passedOn(part, outcome.why) });
    const seen = outcome.ok ? outcome : { ok: false as const, why: passedOn(part, outcome.why) };
    input[part] = needed && outcome.ok ? outcome.value : seen;
  }
  try {
    return await finished(work, head, await stage.run(input as never, work.params as never, context.ports));
  } catch (error) {
    if (!(error instanceof Fault)) throw new Error(`${stage.name} of ${joined.id} (shard ${work.shard})`, { cause: error });
    if (error.remedy === "stop") throw error;
    return { failure: { id: joined.id, code: error.code, message: error.message }, reused: false };
  }
}

/** Works on up to `recordsAtOnce` records and hands the results on in the order of the input. After an abort or a stop nothing new is begun. */
async function* inOrder(work: ShardWork, records: AsyncGenerator<Joined>): AsyncGenerator<Made & { readonly reused: boolean }> {
  const waiting: Promise<{ made: Made & { readonly reused: boolean } } | { error: unknown }>[] = [];
  let stopped: unknown = null;
  const settle = (record: Joined) =>
    makeRow(work, record).then(
      (made) => ({ made }),
      (error: unknown) => {
        stopped ??= error;
        return { error };
      },
    );
  const drained = (): Fault =>
    new Fault("DRAINED", "stop", `stopped in ${work.stage.name}; what was finished is kept, run the same command again to go on`);
  const head = async (): Promise<Made & { readonly reused: boolean }> => {
    const result = await waiting.shift();
    if (result === undefined || "error" in result) {
      await Promise.all(waiting); // what is in flight may finish and reach the journal
      throw stopped ?? result?.error;
    }
    return result.made;
  };
  for await (const record of records) {
    if (stopped === null && work.context.signal.aborted) stopped = drained();
    if (stopped !== null) break;
    waiting.push(settle(record));
    if (waiting.length >= work.context.recordsAtOnce) yield await head();
  }
  while (waiting.length > 0) yield await head();
  if (stopped !== null) throw stopped;
}

/** One tally for a reason wherever it occurred: the row says the step, a table of hundreds of lines would help nobody. */
const count = (tallies: { rejected: Record<string, number> }, reason: string): void => {
  const why = reason.replace(/ at step \d+$/, "");
  tallies.rejected[why] = (tallies.rejected[why] ?? 0) + 1;
};

/** Rows that may be reused: of the published shard and of interrupted attempts. Another stage key means that none can be. */
export async function knownRows(run: RunFolder, stage: AnyOutline, shard: number, stageKey: string): Promise<Map<string, Row<unknown>>> {
  const { step } = writerOf(stage.writes);
  const known = new Map<string, Row<unknown>>();
  const manifest = await readManifest(run, step, shard);
  if (manifest?.stageKey === stageKey) {
    try {
      for await (const rows of readOwnRows(run, step, manifest, parts[stage.writes])) for (const row of rows) known.set(row.id, row);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      known.clear(); // damaged old rows are worth nothing: the shard is made anew
    }
  }
  for await (const value of readJournals(journalFolder(run, step), shard)) {
    const row = value as Row<unknown>;
    known.set(row.id, row);
  }
  return known;
}

/** Rows in progress are kept where making them anew would cost; stitching and judging a shard takes less than keeping them. */
function journalFor(context: RunContext, name: RowStepName, shard: number): Journal | null {
  if (name === "stitch" || name === "judge") return null;
  return openJournal(journalFolder(context.run, stepNamed(name).step), shard, name === "condense");
}

/** Makes one shard of a row step: joins the parts it reads, reuses what has not changed, publishes rows and then the manifest. */
export async function runShard(context: RunContext, name: RowStepName, shard: number): Promise<StepSummary> {
  const stage = await loadStage(name);
  const { step } = stepNamed(name);
  const { params, stageKey } = stepKey(name, context.settled);
  const started = new Date().toISOString();
  const manifests = new Map<PartName, ShardManifest>();
  for (const part of partsRead(name)) {
    const manifest = await readManifest(context.run, writerOf(part).step, shard);
    if (manifest === null) throw new Error(`${name} shard ${shard} was started without ${part}`);
    manifests.set(part, manifest);
  }
  const known = await knownRows(context.run, stage, shard, stageKey);
  const journal = journalFor(context, name, shard);
  const writer = await openRowsWriter(context.run, step, shard);
  const tallies: Tallies = { in: 0, out: 0, rejected: {}, quarantined: 0, failed: 0 };
  const failures: ShardManifest["failures"] = [];
  let reused = 0;
  try {
    for await (const made of inOrder(
      { context, stage, params, stageKey, shard, known, journal },
      joinParts(context, stage, shard, manifests),
    )) {
      tallies.in += 1;
      context.progress.step();
      if ("failure" in made) {
        tallies.failed += 1;
        failures.push(made.failure);
        continue;
      }
      if (made.reused) reused += 1;
      if (made.row.outcome.ok) tallies.out += 1;
      else count(tallies, made.row.outcome.why);
      const writing = writer.write(made.row, made.text);
      if (writing !== null) await writing;
    }
    const inputs = Object.fromEntries([...manifests].map(([part, manifest]) => [part, manifest.output.content]));
    const output = await writer.publish();
    await writeManifest(context.run, step, {
      stage: name,
      shard,
      stageKey,
      inputs,
      output,
      tallies,
      failures,
      reusedRows: reused,
      started,
    });
    await journal?.close();
    await removeOldRows(context.run, step, shard, output.file);
    await removeJournals(journalFolder(context.run, step), shard);
  } catch (error) {
    await writer.discard();
    await journal?.close();
    throw error;
  }
  const broken = failures.filter((failure) => failure.code !== waitingCode);
  return { step, shardsMade: 1, shardsKept: 0, rowsMade: tallies.in - reused - tallies.failed, rowsReused: reused, failures: broken };
}
