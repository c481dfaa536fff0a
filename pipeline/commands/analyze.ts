import { Analysis, VerdictDiff } from "../../schemas/analysis.ts";
import { Fault } from "../../schemas/fault.ts";
import type { Gathered } from "../../stages/filter/analysis/collect.ts";
import { whatIfPlot } from "../../stages/filter/analysis/plot.ts";
import type { Probe } from "../../stages/filter/analysis/thresholds.ts";
import { thresholds } from "../../stages/filter/analysis/thresholds.ts";
import { curveOf, pairGrid, suggest } from "../../stages/filter/analysis/what-if.ts";
import { stepKey } from "../keys.ts";
import { meant } from "../recipe.ts";
import { gatherRun } from "../run/analyze.ts";
import { withEvidence } from "../run/border-evidence.ts";
import { selectionSummary } from "../run/selection-summary.ts";
import { diffVerdicts } from "../run/verdict-diff.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { type RunFolder, reportFolder, verdictName } from "../store/run-folder.ts";
import { analysisText, diffText } from "./analyze-text.ts";
import { chosenRecipe, type RecipeOptions } from "./chosen-recipe.ts";
import { svgPath } from "./option-values.ts";
import { type CommonOptions, openJudged, print, progressFor, savedRecipe, settleHere } from "./shared.ts";

export interface AnalyzeOptions extends CommonOptions, RecipeOptions {
  /** Two thresholds that move together. */
  readonly pair: string | undefined;
  /** `keep=SHARE`. */
  readonly suggest: string | undefined;
  /** Thresholds that --suggest moves. */
  readonly move: string | undefined;
  /** Two verdict sets. */
  readonly diff: readonly string[] | undefined;
  /** What is printed beside the summary; --json has everything. */
  readonly all: boolean;
  readonly measures: boolean;
  /** Thresholds that are shown with what they would keep at other values. */
  readonly threshold: readonly string[];
  /** Where the plot goes; undefined: into the run's report folder. */
  readonly plot: string | undefined;
}

/** SHARE of `keep=SHARE`, 0..1. */
function wantedShare(option: string): number {
  const share = Number(/^keep=([0-9.]+)$/.exec(option)?.[1] ?? Number.NaN);
  if (share > 0 && share <= 1) return share;
  throw new Fault(
    "USAGE",
    "stop",
    `expected --suggest keep=SHARE with a share of the measured trajectories above 0 and up to 1, such as keep=0.4; got ${JSON.stringify(option)}`,
  );
}

/** The threshold that is called `name`, itself or by its filter. */
export function probeNamed(gathered: Gathered, name: string): Probe {
  const probe = gathered.probes.find(({ threshold }) => threshold.name === name || threshold.filter === name);
  if (probe !== undefined) return probe;
  const names = thresholds.map((threshold) => threshold.name);
  throw new Fault("USAGE", "stop", `no threshold is named ${JSON.stringify(name)}; ${meant(name, names)}`);
}

function pairOf(gathered: Gathered, option: string | undefined): Analysis["pair"] {
  if (option === undefined) return null;
  const [first, second, ...more] = option.split(",").map((name) => name.trim());
  if (first === undefined || second === undefined || more.length > 0)
    throw new Fault(
      "USAGE",
      "stop",
      `expected --pair with two thresholds, such as minFoldTokens,maxFoldRatio; got ${JSON.stringify(option)}`,
    );
  return pairGrid(gathered, probeNamed(gathered, first), probeNamed(gathered, second));
}

/** Thresholds named by --move; null: not given. */
const movedBy = (gathered: Gathered, option: string | undefined): string[] | null =>
  option === undefined ? null : option.split(",").map((name) => probeNamed(gathered, name.trim()).threshold.name);

async function diffCommand(options: AnalyzeOptions, names: readonly string[]): Promise<number> {
  const [first, second] = names;
  if (first === undefined || second === undefined || names.length > 2)
    throw new Fault("USAGE", "stop", `expected --diff with two verdict sets, such as --diff default strict; got ${names.join(" ")}`);
  const a = await openJudged({ ...options, verdict: first });
  const b = await openJudged({ ...options, verdict: second });
  const diff = VerdictDiff.parse(await diffVerdicts(a, b, [await savedRecipe(a), await savedRecipe(b)]));
  print(options, diff, () => diffText(diff));
  return 0;
}

const plotPath = (run: RunFolder, option: string | undefined): string =>
  option === undefined ? `${reportFolder(run)}/analyze${run.verdict === null ? "" : `-${run.verdict}`}.svg` : svgPath(option);

/** `catgen analyze`: what the metrics look like, and what would be kept under other thresholds; or what two verdict sets do differently. */
export async function analyzeCommand(options: AnalyzeOptions): Promise<number> {
  if (options.diff !== undefined) return diffCommand(options, options.diff);
  const wanted = options.suggest === undefined ? null : wantedShare(options.suggest);
  if (options.json && (options.all || options.measures || options.threshold.length > 0))
    throw new Fault("USAGE", "stop", "--json holds everything; --all, --measures and --threshold choose what is printed as text");
  if (options.move !== undefined && wanted === null)
    throw new Fault("USAGE", "stop", "--move says which thresholds --suggest moves; give --suggest keep=SHARE too");
  const run = await openJudged(options);
  const saved = await savedRecipe(run);
  const settled = await settleHere(saved, run);
  const recipe = await chosenRecipe(saved, options, null);
  if (stepKey("measure", await settleHere(recipe, run)).stageKey !== stepKey("measure", settled).stageKey)
    throw new Fault(
      "USAGE",
      "stop",
      "analyze looks at stored metrics, so --recipe and --set can try filter.* and window.tokens only; what else is changed has to be run",
    );
  const progress = progressFor(options);
  progress.start("analyze", run.shards);
  const limits = { ...recipe.filter, windowTokens: recipe.window.tokens };
  const { gathered, shards } = await gatherRun(run, settled, limits, () => progress.step()).finally(() => progress.end());
  const shown: readonly string[] = options.threshold.map((name) => probeNamed(gathered, name).threshold.name);
  // Evidence is looked up in texts, so for a summary nothing is.
  const near = gathered.borders.filter(({ threshold }) => options.json || options.all || shown.includes(threshold));
  const plot = plotPath(run, options.plot);
  const analysis: Analysis = Analysis.parse({
    run: run.name,
    verdict: verdictName(run),
    shards,
    measured: gathered.measured,
    kept: gathered.kept,
    measures: gathered.spreads.spreads(),
    counts: gathered.spreads.countsOf(),
    filters: gathered.filters,
    overlaps: gathered.overlaps,
    curves: gathered.probes.map((probe) => curveOf(gathered, probe)),
    borders: await withEvidence(run, settled, gathered, near),
    pair: pairOf(gathered, options.pair),
    suggestion: wanted === null ? null : suggest(gathered, wanted, movedBy(gathered, options.move)),
    selection: await selectionSummary(run),
    plot,
  });
  await writeTextAtomically(plot, whatIfPlot(gathered, run.name));
  print(options, analysis, () => analysisText(analysis, { all: options.all, measures: options.measures, thresholds: shown }));
  return 0;
}
