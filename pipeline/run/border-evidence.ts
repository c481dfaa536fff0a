import type { Border, BorderCase } from "../../schemas/analysis.ts";
import { parts } from "../../schemas/bundle.ts";
import type { Gathered } from "../../stages/filter/analysis/collect.ts";
import { type CaseSeen, evidenceOf } from "../../stages/filter/analysis/evidence.ts";
import type { Probe } from "../../stages/filter/analysis/thresholds.ts";
import { render } from "../../stages/lib/render.ts";
import { type Settled, stepKey } from "../keys.ts";
import { type StepName, stepNamed } from "../plan.ts";
import { readManifest } from "../store/manifests.ts";
import { readOwnRows, readRows, shardOf } from "../store/rows.ts";
import type { RunFolder } from "../store/run-folder.ts";

type TextPart = "trajectory" | "memory";
const writtenBy = { trajectory: "generate", memory: "condense" } as const satisfies Record<TextPart, StepName>;

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

/** Ids of all cases by the shard that they lie in, in order of shards. */
function idsByShard(run: RunFolder, borders: readonly Border[]): [number, Set<string>][] {
  const byShard = new Map<number, Set<string>>();
  for (const { id } of borders.flatMap(({ passes, fails }) => [...passes, ...fails])) {
    const shard = shardOf(id, run.shards);
    byShard.set(shard, (byShard.get(shard) ?? new Set()).add(id));
  }
  return [...byShard].sort(([a], [b]) => a - b);
}

/** As the persona has it, since so it was measured; null: it cannot be rendered. */
function renderedOf(trajectory: CaseSeen["trajectory"], { recipe }: Settled): CaseSeen["rendered"] {
  const rendering = trajectory === null ? null : render(trajectory, recipe.persona);
  return rendering?.ok === true ? rendering.value : null;
}

/** Reads the shards that border cases lie in, one at a time, and gives each case the words and steps that its value comes from. */
export async function withEvidence(
  run: RunFolder,
  settled: Settled,
  { probes: all, borderMetrics }: Pick<Gathered, "probes" | "borderMetrics">,
  borders: readonly Border[],
): Promise<Border[]> {
  const probes = new Map<string, Probe>(all.map((probe) => [probe.threshold.name, probe]));
  const told = borders.map(({ passes, fails, ...border }) => ({ ...border, passes: [...passes], fails: [...fails] }));
  for (const [shard, wanted] of idsByShard(run, borders)) {
    const memories = await valuesOf(run, settled, "memory", shard, wanted);
    const trajectories = await valuesOf(run, settled, "trajectory", shard, wanted);
    const rendered = new Map([...trajectories].map(([id, one]) => [id, renderedOf(one, settled)]));
    const withTexts = (probe: Probe, one: BorderCase): BorderCase => {
      const metrics = borderMetrics.get(one.id);
      if (!wanted.has(one.id) || metrics === undefined) return one;
      const seen = {
        metrics,
        memory: memories.get(one.id) ?? null,
        trajectory: trajectories.get(one.id) ?? null,
        rendered: rendered.get(one.id) ?? null,
      };
      return { ...one, ...evidenceOf(probe, seen, one.value) };
    };
    for (const border of told) {
      const probe = probes.get(border.threshold);
      if (probe === undefined) continue;
      border.passes = border.passes.map((one) => withTexts(probe, one));
      border.fails = border.fails.map((one) => withTexts(probe, one));
    }
  }
  return told;
}
