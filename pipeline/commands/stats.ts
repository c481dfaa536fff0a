import { resolve } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { createFunnel } from "../../stages/export/funnel.ts";
import { funnelPlot } from "../../stages/export/funnel-plot.ts";
import { funnelTable } from "../../stages/export/funnel-table.ts";
import { createStatistics } from "../../stages/export/statistics.ts";
import { statsTable } from "../../stages/export/statistics-table.ts";
import { filters } from "../../stages/filter/filters/index.ts";
import { metricsWithoutLast } from "../../stages/lib/last-call.ts";
import { readAllBundles } from "../run/bundles.ts";
import { spentBy } from "../run/spent.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { type CommonOptions, openJudged, print } from "./shared.ts";

export interface StatsOptions extends CommonOptions {
  /** Count rejected trajectories too. */
  readonly all: boolean;
  /** Where to draw the funnel; undefined: nowhere. */
  readonly plot?: string | undefined;
}

/** `catgen stats`: the paper's Table 1 beside the same numbers of this run, of what judging keeps or of everything with --all; and the funnel. */
export async function statsCommand(options: StatsOptions): Promise<number> {
  const run = await openJudged(options);
  const statistics = createStatistics();
  const funnel = createFunnel(Object.keys(filters));
  let [measured, judged, counted] = [0, 0, 0];
  for await (const { id, metrics, verdict } of readAllBundles(run, ["metrics", "verdict"])) {
    if (metrics?.outcome.ok !== true) continue;
    const { value } = metrics.outcome;
    const decided = verdict?.outcome.ok === true ? verdict.outcome.value : null;
    measured += 1;
    judged += decided === null ? 0 : 1;
    if (decided !== null) funnel.add(id, value, decided);
    if (!options.all && decided?.context.keep !== true) continue;
    counted += 1;
    statistics.add((options.all || decided?.dropLast == null ? null : metricsWithoutLast(value)) ?? value);
  }
  const stats = statistics.stats(judged === 0 ? null : funnel.funnel(await spentBy(run)));
  if (options.plot !== undefined) {
    if (stats.funnel === null)
      throw new Fault(
        "STAGE_INCOMPLETE",
        "stop",
        `run ${run.name} is not judged yet, so there is no funnel to draw; judge it with: catgen run 1-5 --run ${run.name}`,
      );
    await writeTextAtomically(resolve(options.plot), funnelPlot(stats.funnel));
  }
  const hint = measured === 0 ? `; measure first: catgen run 1-5 --run ${run.name}` : "";
  print(options, stats, () =>
    [
      `${counted} of ${measured} measured trajectories${options.all ? "" : " (kept by judging; --all counts every one)"}${hint}\n\n${statsTable(stats)}`,
      ...(stats.funnel === null ? [] : [funnelTable(stats.funnel)]),
    ].join("\n"),
  );
  return 0;
}
