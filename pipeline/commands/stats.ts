import { createStatistics } from "../../stages/export/statistics.ts";
import { statsTable } from "../../stages/export/statistics-table.ts";
import { metricsWithoutLast } from "../../stages/lib/last-call.ts";
import { readAllBundles } from "../run/bundles.ts";
import { type CommonOptions, openJudged, print } from "./shared.ts";

/** `catgen stats`: the paper's Table 1 beside the same numbers of this run; of what judging keeps, or of everything with --all. */
export async function statsCommand(options: CommonOptions & { readonly all: boolean }): Promise<number> {
  const run = await openJudged(options);
  const statistics = createStatistics();
  let measured = 0;
  let counted = 0;
  for await (const { metrics, verdict } of readAllBundles(run, ["metrics", "verdict"])) {
    if (metrics?.outcome.ok !== true) continue;
    measured += 1;
    const judged = verdict?.outcome.ok === true ? verdict.outcome.value : null;
    if (!options.all && judged?.context.keep !== true) continue;
    counted += 1;
    const { value } = metrics.outcome;
    statistics.add((options.all || judged?.dropLast == null ? null : metricsWithoutLast(value)) ?? value);
  }
  const stats = statistics.stats();
  print(
    options,
    stats,
    () =>
      `${counted} of ${measured} measured trajectories${options.all ? "" : " (kept by judging; --all counts every one)"}\n\n${statsTable(stats)}`,
  );
  return 0;
}
