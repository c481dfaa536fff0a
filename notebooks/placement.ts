import { writeFile } from "node:fs/promises";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { loadTokenizer } from "../pipeline/adapters/tokenizer.ts";
import { runsFolder, savedRecipe } from "../pipeline/commands/shared.ts";
import { readAllBundles } from "../pipeline/run/bundles.ts";
import { openRun } from "../pipeline/store/run-folder.ts";
import { problemOf } from "../stages/detect/detect.ts";
import { DetectParams } from "../stages/detect/outline.ts";
import { costsOf } from "../stages/detect/placement/cost.ts";
import { optimum, worthOf } from "../stages/detect/placement/optimum.ts";
import { keptFrom, legalCuts, type Problem, spanOf, stepCount } from "../stages/detect/placement/problem.ts";
import { followRule, noRule, type Rule } from "../stages/detect/placement/rules.ts";
import { scoreCuts } from "../stages/detect/score-cuts.ts";
import { pairs } from "../stages/lib/boundary-agreement.ts";
import { drawer } from "../stages/lib/drawer.ts";
import { render } from "../stages/lib/render.ts";
import { measureSizes } from "../stages/lib/sizes.ts";
import { cutsIn, readPass, within } from "./labelled-run.ts";

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
  .option("picture", { type: "string", describe: "write the first window's curves to this SVG file" })
  .option("min-steps", { type: "number", default: 40, describe: "only trajectories at least that long" })
  .strict()
  .parseSync();

interface Case {
  readonly id: string;
  readonly problem: Problem;
  readonly labels: readonly number[] | null;
}

const tokenizer = loadTokenizer("qwen2.5");
const count = (text: string): number => tokenizer.count(text);
const run = await openRun(runsFolder(options.runs), options.run);
const recipe = await savedRecipe(run);
const passes = await Promise.all(options.labels.map(readPass));

/** Boundaries that any of the passes marks, ascending; null: none has read the trajectory. */
function labelsOf(id: string): number[] | null {
  const read = passes.filter((pass) => pass.has(id));
  return read.length === 0 ? null : [...new Set(read.flatMap((pass) => cutsIn(pass, id)))].sort((a, b) => a - b);
}

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
    cases.push({ id, problem: problemOf(rendering.value, sizes, candidates, params, count), labels: labelsOf(id) });
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

const atRandom =
  (like: Strategy, seed: number): Strategy =>
  (problem) => {
    const wanted = like(problem)?.length ?? 0;
    const draw = drawer(seed * 7_919 + stepCount(problem));
    const left = legalCuts(problem);
    const cuts: number[] = [];
    while (cuts.length < wanted && left.length > 0) cuts.push(...left.splice(Math.floor(draw() * left.length), 1));
    cuts.sort((a, b) => a - b);
    return worthOf(problem, cuts) === null ? null : cuts;
  };

interface Figures {
  readonly feasible: number;
  readonly callsPer100Steps: number;
  readonly foldRatio: number;
  readonly cost: number;
  readonly precision: number;
  readonly recall: number;
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
    hits += pairs(cuts, own, within).length;
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

const f1 = ({ precision, recall }: Figures): number => (precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall));

function row(name: string, own: Figures): string {
  const share = (value: number): string => `${(100 * value).toFixed(1)} %`;
  return `| ${name} | ${share(own.feasible)} | ${own.callsPer100Steps.toFixed(2)} | ${share(own.foldRatio)} | ${share(own.cost)} | ${share(own.precision)} | ${share(own.recall)} | ${share(f1(own))} |`;
}

interface Family {
  readonly name: string;
  readonly members: readonly (readonly [string, Figures])[];
}

