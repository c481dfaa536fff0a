import { Fault } from "../../../schemas/fault.ts";
import type { ModelShape, TrainingRecipe } from "../../../schemas/recipe/training.ts";
import { gpuNames, gpuOf } from "./gpus.ts";
import { gpusOf, type Launcher, type LauncherName, type TrainerRun } from "./launcher.ts";
import { estimateMemory, plannedShare, type Spread } from "./memory.ts";
import { shapeOf } from "./model-shapes.ts";

/** What a trainer would do, or every reason why it cannot, each with what to change. */
export type Feasibility = { readonly ok: true; readonly run: TrainerRun } | { readonly ok: false; readonly why: readonly string[] };

const divisors = (numbers: readonly number[]): number[] =>
  Array.from({ length: Math.min(...numbers) }, (_, index) => index + 1).filter((size) => numbers.every((number) => number % size === 0));

const multiples = (unit: number, near: number): string => {
  const below = Math.floor(near / unit) * unit;
  return below === 0 ? String(unit) : below === near ? String(near) : `${below} or ${below + unit}`;
};

/** Context parallelism splits one sequence by heads (Ulysses) or in a ring; degrees that divide all of these work in every trainer that has it. */
function contextProblems(training: TrainingRecipe, shape: ModelShape | null): string[] {
  const { contextParallel } = training;
  const sides: [number, string][] = [
    ...(shape === null
      ? []
      : ([
          [shape.heads, "heads"],
          [shape.keyValueHeads, "key/value heads"],
        ] satisfies [number, string][])),
    [gpusOf(training), `GPUs (${training.nodes} nodes x ${training.gpusPerNode})`],
  ];
  const [odd] = sides.filter(([size]) => size % contextParallel !== 0);
  if (odd === undefined) return [];
  const fitting = divisors(sides.map(([size]) => size));
  return [
    `expected export.training.contextParallel to divide ${odd[0]} ${odd[1]}, got ${contextParallel}; set it to ${fitting.length === 1 ? "1" : `one of ${fitting.join(", ")}`}`,
  ];
}

function positionProblems({ yarn }: TrainingRecipe, shape: ModelShape | null, window: number): string[] {
  if (shape === null || yarn || window <= shape.nativeWindow) return [];
  return [
    `window.tokens is ${window}, and the model has ${shape.nativeWindow} positions; set export.training.yarn to true, or window.tokens to ${shape.nativeWindow} or less`,
  ];
}

/** What no trainer can mend. */
export function generalProblems(training: TrainingRecipe, window: number): string[] {
  const shape = shapeOf(training.model, training.shape);
  const gpu =
    gpuOf(training) === null
      ? [
          `export.training.gpu is ${training.gpu}, which is none of ${gpuNames.join(", ")}; say its memory in export.training.gpuMemoryGigabytes`,
        ]
      : [];
  return [...gpu, ...contextProblems(training, shape), ...positionProblems(training, shape, window)];
}

/** Quantised weights are not split: bitsandbytes under FSDP or ZeRO-3 is not the same in any two trainers. */
export const spreadOf = (training: TrainingRecipe, { can }: Pick<Launcher, "can">): Spread => ({
  contextParallel: can.contextParallel ? training.contextParallel : 1,
  shards: training.method === "qlora" ? 1 : gpusOf(training),
  offloadCheckpoints: can.offload === "always" || (can.offload === "by-recipe" && training.offloadCheckpoints),
});

const gb = (gigabytes: number): string => `${gigabytes.toFixed(1)} GB`;

/** Changes of one or two values that would do, the mildest first. */
function ways(training: TrainingRecipe, window: number, launcher: Pick<Launcher, "can">): string[] {
  const shape = shapeOf(training.model, training.shape);
  if (shape === null) return [];
  const degrees = launcher.can.contextParallel ? divisors([shape.heads, shape.keyValueHeads, gpusOf(training)]) : [];
  const changes: [string, Partial<TrainingRecipe>][] = [
    ...degrees.map((contextParallel): [string, Partial<TrainingRecipe>] => [`contextParallel ${contextParallel}`, { contextParallel }]),
    ...(launcher.can.offload === "by-recipe"
      ? ([["offloadCheckpoints true", { offloadCheckpoints: true }]] satisfies [string, Partial<TrainingRecipe>][])
      : []),
    ...[2, 4, 8].map((more): [string, Partial<TrainingRecipe>] => [`nodes ${training.nodes * more}`, { nodes: training.nodes * more }]),
    ["method lora", { method: "lora" }],
    ["gpu H200", { gpu: "H200", gpuMemoryGigabytes: null }],
    ["gpu B200", { gpu: "B200", gpuMemoryGigabytes: null }],
  ];
  const fits = (change: Partial<TrainingRecipe>): boolean => {
    const changed = { ...training, ...change };
    return generalProblems(changed, window).length === 0 && fitsMemory(changed, shape, window, spreadOf(changed, launcher));
  };
  return changes
    .filter(([, change]) => fits(change))
    .map(([name]) => name)
    .slice(0, 4);
}

