import { readFileSync } from "node:fs";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { loadTokenizer } from "../pipeline/adapters/tokenizer.ts";
import { runsFolder, savedRecipe } from "../pipeline/commands/shared.ts";
import { readAllBundles } from "../pipeline/run/bundles.ts";
import { openRun } from "../pipeline/store/run-folder.ts";
import { DetectParams, problemOf } from "../stages/detect/detect.ts";
import { costsOf } from "../stages/detect/placement/cost.ts";
import { optimum } from "../stages/detect/placement/optimum.ts";
import { keptFrom, legalCuts, type Problem, spanOf, stepCount } from "../stages/detect/placement/problem.ts";
import { followRule, noRule } from "../stages/detect/placement/rules.ts";
import { scoreCuts } from "../stages/detect/score-cuts.ts";
import { render } from "../stages/lib/render.ts";
import { measureSizes } from "../stages/lib/sizes.ts";

/**
 * Where our placement stands beside the usual rules: inference cost, context calls and agreement with boundaries that people marked.
 * Reads the trajectories of a run, writes Markdown to stdout.
 *
 *   npx tsx notebooks/placement.ts --run NAME --labels data/labels/pass-a.jsonl --window 16384
 */
const options = yargs(hideBin(process.argv))
  .option("run", { type: "string", demandOption: true })
  .option("runs", { type: "string", describe: "folder of runs" })
  .option("labels", { type: "string", array: true, default: [] as string[], describe: "lines { id, cut }" })
  .option("window", { type: "number", array: true, default: [65_536, 16_384, 8_192], describe: "tokens" })
  .option("min-steps", { type: "number", default: 40, describe: "only trajectories at least that long" })
  .strict()
  .parseSync();

interface Case {
  readonly id: string;
  readonly problem: Problem;
  readonly labels: readonly number[] | null;
}

function readLabels(files: readonly string[]): Map<string, number[]> {
  const labels = new Map<string, number[]>();
  for (const line of files.flatMap((file) => readFileSync(file, "utf8").split("\n"))) {
    if (line.trim() === "") continue;
    const { id, cut } = JSON.parse(line) as { id: string; cut: number | null };
    labels.set(id, [...(labels.get(id) ?? []), ...(cut === null ? [] : [cut])]);
  }
  return labels;
}

const tokenizer = loadTokenizer("qwen2.5");
const count = (text: string): number => tokenizer.count(text);
const run = await openRun(runsFolder(options.runs), options.run);
const recipe = await savedRecipe(run);
const labels = readLabels(options.labels);

/** The recipe with a smaller window, everything that follows from it shrunk alike. */
function paramsFor(windowTokens: number): DetectParams {
  const share = windowTokens / 65_536;
  const { window, condense } = recipe;
  return DetectParams.parse({
    persona: recipe.persona,
    window: { ...window, tokens: windowTokens, replyTokens: Math.round(window.replyTokens * Math.min(1, share)) },
    detect: { ...recipe.detect, minFoldTokens: Math.max(500, Math.round(recipe.detect.minFoldTokens * Math.min(1, 4 * share))) },
    memory: {
      memoryBaseTokens: condense.memoryBaseTokens,
      memoryShare: condense.memoryShare,
      memoryCapTokens: Math.round(condense.memoryCapTokens * Math.min(1, share)),
    },
  });
}

async function readCases(params: DetectParams): Promise<Case[]> {
  const cases: Case[] = [];
  for await (const { id, trajectory } of readAllBundles(run, ["trajectory"])) {
    if (trajectory?.outcome.ok !== true || trajectory.outcome.value.steps.length < options.minSteps) continue;
    const rendering = render(trajectory.outcome.value, params.persona);
    if (!rendering.ok) continue;
    const sizes = measureSizes(rendering.value, count);
    const candidates = scoreCuts(trajectory.outcome.value.steps, sizes, params);
    cases.push({ id, problem: problemOf(rendering.value, sizes, candidates, params, count), labels: labels.get(id) ?? null });
  }
  return cases;
}

type Strategy = (problem: Problem) => readonly number[] | null;

const ours =
  (callPrice: number, costWeight: number): Strategy =>
  (problem) => {
    const placed = optimum({ ...problem, terms: { ...problem.terms, callPrice, costWeight } });
    return placed.ok ? placed.value.cuts : null;
  };

