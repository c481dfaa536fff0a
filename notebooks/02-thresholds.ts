import { probeNamed } from "../pipeline/commands/analyze.ts";
import { borderText } from "../pipeline/commands/analyze-text.ts";
import { openJudged, savedRecipe, settleHere } from "../pipeline/commands/shared.ts";
import { gatherRun } from "../pipeline/run/analyze.ts";
import { withEvidence } from "../pipeline/run/border-evidence.ts";
import { grouped } from "../stages/export/number-text.ts";
import { percentile } from "../stages/filter/analysis/column.ts";
import { whatIfPlot } from "../stages/filter/analysis/plot.ts";
import { limitOf } from "../stages/filter/analysis/thresholds.ts";
import { pairGrid, suggest } from "../stages/filter/analysis/what-if.ts";
import { notebookOptions, openNotebook } from "./lib/notebook.ts";
import { heatMap } from "./lib/plots.ts";

const options = notebookOptions()
  .option("pair", { type: "string", default: "minFoldTokens,maxFoldRatio", describe: "two thresholds that move together" })
  .option("keep", { type: "number", default: 0.5, describe: "share of the measured trajectories that should give segments" })
  .parseSync();
const book = await openNotebook(import.meta.url, options);
const run = await openJudged(options);
const recipe = await savedRecipe(run);
const settled = await settleHere(recipe, run);
const limits = { ...recipe.filter, windowTokens: recipe.window.tokens };

book.prose(`# 02: choose thresholds

Stage 5 measures once and judges often: everything here comes from the stored metrics of the run \`${run.name}\`, so trying a threshold costs nothing, and taking it over
judges again without a model. The way through: what the values look like, how much each threshold costs, which of them say the same, what lies at
the border, and then a choice. Point it at a run of your own: \`npx tsx notebooks/02-thresholds.ts --run mine --keep 0.4 --out /tmp/mine\`.

The code of each cell stands above what it prints; [the file](02-thresholds.ts) has the imports.`);

book.prose("## What is kept now");

const gathered = await book.code(async (page) => {
  const { gathered: all, shards } = await gatherRun(run, settled, limits, () => undefined);
  const { kept, measured } = all;
  page.text(
    `${kept.trajectories} of ${measured.trajectories} measured trajectories give segments, ${kept.segments} of ${measured.segments} segments${shards.missing > 0 ? `; ${shards.missing} shards are not measured yet` : ""}`,
  );
  page.table(
    ["filter", "threshold", "fails in", "rejects", "by it alone"],
    all.filters
      .filter(({ fails }) => fails > 0)
      .map(({ filter, threshold, fails, rejects, only }) => [filter, threshold ?? "-", fails, rejects, only]),
  );
  return all;
});

book.prose(`## What each filter sees

The value on which it hangs whether a trajectory gives segments, at percentiles: the worst of its context calls where a filter looks at those. A \`min\` threshold above p50, or a \`max\` below
it, would cost half of the run by itself. Filters that only flag or take single samples decide about no trajectory, and have no row.`);

await book.code((page) => {
  const number = (value: number): string => (Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(3))));
  const seen = gathered.probes.map((probe) => ({
    probe,
    values: gathered.turning.get(probe.threshold.name)?.sorted() ?? new Float64Array(),
  }));
  page.table(
    ["threshold", "now", "trajectories", "min", "p5", "p25", "p50", "p75", "p95", "max"],
    seen
      .filter(({ values }) => values.length > 0)
      .map(({ probe, values }) => {
        const limit = limitOf(limits, probe.threshold);
        return [
          probe.threshold.name,
          limit === null ? "off" : number(limit),
          values.length,
          ...[0, 0.05, 0.25, 0.5, 0.75, 0.95, 1].map((share) => number(percentile(values, share))),
        ];
      }),
  );
});

book.prose(`## What is kept as each threshold moves

All else stays as it is. The dashed line is the recipe's threshold; \`off\` says that there is none, and the curve what one would cost. Look for the flat part of a curve: there a threshold
takes outliers and no more. Where the curve is steep, a slightly other number is another dataset.`);

await book.code((page) => {
  page.picture("curves", "Trajectories kept as each threshold moves, a panel each", whatIfPlot(gathered, run.name));
});

