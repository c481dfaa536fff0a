import { RunPlan, type StepPlan } from "../../schemas/run-plan.ts";
import { stepKey } from "../keys.ts";
import { type StepInfo, stepNamed } from "../plan.ts";
import { finishedRecords } from "../rollout/records.ts";
import { planAll } from "../run/generate.ts";
import { readInputs } from "../run/inputs.ts";
import { stageShards } from "../run/overview.ts";
import { restsOn } from "../run/state.ts";
import { planCondense } from "./condense-calls.ts";
import { type MissingRows, missingRows, type Unsettled } from "./missing-rows.ts";
import type { PlanPlace } from "./place.ts";
import { planRollouts } from "./rollout-calls.ts";

/** What stage 1 would be given. */
export interface PlanInput {
  readonly paths: readonly string[];
  readonly tasks: readonly string[];
  /** First trajectories, and first live runs, only; null: all. */
  readonly limit: number | null;
  readonly tasksLimit: number | null;
}

async function planFiles({ run, settled }: PlanPlace, { paths, limit }: PlanInput): Promise<NonNullable<StepPlan["input"]>> {
  const old = await readInputs(run);
  const known = new Set(
    old?.stageKey === stepKey("generate", settled).stageKey && old.limit === limit ? old.units.map((unit) => unit.key) : [],
  );
  const sum = { files: 0, bytes: 0, newFiles: 0, newBytes: 0 };
  for (const unit of await planAll({ paths, records: await finishedRecords(run) })) {
    const bytes = unit.files.reduce((total, file) => total + file.bytes, 0);
    sum.files += unit.files.length;
    sum.bytes += bytes;
    if (known.has(unit.key)) continue;
    sum.newFiles += unit.files.length;
    sum.newBytes += bytes;
  }
  return sum;
}

async function planGenerate(place: PlanPlace, given: PlanInput, unsettled: Unsettled): Promise<StepPlan> {
  const { run, settled } = place;
  const { step, name } = stepNamed("generate");
  const input = await planFiles(place, given);
  const live = given.tasks.length === 0 ? null : await planRollouts(place, given.tasks, given.tasksLimit);
  const { manifests, lacks, missing, stale } = await stageShards(run, name, settled);
  const anew = input.newFiles > 0 || missing + stale > 0 || (live !== null && live.tasks.finished < live.tasks.wanted) || !place.exists;
  unsettled.set(name, new Set([...lacks.keys()].filter((shard) => lacks[shard] !== null)));
  return {
    step,
    name,
    rows: { toMake: anew ? null : 0, reusable: manifests.reduce((sum, manifest) => sum + (manifest?.tallies.out ?? 0), 0) },
    upperBound: false,
    waitsFor: [],
    input: input.files === 0 ? null : input,
    tasks: live?.tasks ?? null,
    model: live?.model ?? null,
  };
}

/** A step that sees all shards at once and counts as one row. */
async function planWhole({ run, settled }: PlanPlace, { step, name }: StepInfo, waitsFor: readonly string[]): Promise<StepPlan> {
  const { missing, stale } = await stageShards(run, name, settled);
  const done = run.shards > 0 && missing + stale === 0;
  const upperBound = done && waitsFor.length > 0;
  const toMake = done && !upperBound ? 0 : 1;
  return {
    step,
    name,
    rows: { toMake, reusable: 1 - toMake },
    upperBound,
    waitsFor: [...waitsFor],
    input: null,
    tasks: null,
    model: null,
  };
}

/** Shards of a step that are no part of the plan but may be stale: their rows are nothing to build on. */
async function markUnsettled({ run, settled }: PlanPlace, info: StepInfo, unsettled: Unsettled): Promise<void> {
  if (unsettled.has(info.name)) return;
  const { lacks } = await stageShards(run, info.name, settled);
  unsettled.set(info.name, new Set([...lacks.keys()].filter((shard) => lacks[shard] !== null && lacks[shard]?.kind !== "failures")));
}

const rowsOnly = (info: StepInfo, rows: MissingRows, waitsFor: readonly string[]): StepPlan => ({
  step: info.step,
  name: info.name,
  rows: { toMake: rows.toMake, reusable: rows.reusable },
  upperBound: rows.upperBound,
  waitsFor: [...waitsFor],
  input: null,
  tasks: null,
  model: null,
});

/** One step; those it rests on are planned or looked at before it. */
async function planStep(
  place: PlanPlace,
  info: StepInfo,
  shards: readonly number[],
  given: PlanInput,
  plans: readonly StepPlan[],
  unsettled: Unsettled,
): Promise<StepPlan> {
  if (info.name === "generate") return planGenerate(place, given, unsettled);
  for (const other of restsOn(info)) await markUnsettled(place, other, unsettled);
  const waitsFor = restsOn(info)
    .filter(
      (other) => (unsettled.get(other.name)?.size ?? 0) > 0 || plans.some((plan) => plan.name === other.name && plan.rows.toMake !== 0),
    )
    .map(({ step }) => step);
  if (info.name === "export" || info.name === "select") return planWhole(place, info, waitsFor);
  const { name } = info;
  if (name !== "condense") return rowsOnly(info, await missingRows(place, name, shards, unsettled), waitsFor);
  const { rows, model } = await planCondense(place, shards, unsettled);
  return { ...rowsOnly(info, rows, waitsFor), model };
}

/** What `run` would do, and what it would cost, without doing any of it. */
export async function planRun(place: PlanPlace, steps: readonly StepInfo[], shards: readonly number[], given: PlanInput): Promise<RunPlan> {
  const plans: StepPlan[] = [];
  const unsettled: Unsettled = new Map();
  for (const info of steps) {
    plans.push(await planStep(place, info, shards, given, plans, unsettled));
  }
  return RunPlan.parse({ run: place.run.name, exists: place.exists, condenser: place.settled.condenser, steps: plans });
}
