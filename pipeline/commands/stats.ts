import { StatsAnswer } from "../../schemas/stats.ts";
import { createChainStatistics } from "../../stages/export/chain-statistics.ts";
import { chainTable } from "../../stages/export/chain-table.ts";
import { createStatistics } from "../../stages/export/statistics.ts";
import { statsTable } from "../../stages/export/statistics-table.ts";
import { readAllBundles } from "../run/bundles.ts";
import { openRun } from "../store/run-folder.ts";
import { type CommonOptions, print, runsFolder } from "./shared.ts";

/** `catgen stats`: the paper's Table 1 beside the same numbers of this run, and the memory chain's; of what judging keeps, or of everything with --all. */
export async function statsCommand(options: CommonOptions & { readonly all: boolean }): Promise<number> {
  const run = await openRun(runsFolder(options.runs), options.run);
  const statistics = createStatistics();
  const chain = createChainStatistics();
  let measured = 0;
  let counted = 0;
  for await (const { detection, metrics, verdict } of readAllBundles(run, ["detection", "metrics", "verdict"])) {
    if (metrics?.outcome.ok !== true) continue;
    measured += 1;
    const kept = verdict?.outcome.ok === true && verdict.outcome.value.context.keep;
    if (!options.all && !kept) continue;
    counted += 1;
    statistics.add(metrics.outcome.value);
    chain.add(metrics.outcome.value, detection?.outcome.ok === true ? detection.outcome.value : null);
  }
  const answer = StatsAnswer.parse({ ...statistics.stats(), chain: chain.stats() });
  const whose = options.all ? "" : " (kept by judging; --all counts every one)";
  print(
    options,
    answer,
    () => `${counted} of ${measured} measured trajectories${whose}\n\n${statsTable(answer)}\n${chainTable(answer.chain)}`,
  );
  return 0;
}
