import { Fault } from "../../../schemas/fault.ts";
import type { TrainingRecipe } from "../../../schemas/recipe/training.ts";
import { mixturesOf } from "../dataset-parts.ts";
import { automodel } from "./automodel.ts";
import { axolotl } from "./axolotl.ts";
import { configsReadme, type TrainerPlan } from "./configs-readme.ts";
import { estimateDuration } from "./duration.ts";
import { engines } from "./engines/index.ts";
import { feasibility } from "./feasible.ts";
import type { Launcher, LauncherName, LaunchFile, LaunchPlan, TrainerData, TrainerLayout, TrainerRun } from "./launcher.ts";
import { llamafactory } from "./llamafactory.ts";
import { msSwift } from "./ms-swift.ts";
import { prepareModel } from "./prepare-model.ts";
import { installScript, runScript } from "./run-script.ts";
import { trl } from "./trl.ts";

export const launchers = { axolotl, trl, "ms-swift": msSwift, llamafactory, automodel } satisfies Record<LauncherName, Launcher>;

/** Mixtures in every layout that the trainer reads and the dataset has, the best first. */
function dataFor(plan: LaunchPlan, launcher: Launcher, run: TrainerRun): TrainerData[] {
  const all = (Object.keys(launcher.layouts) as TrainerLayout[]).flatMap((layout) =>
    mixturesOf(plan.parts, layout, plan.mixtures).map((mixture): TrainerData => {
      const kinds = new Set(mixture.parts.map(({ kind }) => kind));
      const own = plan.parts.filter((part) => part.layout === layout && kinds.has(part.kind));
      const samples = own.reduce((sum, part) => sum + part.samples, 0);
      const tokens = own.reduce((sum, part) => sum + part.tokens, 0);
      return { layout, mixture, duration: estimateDuration(run.training, run.shape, { samples, tokens }) };
    }),
  );
  return all.filter((data) => (launcher.reads?.(data) ?? true) && (launcher.misreads?.(data.layout, plan.chat) ?? null) === null);
}

/** Why all of these layouts that the trainer could read would be misread; null: one of them is not, or it could read none. */
function misreading(launcher: Launcher, layouts: readonly string[], chat: LaunchPlan["chat"]): string | null {
  const readable = (Object.keys(launcher.layouts) as TrainerLayout[]).filter((layout) => layouts.includes(layout));
  const reasons = readable.map((layout) => launcher.misreads?.(layout, chat) ?? null);
  return reasons.includes(null) ? null : (reasons[0] ?? null);
}

/** Throws where a trainer that the recipe names would misread every layout of it: before anything is rendered. */
export function requireTemplates(training: TrainingRecipe, layouts: readonly string[], chat: LaunchPlan["chat"]): void {
  const problems = (training.trainers ?? []).flatMap((name) => {
    const why = misreading(launchers[name], layouts, chat);
    return why === null ? [] : [`${name}: ${why}`];
  });
  if (problems.length > 0)
    throw new Fault("RECIPE_INVALID", "stop", `this training cannot work: ${problems.join("; ")} (export.training.trainers names it)`);
}

function planFor(plan: LaunchPlan, name: LauncherName): TrainerPlan {
  const launcher: Launcher = launchers[name];
  if (plan.parts.length === 0)
    return {
      name,
      launcher,
      why: ["the dataset has no samples; `catgen stats` says what every filter took, `catgen analyze` what other thresholds keep"],
    };
  const possible = feasibility(plan.training, plan.windowTokens, launcher);
  if (!possible.ok) return { name, launcher, why: possible.why };
  const configs = dataFor(plan, launcher, possible.run).map((data) => ({ data, ...launcher.config(plan, possible.run, data) }));
  if (configs.length > 0 && configs.every(({ data }) => data.duration.epochs === 0))
    return {
      name,
      launcher,
      why: [
        `not one epoch fits export.training.maxGpuHours ${plan.training.maxGpuHours}; allow more, or take a smaller model or method lora`,
      ],
    };
  const affordable = configs.filter(({ data }) => data.duration.epochs > 0);
  if (affordable.length > 0) return { name, launcher, run: possible.run, configs: affordable };
  const misread = misreading(launcher, [...new Set(plan.parts.map(({ layout }) => layout))], plan.chat);
  if (misread !== null) return { name, launcher, why: [misread] };
  const layouts = Object.keys(launcher.layouts);
  return { name, launcher, why: [`it reads ${layouts.join(", ")}, which this dataset does not have; add one to export.layouts`] };
}

/** What becomes of each trainer that the recipe names, or of all. */
export const trainerPlans = (plan: LaunchPlan): TrainerPlan[] =>
  (plan.training.trainers ?? (Object.keys(launchers) as LauncherName[])).map((name) => planFor(plan, name));

/** Everything beside the data that a training needs; nothing where the recipe wants no trainer. */
export function launchFiles(plan: LaunchPlan): LaunchFile[] {
  const trainers = trainerPlans(plan);
  if (trainers.length === 0) return [];
  const files = trainers.flatMap((one): LaunchFile[] => {
    if ("why" in one) return [];
    const { name, launcher, run, configs } = one;
    return [
      ...configs.map(({ path, text }) => ({ path, text })),
      ...(launcher.extras?.(plan, run, configs) ?? []),
      runScript(plan, name, launcher, run, configs),
      installScript(name, launcher),
      ...plan.training.engines.map((engine) => engines[engine].file(plan, name)),
    ];
  });
  return [...files, configsReadme(plan, trainers), prepareModel(plan)];
}
