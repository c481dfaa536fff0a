import { join, relative } from "node:path";
import { runsFolder } from "../../pipeline/commands/shared.ts";
import { showCommand } from "../../pipeline/commands/show.ts";
import { statsCommand } from "../../pipeline/commands/stats.ts";
import { readAllBundles } from "../../pipeline/run/bundles.ts";
import { exportFolder, openRun } from "../../pipeline/store/run-folder.ts";
import { engines } from "../../stages/export/launchers/engines/index.ts";
import { launchers } from "../../stages/export/launchers/index.ts";

/** The end of `make demo`: what was made, one fold as a person reads it, where the files are, what to run next. */

const options = { run: "demo", runs: undefined, json: false, quiet: true };

/** The kept trajectory with the most context calls. */
async function richest(): Promise<string | null> {
  const run = await openRun(runsFolder(undefined), options.run);
  let best: { id: string; calls: number } | null = null;
  for await (const { id, metrics, verdict } of readAllBundles(run, ["metrics", "verdict"])) {
    if (metrics?.outcome.ok !== true || verdict?.outcome.ok !== true || !verdict.outcome.value.context.keep) continue;
    const calls = metrics.outcome.value.blocks.length;
    if (best === null || calls > best.calls) best = { id, calls };
  }
  return best?.id ?? null;
}

const title = (text: string): void => console.log(`\n${"=".repeat(12)} ${text} ${"=".repeat(Math.max(0, 84 - text.length))}\n`);

title("Table 1 of the paper beside this run");
await statsCommand({ ...options, all: false });

const id = await richest();
if (id !== null) {
  title("one fold: what vanished, and the memory that stands for it");
  await showCommand({ ...options, id, list: false, full: false, fold: 2 });
}

const run = await openRun(runsFolder(undefined), options.run);
const folder = relative(process.cwd(), exportFolder(run));
const named = (registry: object): string => Object.keys(registry).join(", ");
title("where the files are, and what to run next");
console.log(`dataset        ${join(folder, "messages")} and ${join(folder, "input-output")} (Parquet; card: ${join(folder, "README.md")})
fine-tuning    ${join(folder, "configs")} (${named(launchers)}), ${join(folder, "launch")} (${named(engines)}); memory, hours: configs/README.md
inference      ${join(folder, "runtime.yaml")} (what it must keep to)
rows           ${relative(process.cwd(), run.root)}/stages (one JSON line per trajectory and stage)

look           npx tsx pipeline/cli.ts show ${id ?? "--list"} --run demo
re-judge       npx tsx pipeline/cli.ts run 5-6 --run demo --set filter.minSteps=50     (thresholds over numbers, then the dataset; no model)
why            npx tsx pipeline/cli.ts why all --run demo --set detect.minGapSteps=12
your own runs  npx tsx pipeline/cli.ts run all --run mine --input <a folder of runs>
with a model   CATGEN_BASE_URL=http://host:8000/v1 CATGEN_MODEL=name npx tsx pipeline/cli.ts run all --run mine`);