function families(cases: readonly Case[]): Family[] {
  const { callPrice, costWeight } = recipe.detect;
  const rule = (set: Partial<Rule>): Figures => figures(cases, (problem) => followRule(problem, { ...noRule, ...set }));
  const drawn = (price: number): Figures =>
    mean(Array.from({ length: 20 }, (_, seed) => figures(cases, atRandom(ours(price, costWeight), seed + 1))));
  return [
    {
      name: "optimum",
      members: [0.3, 0.4, 0.5, callPrice, 0.6, 0.7, 0.8].map((price) => [`callPrice ${price}`, figures(cases, ours(price, costWeight))]),
    },
    {
      name: "optimum, other costWeight",
      members: [0, 0.5, 2, 4].map((weight) => [`callPrice ${callPrice}, costWeight ${weight}`, figures(cases, ours(callPrice, weight))]),
    },
    { name: "greedy", members: [0.4, 0.5, 0.6, 0.7, 0.8].map((minScore) => [`score >= ${minScore}`, rule({ minScore, occupancy: 0.8 })]) },
    {
      name: "threshold",
      members: [0.2, 0.3, 0.4, 0.6, 0.8].map((occupancy) => [`${100 * occupancy} % of the window`, rule({ occupancy })]),
    },
    { name: "every N steps", members: [10, 14, 17, 25, 40].map((everySteps) => [`${everySteps} steps`, rule({ everySteps })]) },
    {
      name: "every N tokens",
      members: [4_000, 6_000, 8_000, 12_000, 16_000].map((everyTokens) => [`${everyTokens} tokens`, rule({ everyTokens })]),
    },
    {
      name: "random",
      members: [0.4, callPrice, 0.7].map((price) => [`as many as the optimum at ${price}, mean of 20 draws`, drawn(price)]),
    },
  ];
}

const colours: Readonly<Record<string, string>> = {
  optimum: "#1f6feb",
  greedy: "#8250df",
  threshold: "#bf8700",
  "every N steps": "#9a9a9a",
  "every N tokens": "#57606a",
  random: "#cf222e",
};

/** One panel: a figure over calls per 100 steps, a line a family. */
function panel(all: readonly Family[], left: number, title: string, value: (own: Figures) => number): string {
  const [width, height, top] = [340, 240, 50];
  const shown = all.flatMap(({ name, members }) => {
    const points = members.filter(([, own]) => own.feasible > 0.5).map(([, own]) => [own.callsPer100Steps, value(own)] as const);
    return colours[name] === undefined || points.length === 0 ? [] : [{ name, points: [...points].sort((a, b) => a[0] - b[0]) }];
  });
  const most = Math.max(...shown.flatMap(({ points }) => points.map(([, at]) => at))) * 1.05;
  const widest = Math.max(...shown.flatMap(({ points }) => points.map(([calls]) => calls))) * 1.05;
  const x = (calls: number): string => (left + (width * calls) / widest).toFixed(1);
  const y = (at: number): string => (top + height - (height * at) / most).toFixed(1);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  return [
    `<text x="${left}" y="${top - 16}" font-size="13" fill="#111111">${title}</text>`,
    ...ticks.map(
      (at) =>
        `<line x1="${left}" x2="${left + width}" y1="${y(at)}" y2="${y(at)}" stroke="#e6e6e6"/><text x="${left - 6}" y="${Number(y(at)) + 4}" text-anchor="end" fill="#444444">${Math.round(100 * at)} %</text>`,
    ),
    ...[0, 2, 4, 6, 8, 10]
      .filter((calls) => calls <= widest)
      .map((calls) => `<text x="${x(calls)}" y="${top + height + 18}" text-anchor="middle" fill="#444444">${calls}</text>`),
    ...shown.map(
      ({ name, points }) =>
        `<polyline points="${points.map(([calls, at]) => `${x(calls)},${y(at)}`).join(" ")}" fill="none" stroke="${colours[name]}" stroke-width="${name === "optimum" ? 3 : 1.5}"/>`,
    ),
  ].join("\n");
}

function picture(all: readonly Family[]): string {
  const names = Object.keys(colours);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 360" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12" role="img" aria-label="Inference cost and agreement with marked boundaries over context calls per 100 steps, by strategy">
<rect width="860" height="360" fill="#ffffff"/>
${panel(all, 60, "inference cost, of append-only", ({ cost }) => cost)}
${panel(all, 490, "agreement with marked boundaries (F1, +-1 step)", f1)}
<text x="430" y="326" text-anchor="middle" fill="#444444">context calls per 100 steps</text>
${names.map((name, index) => `<text x="${60 + index * 130}" y="350" fill="${colours[name]}">${name}</text>`).join("\n")}
</svg>
`;
}

for (const windowTokens of options.window) {
  const cases = await readCases(paramsFor(windowTokens));
  const labelled = cases.filter((one) => one.labels !== null).length;
  const all = families(cases);
  console.log(
    `\n## Window ${windowTokens}: ${cases.length} trajectories of ${options.minSteps} steps or more, ${labelled} of them labelled\n`,
  );
  console.log("| strategy | fits | calls per 100 steps | fold ratio | cost / append-only | precision | recall | F1 (+-1 step) |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const { name, members } of all) for (const [member, own] of members) console.log(row(`${name}: ${member}`, own));
  if (options.picture !== undefined && windowTokens === options.window[0]) await writeFile(options.picture, picture(all));
}