const plannedGigabytes = (training: TrainingRecipe): number =>
  plannedShare * (gpuOf(training)?.memoryGigabytes ?? Number.POSITIVE_INFINITY);
const fitsMemory = (training: TrainingRecipe, shape: ModelShape, window: number, spread: Spread): boolean =>
  estimateMemory(training, shape, window, spread).gigabytes <= plannedGigabytes(training);

function ownProblems(training: TrainingRecipe, window: number, launcher: Launcher, spread: Spread): string[] {
  const { can } = launcher;
  const gpus = gpusOf(training);
  const replicas = gpus / spread.contextParallel;
  const problems: string[] = [];
  if (training.method === "qlora" && !can.qlora) problems.push("it has no QLoRA that was checked; set export.training.method to lora");
  if (training.method === "qlora" && spread.contextParallel > 1)
    problems.push("4-bit weights and context parallelism do not go together; set export.training.contextParallel to 1, or method to lora");
  if (training.globalBatch % replicas !== 0) {
    const shared = spread.contextParallel > 1 ? ` / contextParallel ${spread.contextParallel}` : "";
    problems.push(
      `expected export.training.globalBatch to be a multiple of ${replicas} replicas (${gpus} GPUs${shared}), got ${training.globalBatch}; set it to ${multiples(replicas, training.globalBatch)}`,
    );
  }
  const shape = shapeOf(training.model, training.shape);
  if (shape !== null && !fitsMemory(training, shape, window, spread)) {
    const { gigabytes, terms } = estimateMemory(training, shape, window, spread);
    const memory = gpuOf(training)?.memoryGigabytes ?? 0;
    const would = ways(training, window, launcher);
    problems.push(
      `an estimated ${gb(gigabytes)} per GPU (${terms.map((term) => `${term.name} ${term.gigabytes.toFixed(1)}`).join(" + ")}) exceed ${gb(plannedGigabytes(training))}, ${plannedShare} of ${memory} GB (${training.gpu}); ${would.length === 0 ? "take a smaller model or window" : `under export.training any one of these would do: ${would.join(", ")}`}`,
    );
  }
  return problems;
}

/** The run as this trainer would do it. Expects that `generalProblems` found none. */
export function feasibility(training: TrainingRecipe, window: number, launcher: Launcher): Feasibility {
  const spread = spreadOf(training, launcher);
  const why = ownProblems(training, window, launcher, spread);
  if (why.length > 0) return { ok: false, why };
  const shape = shapeOf(training.model, training.shape);
  const replicas = gpusOf(training) / spread.contextParallel;
  const memory = shape === null ? null : estimateMemory(training, shape, window, spread);
  return { ok: true, run: { ...spread, training, shape, replicas, accumulation: training.globalBatch / replicas, memory } };
}

/** Every reason why this training cannot be done as asked; empty: at least one trainer can, and each that the recipe names. */
export function trainingProblems(training: TrainingRecipe, window: number, launchers: Readonly<Record<LauncherName, Launcher>>): string[] {
  if (training.trainers?.length === 0) return [];
  const general = generalProblems(training, window);
  if (general.length > 0) return general;
  const names = training.trainers ?? (Object.keys(launchers) as LauncherName[]);
  const failed = names.flatMap((name) => {
    const found = feasibility(training, window, launchers[name]);
    return found.ok ? [] : [{ name, why: found.why }];
  });
  if (training.trainers === null && failed.length < names.length) return [];
  const reasons = new Map<string, string[]>(); // trainers that share a reason are named together
  for (const { name, why } of failed) for (const reason of why) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  return [...reasons].map(([reason, whose]) => (whose.length === names.length ? reason : `${whose.join(", ")}: ${reason}`));
}

/** Throws what cannot work, before anything is rendered. */
export function requireFeasible(training: TrainingRecipe, window: number, launchers: Readonly<Record<LauncherName, Launcher>>): void {
  const problems = trainingProblems(training, window, launchers);
  if (problems.length > 0)
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      `this training cannot work: ${problems.join("; ")} (export.training.trainers: [] writes no configs at all)`,
    );
}