book.prose(`## Filters that say the same

Pairs that reject the same trajectories. \`only these two\`: nothing else rejects them, so both have to give way to have them back. A filter whose every rejection another makes
too is not needed, or is the better explained of the two.`);

await book.code((page) => {
  if (gathered.overlaps.length === 0) return page.text("no two filters reject the same trajectory");
  const rejects = new Map(gathered.filters.map((one) => [one.filter, one.rejects]));
  page.table(
    ["filters", "reject", "together", "only these two"],
    gathered.overlaps
      .slice(0, 15)
      .map(({ filters: [first, second], together, only }) => [
        `${first} + ${second}`,
        `${rejects.get(first)} + ${rejects.get(second)}`,
        together,
        only,
      ]),
  );
});

book.prose(`## Two thresholds together

Trajectories that give segments as two thresholds move (\`--pair A,B\`); those of the recipe are in red. A steep corner means that the two take different trajectories, equal
rows that one of them takes nothing which the other leaves.`);

await book.code((page) => {
  const [first, second] = options.pair.split(",").map((name) => probeNamed(gathered, name.trim()));
  if (first === undefined || second === undefined) return page.text("--pair wants two thresholds, such as minFoldTokens,maxFoldRatio");
  const { rows, columns, kept } = pairGrid(gathered, first, second);
  const axis = (probe: typeof first, values: readonly number[]) => ({
    name: probe.threshold.name,
    values,
    now: limitOf(limits, probe.threshold),
  });
  page.picture(
    "pair",
    `Trajectories kept as ${first.threshold.name} and ${second.threshold.name} move`,
    heatMap("Trajectories that give segments", {
      rows: axis(first, rows),
      columns: axis(second, columns),
      cells: kept,
      most: gathered.size,
    }),
  );
});

book.prose(`## A choice

Thresholds over single context calls are moved together until they keep the wanted share (\`--keep\`): each cuts the same share off its own worse end, so that no
measure is squeezed more than another. Lengths and outcomes stay: they choose a population, not a quality.`);

const suggestion = await book.code((page) => {
  const { limits: moved, ...all } = suggest(gathered, options.keep, null);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  page.table(
    ["threshold", "now", "suggested"],
    moved.map(({ threshold, from, to }) => [threshold, from ?? "off", to]),
  );
  page.text(
    `wanted: ${percent(all.wanted)} of the trajectories; each threshold cuts ${percent(all.cutShare)} off its worse end, together they keep ${percent(all.kept)}; without them ${percent(all.reachable)} would be kept${all.reachable < all.wanted ? ", so the rest is lost to other filters" : ""}`,
  );
  return { ...all, limits: moved };
});

book.prose(`## Look at the border

Numbers choose, people check: the trajectories nearest to each suggested threshold, on either side, with what their value comes from: the words that a check
minds, or the steps that were folded. When those that just fail look as good as those that just pass, the threshold asks the wrong question.`);

await book.code(async (page) => {
  const moved = { ...limits, ...Object.fromEntries(suggestion.limits.map(({ threshold, to }) => [threshold, to])) };
  const { gathered: again } = await gatherRun(run, settled, moved, () => undefined);
  const borders = again.borders.filter(({ threshold }) => suggestion.limits.some((one) => one.threshold === threshold));
  const nearest = borders.map((border) => ({ ...border, passes: border.passes.slice(0, 1), fails: border.fails.slice(0, 1) }));
  for (const border of await withEvidence(run, settled, again, nearest)) page.text(borderText(border));
});

book.prose(`## Take it over

The line for the recipe, and the command that judges and exports again with it; no model is called. \`--verdict NAME\` would judge beside what is there instead.`);

await book.code((page) => {
  const set = suggestion.limits.filter(({ from, to }) => from !== to).map(({ threshold, to }) => `--set filter.${threshold}=${to}`);
  const named = run.verdict === null ? "" : ` --verdict ${run.verdict}`;
  page.text(
    set.length === 0
      ? "today's thresholds keep no more than that: there is nothing to set"
      : `${set.join(" ")}\n\nnpx tsx pipeline/cli.ts run 5-6 --run ${run.name}${named} \\\n  ${set.join(" \\\n  ")}`,
  );
});

await book.finish();
