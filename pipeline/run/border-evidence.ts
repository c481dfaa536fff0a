import type { Border, BorderCase } from "../../schemas/analysis.ts";
import { parts } from "../../schemas/bundle.ts";
import { type CaseSeen, evidenceOf } from "../../stages/filter/analysis/evidence.ts";
import { type Probe, probeOf, thresholds } from "../../stages/filter/analysis/thresholds.ts";
import type { Limits } from "../../stages/filter/filters/filter.ts";
import { type Settled, stepKey } from "../keys.ts";
import { type StepName, stepNamed } from "../plan.ts";
import { readManifest } from "../store/manifests.ts";
import { readOwnRows, readRows, shardOf } from "../store/rows.ts";
import type { RunFolder } from "../store/run-folder.ts";

type TextPart = "trajectory" | "memory" | "metrics";
const writtenBy = { trajectory: "generate", memory: "condense", metrics: "measure" } as const satisfies Record<TextPart, StepName>;

/** Values of a part of one shard, of the wanted ids alone; rejected ones, and those of stages that have not run, are left out. */
async function valuesOf<K extends TextPart>(run: RunFolder, settled: Settled, part: K, shard: number, ids: ReadonlySet<string>) {
  const found = new Map<string, CaseSeen[K]>();
  const { step, name } = stepNamed(writtenBy[part]);
  const manifest = await readManifest(run, step, shard);
  if (manifest === null) return found;
  const today = manifest.stageKey === stepKey(name, settled).stageKey;
  const take = ({ id, outcome }: { id: string; outcome: { ok: true; value: unknown } | { ok: false } }): void => {
    if (ids.has(id) && outcome.ok) found.set(id, outcome.value as CaseSeen[K]);
  };
  if (today) for await (const rows of readOwnRows(run, step, manifest, parts[part])) for (const row of rows) take(row);
  else for await (const row of readRows(run, step, manifest, parts[part])) take(row);
  return found;
}

/** Reads the shards that border cases lie in, one at a time, and gives each case the words and steps that its value comes from. */
export async function withEvidence(run: RunFolder, settled: Settled, limits: Limits, borders: readonly Border[]): Promise<Border[]> {
  const ids = new Set(borders.flatMap(({ passes, fails }) => [...passes, ...fails].map(({ id }) => id)));
  const byShard = new Map<number, Set<string>>();
  for (const id of ids) {
    const shard = shardOf(id, run.shards);
    byShard.set(shard, (byShard.get(shard) ?? new Set()).add(id));
  }
  const probes = new Map<string, Probe>(thresholds.map((threshold) => [threshold.name, probeOf(threshold, limits)]));
  const told = new Map<string, Pick<BorderCase, "call" | "evidence">>();
  const keyOf = (threshold: string, id: string): string => `${threshold} ${id}`;
  for (const [shard, wanted] of [...byShard].sort(([a], [b]) => a - b)) {
    const metrics = await valuesOf(run, settled, "metrics", shard, wanted);
    const memories = await valuesOf(run, settled, "memory", shard, wanted);
    const trajectories = await valuesOf(run, settled, "trajectory", shard, wanted);
    for (const { threshold, passes, fails } of borders)
      for (const { id, value } of [...passes, ...fails]) {
        const [probe, measured] = [probes.get(threshold), metrics.get(id)];
        if (probe === undefined || measured === undefined) continue;
        const seen = { metrics: measured, memory: memories.get(id) ?? null, trajectory: trajectories.get(id) ?? null };
        told.set(keyOf(threshold, id), evidenceOf(probe, seen, value));
      }
  }
  const full = (threshold: string, cases: readonly BorderCase[]): BorderCase[] =>
    cases.map((one) => ({ ...one, ...told.get(keyOf(threshold, one.id)) }));
  return borders.map(({ threshold, limit, passes, fails }) => ({
    threshold,
    limit,
    passes: full(threshold, passes),
    fails: full(threshold, fails),
  }));
}
