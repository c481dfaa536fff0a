import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { engineNames, type TrainingRecipe, trainerNames } from "../../schemas/recipe/training.ts";
import { trainingLines } from "../../stages/export/launchers/configs-readme.ts";
import { engines } from "../../stages/export/launchers/engines/index.ts";
import { launchers, launchFiles, trainerPlans } from "../../stages/export/launchers/index.ts";
import type { LaunchPlan } from "../../stages/export/launchers/launcher.ts";
import { allLayouts, type Config, parts, planWith, trainings } from "../stages/export/launchers/plan.ts";

const sizes = ["0.5B", "1.5B", "3B", "7B", "14B", "32B"];
/** Runs that at least one trainer can do: every size and method, with and without several GPUs, hosts and context parallelism. */
const runs: [name: string, training: Record<string, unknown>][] = [
  ["the paper's", {}],
  ...sizes.map((size): [string, Record<string, unknown>] => [
    `full ${size}`,
    { model: `Qwen/Qwen2.5-Coder-${size}-Instruct`, contextParallel: 2 },
  ]),
  ...sizes.map((size): [string, Record<string, unknown>] => [
    `lora ${size}`,
    { model: `Qwen/Qwen2.5-Coder-${size}`, method: "lora", contextParallel: 2 },
  ]),
  ...sizes.map((size): [string, Record<string, unknown>] => [
    `qlora ${size} on one GPU`,
    { model: `Qwen/Qwen2.5-Coder-${size}`, method: "qlora", contextParallel: 1, nodes: 1, gpusPerNode: 1, gpu: "H200" },
  ]),
  ["packed", { packing: true }],
  ["of a model nobody knows", { model: "my/own" }],
];
const every = { parts: parts(["train", "validation"], undefined, allLayouts) };
const planOf = (training: Record<string, unknown>): LaunchPlan => planWith({ ...every, training });
const own = (config: Config): Config => ({
  ...config,
  ...(config["optimizer"] as Config | undefined),
  ...(config["lr_scheduler"] as Config | undefined),
});

test("registries have what the recipe names, and nothing else", () => {
  expect(Object.keys(launchers)).toEqual([...trainerNames]);
  expect(Object.keys(engines)).toEqual([...engineNames]);
});

test("a dataset without samples is told as such, once, not as one that lacks a layout", () => {
  const empty = planWith({ parts: [] });
  const lines = trainingLines(empty, trainerPlans(empty));
  expect(lines).toEqual([expect.stringMatching(/no configs, the dataset has no samples; .*catgen stats/)]);
});

