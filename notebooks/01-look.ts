import { loadTokenizer } from "../pipeline/adapters/tokenizer.ts";
import { openJudged, savedRecipe } from "../pipeline/commands/shared.ts";
import { findBundle } from "../pipeline/run/bundles.ts";
import { funnelOf } from "../pipeline/run/kept.ts";
import { funnelPlot } from "../stages/export/funnel-plot.ts";
import { funnelMarkdown } from "../stages/export/funnel-table.ts";
import { grouped } from "../stages/export/number-text.ts";
import { Spreads } from "../stages/filter/analysis/spreads.ts";
import { render } from "../stages/lib/render.ts";
import { measureSizes } from "../stages/lib/sizes.ts";
import { byLength, checkCounts, frequencies, nameOf, readLooks, signalCounts } from "./lib/looks.ts";
import { notebookOptions, openNotebook } from "./lib/notebook.ts";
import { colours, dots, histogram, largest, lineChart, timeline } from "./lib/plots.ts";

const options = notebookOptions().parseSync();
const book = await openNotebook(import.meta.url, options);
const run = await openJudged(options);
const recipe = await savedRecipe(run);

book.prose(`# 01: the shape of a run

What lies in the run \`${run.name}\`, before any threshold is touched: how long its trajectories are, what a model call sees, where context calls
were put and why, what the memories hold, and what is left at the end. Point it at a run of your own:
\`npx tsx notebooks/01-look.ts --run mine --out /tmp/mine\`.

The code of each cell stands above what it prints; [the file](01-look.ts) has the imports.`);

book.prose("## Trajectories\n\nLongest first; a screenful of them.");

const looks = await book.code(async (page) => {
  const read = await readLooks(run);
  page.table(
    ["trajectory", "steps", "tokens", "exit", "resolved", "context calls", "gives segments"],
    byLength(read)
      .slice(0, 25)
      .map(({ id, metrics: { trajectory, blocks }, kept }) => [
        nameOf(id),
        trajectory.steps,
        trajectory.baseTokens === null ? "-" : grouped(trajectory.baseTokens),
        trajectory.exit,
        trajectory.resolved === null ? "unknown" : trajectory.resolved ? "yes" : "no",
        blocks.length,
        kept ? "yes" : "no",
      ]),
  );
  page.text(`${read.length} measured trajectories`);
  return read;
});

book.prose(`## How runs ended

A run that was cut off teaches how to be cut off, so the filters ask for \`submitted\` and evidence of success unless told otherwise (\`filter.exits\`, \`filter.outcome\`).`);

await book.code((page) => {
  const ends = looks.map(({ metrics: { trajectory }, kept }) => ({
    end: `${trajectory.exit}, ${trajectory.resolved === null ? "outcome unknown" : trajectory.resolved ? "resolved" : "not resolved"}`,
    kept,
  }));
  page.table(
    ["exit and outcome", "trajectories", "of them give segments"],
    frequencies(ends.map(({ end }) => end)).map(([end, count]) => [end, count, ends.filter((one) => one.end === end && one.kept).length]),
  );
});

book.prose(`## Steps and tokens

\`promptTokens\` is what the model would read at each call once memories have replaced what they fold. Table 1 of the CAT paper has a mean of 87.4 steps and
of 13,044 tokens per call; percentiles are values that occur.`);

await book.code((page) => {
  const spreads = new Spreads();
  for (const { metrics } of looks) spreads.add(metrics);
  const wanted = ["steps", "baseTokens", "contextCalls", "blocks.gapSteps", "blocks.foldTokens", "blocks.memoryTokens", "segments.tokens"];
  page.table(
    ["measure", "count", "min", "p25", "p50", "p75", "p95", "max"],
    spreads
      .spreads()
      .filter(({ measure }) => wanted.includes(measure))
      .map(({ measure, count, min, p25, p50, p75, p95, max }) => [
        measure,
        count,
        ...[min, p25, p50, p75, p95, max].map((value) => grouped(value)),
      ]),
  );
  const seen = looks.flatMap(({ metrics }) => metrics.trajectory.promptTokensPerCall ?? []);
  const title = `What ${grouped(seen.length)} model calls read`;
  page.picture("tokens", "Histogram of the prompt tokens of all model calls", histogram(title, "prompt tokens", seen));
});

book.prose(`## The saw-tooth

The longest trajectory that gives segments (where none does, the longest with a context call): what each model call would read if nothing were ever
folded, and what it reads with the context calls where they are. Each fall is a memory taking the place of older steps; the area between the lines is
what is not read again.`);

