import { Fault } from "../../schemas/fault.ts";
import { Stats, StatsAnswer } from "../../schemas/stats.ts";
import { createChainStatistics } from "../../stages/export/chain-statistics.ts";
import { chainTable } from "../../stages/export/chain-table.ts";
import { createFunnel } from "../../stages/export/funnel.ts";
import { funnelPlot } from "../../stages/export/funnel-plot.ts";
import { funnelTable } from "../../stages/export/funnel-table.ts";
import { createStatistics } from "../../stages/export/statistics.ts";
import { statsTable } from "../../stages/export/statistics-table.ts";
import { filters } from "../../stages/filter/filters/index.ts";
import { metricsWithoutLast } from "../../stages/lib/last-call.ts";
import { readAllBundles } from "../run/bundles.ts";
import { exportedStats } from "../run/export.ts";
import { spentBy } from "../run/spent.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { jsonOf, type RunFolder } from "../store/run-folder.ts";
import { svgPath } from "./option-values.ts";
import { type CommonOptions, openJudged, print } from "./shared.ts";

export interface StatsOptions extends CommonOptions {
  /** Count rejected trajectories too. */
  readonly all: boolean;
  /** Where to draw the funnel; undefined: nowhere. */
  readonly plot?: string | undefined;
}

/** What the dataset holds as it lies there; null: there is none, or it was left by another version. */
async function exportedMixtures(run: RunFolder): Promise<Stats["mixtures"]> {
  const text = await exportedStats(run);
  return text === null ? null : (Stats.safeParse(jsonOf(text)).data?.mixtures ?? null);
}

const mixtureLines = (mixtures: Stats["mixtures"]): string =>
  (mixtures ?? [])
    .map(({ name, samples }) => {
      const validation = samples.reduce((sum, one) => sum + one.validation, 0);
      const train = samples.map((one) => `${one.train} ${one.kind}`).join(" + ");
      return `exported    ${name}: ${train}${validation === 0 ? "" : `; ${validation} in validation`}\n`;
    })
    .join("");

/** `catgen stats`: the paper's Table 1 beside the same numbers of this run, and the memory chain's, of what judging keeps or of everything with --all; and the funnel. */
export async function statsCommand(options: StatsOptions): Promise<number> {
  const run = await openJudged(options);
  const statistics = createStatistics();
  const chain = createChainStatistics();
  const funnel = createFunnel(Object.keys(filters));
  let [measured, judged, counted] = [0, 0, 0];
  for await (const bundle of readAllBundles(run, ["detection", "metrics", "verdict", "selection"])) {
    const { id, detection, metrics, verdict, selection } = bundle;
    if (metrics?.outcome.ok !== true) continue;
    const { value } = metrics.outcome;
    const decided = verdict?.outcome.ok === true ? verdict.outcome.value : null;
    measured += 1;
    judged += decided === null ? 0 : 1;
    const leftOut = selection?.outcome.ok === true ? selection.outcome.value.leftOut : null;
    if (decided !== null) funnel.add(id, value, decided, leftOut);
    if (!options.all && (decided?.context.keep !== true || leftOut !== null)) continue;
    counted += 1;
    const left = (options.all || decided?.dropLast == null ? null : metricsWithoutLast(value)) ?? value;
    statistics.add(left);
    chain.add(left, detection?.outcome.ok === true ? detection.outcome.value : null);
  }
  const stats = StatsAnswer.parse({
    ...statistics.stats(judged === 0 ? null : funnel.funnel(await spentBy(run))),
    mixtures: await exportedMixtures(run),
    chain: chain.stats(),
  });
  if (options.plot !== undefined) {
    if (stats.funnel === null)
      throw new Fault(
        "STAGE_INCOMPLETE",
        "stop",
        `run ${run.name} is not judged yet, so there is no funnel to draw; judge it with: catgen run 1-5 --run ${run.name}`,
      );
    await writeTextAtomically(svgPath(options.plot), funnelPlot(stats.funnel));
  }
  const hint = measured === 0 ? `; measure first: catgen run 1-5 --run ${run.name}` : "";
  print(options, stats, () =>
    [
      `${counted} of ${measured} measured trajectories${options.all ? "" : " (kept by judging and selected; --all counts every one)"}${hint}\n\n${statsTable(stats)}\n${chainTable(stats.chain)}`,
      ...(stats.funnel === null ? [] : [funnelTable(stats.funnel)]),
      ...(stats.mixtures === null ? [] : [mixtureLines(stats.mixtures)]),
    ].join("\n"),
  );
  return 0;
}