/** A small generator of our own, so that the table is the same every time (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const atRandom =
  (like: Strategy, seed: number): Strategy =>
  (problem) => {
    const wanted = like(problem)?.length ?? 0;
    const draw = random(seed * 7_919 + stepCount(problem));
    const left = legalCuts(problem);
    const cuts: number[] = [];
    while (cuts.length < wanted && left.length > 0) cuts.push(...left.splice(Math.floor(draw() * left.length), 1));
    return cuts.sort((a, b) => a - b);
  };

interface Figures {
  readonly feasible: number;
  readonly callsPer100Steps: number;
  readonly foldRatio: number;
  readonly cost: number;
  readonly precision: number;
  readonly recall: number;
}

/** Pairs within one step, each label and each cut used once. */
function matched(cuts: readonly number[], wanted: readonly number[]): number {
  const free = new Set(wanted);
  let hits = 0;
  for (const cut of cuts) {
    const near = [cut, cut - 1, cut + 1].find((one) => free.has(one));
    if (near === undefined) continue;
    free.delete(near);
    hits += 1;
  }
  return hits;
}

function figures(cases: readonly Case[], strategy: Strategy): Figures {
  let [feasible, calls, steps, cost, appendOnly, hits, made, wanted, ratios, folds] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const { problem, labels: own } of cases) {
    const cuts = strategy(problem);
    if (cuts === null) continue;
    feasible += 1;
    calls += cuts.length;
    steps += stepCount(problem);
    const costs = costsOf(problem);
    cost += costs.total(cuts);
    appendOnly += costs.total([]);
    let last = 0;
    for (const cut of cuts) {
      const before = last === 0 ? 0 : (problem.memoryTokens[last] ?? 0);
      ratios += (problem.memoryTokens[cut] ?? 0) / (before + spanOf(problem.upTo, keptFrom(problem, last), keptFrom(problem, cut)));
      folds += 1;
      last = cut;
    }
    if (own === null) continue;
    hits += matched(cuts, own);
    made += cuts.length;
    wanted += own.length;
  }
  return {
    feasible: feasible / Math.max(1, cases.length),
    callsPer100Steps: (100 * calls) / Math.max(1, steps),
    foldRatio: ratios / Math.max(1, folds),
    cost: cost / Math.max(1, appendOnly),
    precision: hits / Math.max(1, made),
    recall: hits / Math.max(1, wanted),
  };
}

const mean = (all: readonly Figures[]): Figures => {
  const of = (key: keyof Figures): number => all.reduce((sum, one) => sum + one[key], 0) / all.length;
  return {
    feasible: of("feasible"),
    callsPer100Steps: of("callsPer100Steps"),
    foldRatio: of("foldRatio"),
    cost: of("cost"),
    precision: of("precision"),
    recall: of("recall"),
  };
};

function row(name: string, own: Figures): string {
  const f1 = own.precision + own.recall === 0 ? 0 : (2 * own.precision * own.recall) / (own.precision + own.recall);
  const share = (value: number): string => `${(100 * value).toFixed(1)} %`;
  return `| ${name} | ${share(own.feasible)} | ${own.callsPer100Steps.toFixed(2)} | ${share(own.foldRatio)} | ${share(own.cost)} | ${share(own.precision)} | ${share(own.recall)} | ${share(f1)} |`;
}

for (const windowTokens of options.window) {
  const cases = await readCases(paramsFor(windowTokens));
  const labelled = cases.filter((one) => one.labels !== null).length;
  console.log(
    `\n## Window ${windowTokens}: ${cases.length} trajectories of ${options.minSteps} steps or more, ${labelled} of them labelled\n`,
  );
  console.log("| strategy | fits | calls per 100 steps | fold ratio | cost / append-only | precision | recall | F1 (+-1 step) |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  const { callPrice, costWeight } = recipe.detect;
  for (const tau of [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    console.log(row(`optimum, callPrice ${tau}, costWeight ${costWeight}`, figures(cases, ours(tau, costWeight))));
  for (const lambda of [0, 0.5, 1, 2, 4, 8])
    console.log(row(`optimum, callPrice ${callPrice}, costWeight ${lambda}`, figures(cases, ours(callPrice, lambda))));
  for (const minScore of [0.3, 0.5, 0.7, 0.9])
    console.log(
      row(
        `greedy, score >= ${minScore}`,
        figures(cases, (problem) => followRule(problem, { ...noRule, minScore, occupancy: 0.8 })),
      ),
    );
  for (const occupancy of [0.2, 0.4, 0.6, 0.8])
    console.log(
      row(
        `threshold, ${100 * occupancy} % of the window`,
        figures(cases, (problem) => followRule(problem, { ...noRule, occupancy })),
      ),
    );
  for (const everySteps of [10, 17, 25])
    console.log(
      row(
        `every ${everySteps} steps`,
        figures(cases, (problem) => followRule(problem, { ...noRule, everySteps })),
      ),
    );
  for (const everyTokens of [4_000, 8_000, 16_000])
    console.log(
      row(
        `every ${everyTokens} tokens`,
        figures(cases, (problem) => followRule(problem, { ...noRule, everyTokens })),
      ),
    );
  const like = ours(callPrice, costWeight);
  const draws = Array.from({ length: 20 }, (_, seed) => figures(cases, atRandom(like, seed + 1)));
  console.log(row("as many as the optimum, at random (mean of 20)", mean(draws)));
}
