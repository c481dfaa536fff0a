import type { PartName } from "../../schemas/bundle.ts";
import type { ShardManifest } from "../../schemas/manifest.ts";
import { stepKey } from "../keys.ts";
import { outlineOf, type RowStepName, type StepName, writerOf } from "../plan.ts";
import { type Joined, joinParts } from "../run/join-parts.ts";
import { rowKey } from "../run/row-key.ts";
import { knownRows } from "../run/run-shard.ts";
import { partsRead, shardState } from "../run/state.ts";
import { readManifest } from "../store/manifests.ts";
import type { PlanPlace } from "./place.ts";

/** Shards of the steps planned so far whose rows may still change. */
export type Unsettled = Map<StepName, Set<number>>;

export interface MissingRows {
  /** null: not even the number of records is known. */
  readonly toMake: number | null;
  readonly reusable: number;
  readonly upperBound: boolean;
  /** Of `toMake`: rows that wait for an earlier step, so that nothing more is known of them. */
  readonly waiting: number;
}

async function manifestsRead({ run }: PlanPlace, name: RowStepName, shard: number): Promise<Map<PartName, ShardManifest>> {
  const manifests = new Map<PartName, ShardManifest>();
  for (const part of partsRead(name)) {
    const manifest = await readManifest(run, writerOf(part).step, shard);
    if (manifest !== null) manifests.set(part, manifest);
  }
  return manifests;
}

/** Earlier steps whose rows of this shard may still change. */
const unsettledBelow = (name: RowStepName, shard: number, unsettled: Unsettled): boolean =>
  partsRead(name).some((part) => unsettled.get(writerOf(part).name)?.has(shard) === true);

/** The rows of one shard that the next run would make; `visit` sees each of them with what it rests on. */
async function missingInShard(
  place: PlanPlace,
  name: RowStepName,
  shard: number,
  unsettled: Unsettled,
  visit: (joined: Joined) => Promise<void>,
): Promise<MissingRows> {
  const { run, settled } = place;
  const { stageKey } = stepKey(name, settled);
  const records = (await readManifest(run, writerOf("trajectory").step, shard))?.output.rows ?? null;
  if (records === null) return { toMake: null, reusable: 0, upperBound: false, waiting: 0 };
  if (unsettledBelow(name, shard, unsettled)) return { toMake: records, reusable: 0, upperBound: true, waiting: records };
  const state = await shardState(run, name, shard, stageKey);
  if (state.lack === null) return { toMake: 0, reusable: state.manifest?.output.rows ?? 0, upperBound: false, waiting: 0 };
  const known = await knownRows(run, outlineOf(name), shard, stageKey);
  const rows = { toMake: 0, reusable: 0, upperBound: false, waiting: 0 };
  for await (const joined of joinParts(place, outlineOf(name), shard, await manifestsRead(place, name, shard))) {
    const from = Object.fromEntries([...joined.rows].map(([part, row]) => [part, row.rev]));
    if (joined.waiting === null && known.get(joined.id)?.key === rowKey(stageKey, from)) {
      rows.reusable += 1;
      continue;
    }
    rows.toMake += 1;
    if (joined.waiting === null) await visit(joined);
    else rows.waiting += 1;
  }
  return rows;
}

const plus = (a: MissingRows, b: MissingRows): MissingRows => ({
  toMake: a.toMake === null || b.toMake === null ? null : a.toMake + b.toMake,
  reusable: a.reusable + b.reusable,
  upperBound: a.upperBound || b.upperBound,
  waiting: a.waiting + b.waiting,
});

/** What a row step would make, by row keys as the run itself reckons; marks the step's shards that are not settled. */
export async function missingRows(
  place: PlanPlace,
  name: RowStepName,
  shards: readonly number[],
  unsettled: Unsettled,
  visit: (joined: Joined) => Promise<void> = async () => undefined,
): Promise<MissingRows> {
  const own = new Set<number>();
  unsettled.set(name, own);
  let sum: MissingRows = { toMake: shards.length === 0 ? null : 0, reusable: 0, upperBound: false, waiting: 0 };
  for (const shard of shards) {
    const rows = await missingInShard(place, name, shard, unsettled, visit);
    if (rows.toMake !== 0) own.add(shard);
    sum = plus(sum, rows);
  }
  return sum;
}