describe.each(Object.keys(launchers))("launcher %s", (name) => {
  const only = (training: Record<string, unknown>) => planOf({ ...training, trainers: [name] });
  const possible = runs.filter(([, training]) => trainings(only(training)).length > 0);

  test("can do the paper's run, and others", () => {
    expect(possible.map(([run]) => run)).toContain("the paper's");
    expect(possible.length).toBeGreaterThan(10);
  });

  test.each(possible)(
    "%s: files under its own folder or an engine's, each once, the same every time, YAML that parses and shell that bash reads",
    (_, training) => {
      const files = launchFiles(only(training));
      expect(files).toEqual(launchFiles(only(training)));
      expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
      for (const { path, text } of files) {
        expect(path).toMatch(new RegExp(`^configs/(${name}/|README.md)|^launch/(prepare-model.py|(${engineNames.join("|")})/${name}\\.)`));
        expect(text).not.toMatch(/undefined|NaN|\[object|null/);
        expect(text.endsWith("\n") && !text.endsWith("\n\n")).toBe(true);
        if (path.endsWith(".yaml"))
          for (const document of parseAllDocuments(text, { version: "1.1" })) expect("errors" in document && document.errors).toEqual([]);
        if (path.endsWith(".json")) JSON.parse(text);
      }
      const scripts = files.filter(({ path }) => path.endsWith(".sh")).map(({ text }) => `(\n${text.replace(/^exit /gm, "true ")}\n)`);
      expect(spawnSync("bash", ["-n"], { input: scripts.join("\n"), encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    },
  );

  test.each(possible)("%s: hyper-parameters as in the recipe, each said", (_, training) => {
    const { training: recipe } = only(training);
    for (const [, config] of trainings(only(training))) {
      const said = own(config);
      expect(said["learning_rate"] ?? said["lr"]).toBe(recipe.learningRate);
      expect(said["weight_decay"]).toBe(recipe.weightDecay);
      expect(said["adam_beta1"] ?? (said["betas"] as number[])[0]).toBe(recipe.adamBeta1);
      expect(said["adam_beta2"] ?? (said["betas"] as number[])[1]).toBe(recipe.adamBeta2);
      expect(said["adam_epsilon"] ?? said["eps"]).toBe(recipe.adamEpsilon);
      expect(said["max_grad_norm"] ?? (said["clip_grad_norm"] as Config)["max_norm"]).toBe(recipe.maxGradNorm);
      expect(JSON.stringify(said)).toContain("cosine");
      expect(sequenceOf(said)).toBe(65_536);
      expect(warmupOf(said)).toBeCloseTo(recipe.warmupRatio, 1);
      expect(batchOf(said, recipe)).toBe(recipe.globalBatch);
    }
  });

  test("each config writes into a folder of its own, so that none resumes another's training", () => {
    const all = trainings(planWith({ parts: parts(["train"], undefined, allLayouts), training: { trainers: [name] } }));
    const folders = all.map(([, config]) => own(config)["output_dir"] ?? (config["checkpoint"] as Config)["checkpoint_dir"]);
    expect(folders.length).toBeGreaterThan(1);
    expect(new Set(folders).size).toBe(folders.length);
  });

  test("has no config for a dataset without rows, and says so", () => {
    const files = launchFiles(planWith({ parts: [], training: { trainers: [name] } }));
    expect(files.filter(({ path }) => path.includes(name))).toEqual([]);
    expect(files.find(({ path }) => path === "configs/README.md")?.text).toContain("No configs: the dataset has no samples");
  });

  test("without a validation split no configuration mentions one", () => {
    const plan = planWith({ parts: parts(["train"], undefined, allLayouts), training: { trainers: [name] } });
    for (const { path, text } of launchFiles(plan))
      if (path.startsWith(`configs/${name}/`)) expect(text).not.toMatch(/validation|eval_strategy/i);
  });

  test("without context parallelism nothing asks for it", () => {
    for (const [, config] of trainings(only({ contextParallel: 1, model: "Qwen2.5-Coder-3B" })))
      expect(JSON.stringify(config)).not.toMatch(/context_parallel|parallelism_config|sdpa|sequence_parallel|"cp_size":[^1]/);
  });

  test("every path that a configuration or script names is in the dataset, or made by a script", () => {
    const plan = only({});
    const there = new Set([
      ...launchFiles(plan).map(({ path }) => path),
      ...plan.parts.flatMap(({ files, layout, kind }) => [`${layout}/${kind}`, layout, ...Object.values(files).flat()]),
    ]);
    for (const [, config] of trainings(plan)) {
      const named = JSON.stringify(config).match(/"(?:\.\/)?(?:configs|messages|input-output|tokenized|turns)(?:\/[^"]*)?"/g) ?? [];
      for (const path of named.map((text) => text.slice(1, -1).replace(/^\.\//, "")))
        if (path.includes("/") || there.has(path)) expect([...there].some((one) => one === path || one.startsWith(`${path}/`))).toBe(true);
    }
  });
});

/** Longest sequence; `cutoff_len` and others are its names. */
const sequenceOf = (config: Config): unknown =>
  config["sequence_len"] ?? config["max_length"] ?? cutoffOf(config) ?? (config["dataset"] as Config)["seq_length"];

/** LLaMA-Factory takes one token off when it packs. */
const cutoffOf = ({ cutoff_len: cutoff, neat_packing: packs }: Config): unknown => (packs === true ? Number(cutoff) - 1 : cutoff);

/** Share of the steps. */
function warmupOf(config: Config): number {
  const steps = (config["step_scheduler"] as Config | undefined)?.["max_steps"] as number | undefined;
  return steps === undefined ? Number(config["warmup_ratio"] ?? config["warmup_steps"]) : Number(config["lr_warmup_steps"]) / steps;
}

/** Samples per optimizer step, from what the configuration says. */
function batchOf(config: Config, { nodes, gpusPerNode, contextParallel }: TrainingRecipe): unknown {
  const whole = (config["step_scheduler"] as Config | undefined)?.["global_batch_size"];
  const shared = "cutoff_len" in config ? 1 : contextParallel;
  return whole ?? (Number(config["gradient_accumulation_steps"]) * nodes * gpusPerNode) / shared;
}
