import { Fault } from "../../schemas/fault.ts";
import type { Tallies } from "../../schemas/manifest.ts";
import { Metrics } from "../../schemas/metrics.ts";
import type { Row } from "../../schemas/row.ts";
import { Selection } from "../../schemas/selection.ts";
import { Verdict } from "../../schemas/verdict.ts";
import { Candidates } from "../../stages/filter/selection/candidates.ts";
import { absentSources } from "../../stages/filter/selection/compose.ts";
import type { SelectParams } from "../../stages/filter/selection/params.ts";
import { selectSet } from "../../stages/filter/selection/select.ts";
import { stepKey } from "../keys.ts";
import { stepNamed } from "../plan.ts";
import { stopIfAsked } from "../stop.ts";
import { sweepDone } from "../store/leftovers.ts";
import { readManifest, readManifests, writeKeyMaterial, writeManifest } from "../store/manifests.ts";
import { openRowsWriter, readOwnRows, removeOldRows } from "../store/rows.ts";
import type { RunFolder } from "../store/run-folder.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { requireAllFresh } from "./fresh-inputs.ts";
import { revOfText, rowKey } from "./row-key.ts";
import { selectStates, selectsFrom, setDigests } from "./select-state.ts";

const { step } = stepNamed("select");

/** Rows of one part of a shard, one by one. */
async function* rowsIn<T extends typeof Metrics | typeof Verdict>(run: RunFolder, from: string, shard: number, value: T) {
  const manifest = await readManifest(run, from, shard);
  if (manifest !== null) for await (const rows of readOwnRows(run, from, manifest, value)) yield* rows;
}

interface Gathered {
  readonly candidates: Candidates;
  /** Of each shard the first of its candidates, and behind the last shard their number. */
  readonly starts: readonly number[];
}

/** One pass over all metrics and verdicts; both are in order of id, and where a record failed it may lack one of them. */
export async function gatherCandidates(
  { run, progress, signal }: Pick<RunContext, "run" | "progress" | "signal">,
  { kinds, seed }: SelectParams,
): Promise<Gathered> {
  const candidates = new Candidates(kinds, seed);
  const starts: number[] = [];
  for (let shard = 0; shard < run.shards; shard += 1) {
    stopIfAsked(signal, `stopped in ${step}`);
    starts.push(candidates.list.length);
    const verdicts = rowsIn(run, selectsFrom.verdict, shard, Verdict);
    let verdict = await verdicts.next();
    for await (const metrics of rowsIn(run, selectsFrom.metrics, shard, Metrics)) {
      while (verdict.done !== true && verdict.value.id < metrics.id) verdict = await verdicts.next();
      if (verdict.done === true) break;
      progress.step();
      const [measured, judged] = [metrics.outcome, verdict.value.outcome];
      if (verdict.value.id === metrics.id && measured.ok && judged.ok)
        candidates.add(metrics.id, measured.value as Metrics, judged.value as Verdict);
    }
    await verdicts.return(undefined);
  }
  return { candidates, starts: [...starts, candidates.list.length] };
}

/** What the set leaves out counts as rejected, by its rule, so that `status` need read no row. */
function talliesOf(selected: readonly Selection[]): Tallies {
  const rejected: Record<string, number> = {};
  for (const { leftOut } of selected) if (leftOut !== null) rejected[leftOut.rule] = (rejected[leftOut.rule] ?? 0) + 1;
  const out = selected.filter(({ leftOut }) => leftOut === null).length;
  return { in: selected.length, out, rejected, quarantined: 0, failed: 0 };
}

/** Publishes one shard's rows and then its manifest. */
async function writeShard(
  { run }: RunContext,
  shard: number,
  stageKey: string,
  inputs: Readonly<Record<string, string>>,
  selected: readonly { readonly id: string; readonly value: Selection }[],
): Promise<void> {
  const started = new Date().toISOString();
  const writer = await openRowsWriter(run, step, shard);
  try {
    const key = rowKey(stageKey, {}); // a row rests on the whole set, which its manifest names: so an equal row has equal bytes
    for (const { id, value } of selected) {
      const outcome = { ok: true as const, value: Selection.parse(value) };
      const text = JSON.stringify(outcome);
      const row: Row<Selection> = { id, key, rev: revOfText(text), from: {}, outcome };
      const writing = writer.write(row, text);
      if (writing !== null) await writing;
    }
    const output = await writer.publish();
    const tallies = talliesOf(selected.map(({ value }) => value));
    await writeManifest(run, step, { stage: "select", shard, stageKey, inputs, output, tallies, failures: [], reusedRows: 0, started });
    await removeOldRows(run, step, shard, output.file);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function requireSources({ candidates }: Gathered, { set }: SelectParams): void {
  const absent = candidates.list.length === 0 ? [] : absentSources(candidates.list, set.mix);
  if (absent.length > 0)
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      `filter.set.mix asks for ${absent.join(", ")}, of which no trajectory is kept; kept ones come from ${[...new Set(candidates.list.map(({ source }) => source))].sort().join(", ")}. Take it out with --set filter.set.mix=..., or see in catgen stats what every filter took of it`,
    );
}

/** The set as a whole: what of all that the verdicts keep is selected, and why the rest is not. One unit, in one row per candidate. */
export async function runSelect(context: RunContext): Promise<StepSummary> {
  const { run, settled, progress } = context;
  await requireAllFresh(context, "select");
  const states = await selectStates(run, settled);
  const summary: StepSummary = { step, shardsMade: 0, shardsKept: run.shards, rowsMade: 0, rowsReused: 0, failures: [] };
  if (states.every(({ lack }) => lack === null)) {
    await sweepDone(
      run,
      step,
      states.flatMap(({ manifest }) => manifest ?? []),
    );
    return summary;
  }
  const { stageKey, material, params } = stepKey("select", settled);
  await writeKeyMaterial(run, step, stageKey, material);
  const inputs = Object.fromEntries(Object.entries(await setDigests(run)).map(([part, digest]) => [part, digest ?? ""]));
  const measured = await readManifests(run, selectsFrom.metrics);
  progress.start(
    step,
    measured.reduce((sum, manifest) => sum + (manifest?.output.rows ?? 0), 0),
  );
  try {
    const gathered = await gatherCandidates(context, params as SelectParams);
    requireSources(gathered, params as SelectParams);
    const { candidates, starts } = gathered;
    const leftOut = selectSet(candidates, params as SelectParams);
    for (let shard = 0; shard < run.shards; shard += 1) {
      const first = starts[shard] ?? 0;
      const mine = candidates.list.slice(first, starts[shard + 1]);
      const selected = mine.map(({ id, standing }, index) => ({ id, value: { standing, leftOut: leftOut[first + index] ?? null } }));
      await writeShard(context, shard, stageKey, inputs, selected);
    }
    return { ...summary, shardsMade: run.shards, shardsKept: 0, rowsMade: candidates.list.length };
  } finally {
    progress.end();
  }
}
