import { parse } from "yaml";
import { chatTemplate } from "../../../../pipeline/adapters/chat-template.ts";
import { TrainingRecipe } from "../../../../schemas/recipe/training.ts";
import type { DatasetPart } from "../../../../stages/export/dataset-parts.ts";
import { launchFiles } from "../../../../stages/export/launchers/index.ts";
import type { LaunchPlan, SizedPart, TrainerLayout } from "../../../../stages/export/launchers/launcher.ts";

export const template = await chatTemplate("qwen2.5");

/** 2,000 samples of 10,000 tokens in each part. */
export const parts = (
  splits: DatasetPart["splits"],
  kinds: readonly DatasetPart["kind"][] = ["segment", "condense", "base"],
  layouts: readonly TrainerLayout[] = ["messages", "input-output"],
): SizedPart[] =>
  layouts.flatMap((layout) =>
    kinds.map((kind) => ({
      layout: layout as DatasetPart["layout"],
      kind,
      splits,
      samples: 2_000,
      tokens: 20_000_000,
      files: Object.fromEntries(splits.map((split) => [split, [`${layout}/${kind}/${split}-00000-of-00001.parquet`]])),
    })),
  );

export const planWith = (change: Partial<Omit<LaunchPlan, "training">> & { training?: Record<string, unknown> } = {}): LaunchPlan => ({
  dataset: "CAT-Instruct",
  windowTokens: 65_536,
  seed: 24,
  parts: parts(["train", "validation"]),
  mixtures: ["cat", "base", "flat", "step"],
  overLong: {},
  template,
  ...change,
  training: TrainingRecipe.parse(change.training ?? {}),
});

export const allLayouts: readonly TrainerLayout[] = ["messages", "input-output", "tokenized", "turns"];
export const textOf = (plan: LaunchPlan, path: string): string => {
  const file = launchFiles(plan).find((one) => one.path === path);
  if (file === undefined)
    throw new Error(
      `no ${path} among ${launchFiles(plan)
        .map((one) => one.path)
        .join(", ")}`,
    );
  return file.text;
};

export type Config = Record<string, unknown>;

/** Configurations as trainers read them, by path. */
export const trainings = (plan: LaunchPlan): [path: string, config: Config][] =>
  launchFiles(plan)
    .filter(({ path }) => /^configs\/.*\.yaml$/.test(path) && !path.endsWith("accelerate.yaml"))
    .map(({ path, text }) => [path, parse(text, { version: "1.1" }) as Config]);
