import { createStatistics } from "../../stages/export/statistics.ts";
import { statsTable } from "../../stages/export/statistics-table.ts";
import { readAllBundles } from "../run/bundles.ts";
import { openRun } from "../store/run-folder.ts";
import { type CommonOptions, print, runsFolder } from "./shared.ts";

/** `catgen stats`: the paper's Table 1 beside the same numbers of this run; of what judging keeps, or of everything with --all. */
export async function statsCommand(options: CommonOptions & { readonly all: boolean }): Promise<number> {
  const run = await openRun(runsFolder(options.runs), options.run);
  const statistics = createStatistics();
  let measured = 0;
  let counted = 0;
  for await (const { metrics, verdict } of readAllBundles(run, ["metrics", "verdict"])) {
    if (metrics?.outcome.ok !== true) continue;
    measured += 1;
    const kept = verdict?.outcome.ok === true && verdict.outcome.value.context.keep;
    if (!options.all && !kept) continue;
    counted += 1;
    statistics.add(metrics.outcome.value);
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