await book.code(async (page) => {
  const folded = byLength(looks).filter(({ metrics }) => metrics.blocks.length > 0);
  const longest = folded.find(({ kept }) => kept) ?? folded[0];
  const bundle = longest === undefined ? null : await findBundle(run, longest.id);
  const rendering = bundle?.trajectory?.outcome.ok === true ? render(bundle.trajectory.outcome.value, recipe.persona) : null;
  const managed = longest?.metrics.trajectory.promptTokensPerCall ?? null;
  if (longest === undefined || rendering?.ok !== true || managed === null) return page.text("no trajectory has a context call");
  const tokenizer = loadTokenizer("qwen2.5");
  const sizes = measureSizes(rendering.value, (text) => tokenizer.count(text));
  const appended = sizes.assistant.map((_, step) => sizes.head + (sizes.upTo[step] ?? 0) + sizes.opening);
  const read = (values: readonly number[]): string => `${grouped(values.reduce((a, b) => a + b, 0) / 1_000)}k tokens read`;
  const lines = [
    { name: "append-only", note: read(appended), colour: colours.grey, dashed: true, values: appended },
    { name: "with context calls", note: read(managed), colour: colours.blue, dashed: false, values: managed },
  ];
  page.picture(
    "saw-tooth",
    `Tokens in context at each model call of ${nameOf(longest.id)}`,
    lineChart(`Tokens in context: ${nameOf(longest.id)}`, "model call", lines, { name: "window", value: recipe.window.tokens }),
  );
});

book.prose(`## Where context calls sit, and why

A call is there because signals speak for it (\`signals\`), because nothing fits without it (\`window\`), or because it makes inference cheaper (\`cost\`). \`catgen show ID\` tells
the whole story of one.`);

await book.code((page) => {
  const reasons = { signals: colours.blue, window: colours.red, cost: colours.amber };
  const points = looks.flatMap(({ detection }) => detection?.points ?? []);
  page.table(
    ["reason", "context calls"],
    frequencies(points.map(({ reason }) => reason)).map(([reason, count]) => [reason, count]),
  );
  const courses = byLength(looks)
    .slice(0, 30)
    .map(({ id, metrics, detection }) => ({
      name: nameOf(id),
      length: metrics.trajectory.steps,
      marks: (detection?.points ?? []).map(({ cut, reason }) => ({ at: cut, colour: reasons[reason] })),
    }));
  page.picture("calls", "Context calls along each trajectory", timeline("Context calls along the steps", "step", courses, reasons));
});

book.prose(`## Signals that fired

Cuts at which each signal speaks, how loud, and how many of the chosen cuts it speaks at. A signal that speaks at every cut says nothing; one that never
speaks cost nothing.`);

await book.code((page) => {
  const weights: Readonly<Record<string, number>> = recipe.detect.weights;
  const counts = signalCounts(looks);
  page.table(
    ["signal", "cuts where it speaks", "mean score", "weight", "chosen cuts where it speaks"],
    counts.map(({ signal, cuts, meanScore, points }) => [signal, cuts, meanScore.toFixed(2), weights[signal] ?? "-", points]),
  );
  const silent = Object.keys(weights).filter((name) => counts.every(({ signal }) => signal !== name));
  if (silent.length > 0) page.text(`never spoke: ${silent.join(", ")}`);
});

book.prose(`## Fold ratios

Size of each memory against the fold and the earlier memory that it replaces, by the number of the call in its trajectory. The dashed line is the mean of
CAT's Table 1, 30 %. Later memories carry what earlier ones held, so they tend to stand further right.`);

await book.code((page) => {
  const most = largest(
    looks.map(({ metrics }) => metrics.blocks.length),
    0,
  );
  const ratios = Array.from({ length: most }, (_, call) => looks.flatMap(({ metrics }) => metrics.blocks[call]?.foldRatio ?? []));
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  page.table(
    ["call", "memories", "mean ratio", "largest"],
    ratios.map((own, call) => [
      `call ${call + 1}`,
      own.length,
      `${(100 * mean(own)).toFixed(1)} %`,
      `${(100 * largest(own, 0)).toFixed(1)} %`,
    ]),
  );
  const groups = Object.fromEntries(ratios.map((own, call) => [`call ${call + 1}`, own]));
  page.picture("fold-ratios", "Fold ratio of each memory, by call", dots("Memory / what it replaces", "fold ratio", groups, 0.3));
});

book.prose(`## What the checks say of the memories

\`looked\` counts claims, names or rules; \`found\` those that are wrong. The words are the memory's own. Most are for a person to judge: \`catgen show ID --fold N\` has them
all beside the steps.`);

await book.code((page) => {
  const counts = checkCounts(looks, 2);
  page.table(
    ["check", "memories", "with a finding", "looked", "found"],
    counts.map(({ check, memories, blamed, looked, found }) => [check, memories, blamed, grouped(looked), found]),
  );
  const said = counts.flatMap(({ check, examples }) =>
    examples.map(({ where, words, why }) => `${check}, ${where}\n  "${words}"\n  ${why}`),
  );
  page.text(said.length === 0 ? "no check has a finding" : said.join("\n\n"));
});

book.prose("## The funnel\n\nWhat each filter of the recipe takes, in order, and what is left. The next notebook moves the thresholds.");

await book.code(async (page) => {
  const funnel = await funnelOf(run);
  page.markdown(funnelMarkdown(funnel));
  page.picture("funnel", "What is left after each filter", funnelPlot(funnel));
});

await book.finish();
