import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Template } from "@huggingface/jinja";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chatTemplate } from "../../pipeline/adapters/chat-template.ts";
import type { Fault } from "../../schemas/fault.ts";
import { TrainingRecipe } from "../../schemas/recipe/export.ts";
import type { DatasetPart } from "../../stages/export/dataset-parts.ts";
import { exportTrajectory } from "../../stages/export/export.ts";
import { gatedTemplate } from "../../stages/export/launchers/gated-template.ts";
import { launchers, launchFiles } from "../../stages/export/launchers/index.ts";
import { gradientAccumulation, type Launcher, type LaunchPlan } from "../../stages/export/launchers/launcher.ts";
import { chatText } from "../../stages/lib/chatml.ts";
import { paramsOf, ports, smallBundle, smallRecipe } from "../stages/export/small-bundles.ts";

const template = await chatTemplate("qwen2.5");
const parts = (splits: DatasetPart["splits"], kinds: readonly DatasetPart["kind"][] = ["segment", "condense", "base"]): DatasetPart[] =>
  (["messages", "input-output"] as const).flatMap((layout) => kinds.map((kind) => ({ layout, kind, splits })));
const planWith = (change: Partial<LaunchPlan> = {}): LaunchPlan => ({
  dataset: "CAT-Instruct",
  training: TrainingRecipe.parse({}),
  windowTokens: 65_536,
  seed: 24,
  parts: parts(["train", "validation"]),
  template,
  ...change,
});
type Config = Record<string, unknown>;
const configsOf = (plan: LaunchPlan): [path: string, config: Config][] =>
  launchFiles(plan)
    .filter(({ path }) => path.endsWith(".yaml"))
    .map(({ path, text }) => [path, parse(text, { version: "1.1" }) as Config]);
const trainings = (plan: LaunchPlan) => configsOf(plan).filter(([path]) => !path.endsWith("accelerate.yaml"));

describe.each(Object.entries<Launcher>(launchers))("launcher %s", (name, launcher) => {
  test("writes files under its own folder, each once, the same at every run", () => {
    const files = launcher.files(planWith());
    expect(files.filter(({ path }) => !path.startsWith(`configs/${name}/`))).toEqual([]);
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
    expect(launcher.files(planWith())).toEqual(files);
  });

  test("has nothing to say about a dataset without rows", () => {
    expect(launcher.files(planWith({ parts: [] }))).toEqual([]);
  });
});

test("every configuration states the paper's hyper-parameters and what it leaves open, explicitly", () => {
  const all = trainings(planWith());
  expect(all.map(([path]) => path)).toEqual([
    "configs/axolotl/cat-input-output.yaml",
    "configs/axolotl/base-input-output.yaml",
    "configs/axolotl/cat-messages.yaml",
    "configs/axolotl/base-messages.yaml",
    "configs/trl/sft.yaml",
    "configs/trl/sft-base.yaml",
  ]);
  for (const [path, config] of all) {
    const warmup = path.includes("trl")
      ? { warmup_steps: 0.1, lr_scheduler_type: "cosine" }
      : { warmup_ratio: 0.1, lr_scheduler: "cosine" };
    expect(config).toMatchObject({
      learning_rate: 5e-5,
      weight_decay: 0.01,
      adam_beta1: 0.9,
      adam_beta2: 0.999,
      adam_epsilon: 1e-8,
      max_grad_norm: 1,
      ...warmup,
    });
    expect(config["num_epochs"] ?? config["num_train_epochs"]).toBe(3);
    expect(config["sequence_len"] ?? config["max_length"]).toBe(65_536);
    expect(config["gradient_accumulation_steps"]).toBe(16);
  }
});

test("axolotl raises on a sample that is too long, and never draws its own validation set", () => {
  for (const [path, config] of trainings(planWith()))
    if (path.includes("axolotl")) expect(config).toMatchObject({ excess_length_strategy: "raise", val_set_size: 0 });
});

test("without a validation split no configuration mentions one", () => {
  for (const { text } of launchFiles(planWith({ parts: parts(["train"]) }))) expect(text).not.toMatch(/validation|eval_strategy/i);
});

test("with the base kind alone the batch script starts from its configurations", () => {
  const files = launchFiles(planWith({ parts: parts(["train"], ["base"]) }));
  const script = files.find(({ path }) => path === "launch/slurm.sh")?.text ?? "";
  for (const [, config] of script.matchAll(/CONFIG:-([^}]+)\}/g)) expect(files.map(({ path }) => path)).toContain(config);
});

test("without context parallelism nothing asks for it", () => {
  const training = TrainingRecipe.parse({ contextParallel: 1 });
  for (const { path, text } of launchFiles(planWith({ training })))
    if (path.endsWith(".yaml")) expect(text).not.toMatch(/context_parallel_size|parallelism_config|sdpa|Context parallelism/);
});

describe("gradient accumulation", () => {
  test.each([
    [{ globalBatch: 32, nodes: 2, gpusPerNode: 8, contextParallel: 8 }, 16],
    [{ globalBatch: 32, nodes: 1, gpusPerNode: 8, contextParallel: 1 }, 4],
  ])("%j needs %i steps", (change, steps) => {
    expect(gradientAccumulation(TrainingRecipe.parse(change))).toBe(steps);
  });

  test.each([
    [{ globalBatch: 5 }, "set it to 4 or 6"],
    [{ globalBatch: 1 }, "set it to 2"],
    [{ contextParallel: 3 }, "set it to one of 1, 2, 4, 8, 16"],
  ])("%j does not divide, and the fault says what would", (change, advice) => {
    const attempt = () => gradientAccumulation(TrainingRecipe.parse(change));
    expect(attempt).toThrow(advice);
    expect(attempt).toThrow(expect.objectContaining({ code: "RECIPE_INVALID" } satisfies Partial<Fault>) as Error);
  });
});

test("shell scripts parse", () => {
  for (const { text } of launchFiles(planWith()).filter(({ path }) => path.endsWith(".sh"))) {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  }
});

describe("the batch script", () => {
  /** Runs it with stand-ins for Slurm and the trainers, which say how they were called. */
  const runScript = (environment: Record<string, string>, files: readonly string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "catgen-launch-"));
    try {
      const stub = (name: string, text: string) => writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
      for (const path of ["bin/x", ...files]) mkdirSync(dirname(join(folder, path)), { recursive: true });
      for (const path of files) writeFileSync(join(folder, path), "{}");
      stub("scontrol", "printf 'host-a\\nhost-b\\n'");
      stub("srun", 'while [[ "$1" == --* ]]; do shift; done; exec "$@"');
      for (const name of ["axolotl", "torchrun", "accelerate"]) stub(name, `echo ${name} "$@"`);
      writeFileSync(join(folder, "slurm.sh"), launchFiles(planWith()).find(({ path }) => path === "launch/slurm.sh")?.text ?? "");
      const env = {
        PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
        SLURM_SUBMIT_DIR: folder,
        SLURM_JOB_ID: "7",
        SLURM_JOB_NODELIST: "host-[a-b]",
        SLURM_JOB_NUM_NODES: "2",
        SLURM_PROCID: "1",
        ...environment,
      };
      return spawnSync("bash", ["slurm.sh"], { cwd: folder, env, encoding: "utf8" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const prepared = ["model/config.json", "configs/axolotl/cat-input-output.yaml", "configs/trl/sft.yaml"];

  test("starts axolotl on every host with the first host as the meeting point", () => {
    const { status, stdout } = runScript({}, prepared);
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "axolotl preprocess configs/axolotl/cat-input-output.yaml",
      "torchrun --nnodes 2 --nproc_per_node 8 --rdzv_id 7 --rdzv_backend c10d --rdzv_endpoint host-a:29500 -m axolotl.cli.train configs/axolotl/cat-input-output.yaml",
      "",
    ]);
  });

  test("starts TRL under accelerate with each host's own rank", () => {
    expect(runScript({ TRAINER: "trl" }, prepared).stdout).toBe(
      "accelerate launch --config_file configs/trl/accelerate.yaml --num_machines 2 --num_processes 16 --machine_rank 1 --main_process_ip host-a --main_process_port 29500 -m trl.scripts.sft --config configs/trl/sft.yaml\n",
    );
  });

  test("says what is missing before it takes any GPU", () => {
    expect(runScript({}, prepared.slice(1))).toMatchObject({
      status: 66,
      stderr: expect.stringContaining("run: python3 launch/prepare-model.py") as string,
    });
    expect(runScript({ CONFIG: "no.yaml" }, prepared)).toMatchObject({
      status: 66,
      stderr: expect.stringContaining("expected no.yaml") as string,
    });
    expect(runScript({ TRAINER: "other" }, prepared)).toMatchObject({ status: 64 });
  });
});

describe("the gated chat template", () => {
  const samples = async () => {
    const recipe = smallRecipe();
    return exportTrajectory(await smallBundle(recipe), paramsOf(recipe), ports).samples;
  };

  test("writes the same text as the model's own, which is the text that is exported", async () => {
    for (const { sample } of await samples()) {
      const text = new Template(gatedTemplate(template)).render({ messages: sample.turns });
      expect(text).toBe(new Template(template).render({ messages: sample.turns }));
      expect(text).toBe(chatText(sample.turns));
    }
  });

  test("marks exactly content and end of the turns that train", async () => {
    // The renderer ignores the tags: visible ones take their place, to see where they stand.
    const visible = gatedTemplate(template).replace("{% generation %}", "{{ '[[' }}").replace("{% endgeneration %}", "{{ ']]' }}");
    for (const { sample } of await samples()) {
      const expected = sample.turns.map((turn) =>
        turn.train ? `<|im_start|>assistant\n[[${turn.content}<|im_end|>]]\n` : `<|im_start|>${turn.role}\n${turn.content}<|im_end|>\n`,
      );
      expect(new Template(visible).render({ messages: sample.turns })).toBe(expected.join(""));
    }
  });

  test("still ends with the opening of a reply when asked for one", () => {
    const messages = [{ role: "user", content: "hi" }];
    expect(new Template(gatedTemplate(template)).render({ messages, add_generation_prompt: true })).toMatch(/<\|im_start\|>assistant\n$/);
  });

  test("is refused for a template of another make", () => {
    expect(() => gatedTemplate("{{ messages }}")).toThrow("found it 0 times");
  });
});

const python = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!python)("the preparation script stretches a model's positions once and puts a template back", () => {
  const folder = mkdtempSync(join(tmpdir(), "catgen-launch-"));
  try {
    const script = launchFiles(planWith()).find(({ path }) => path === "launch/prepare-model.py")?.text ?? "";
    writeFileSync(join(folder, "prepare.py"), script);
    const run = (...args: string[]) => spawnSync("python3", ["prepare.py", ...args], { cwd: folder, encoding: "utf8" });
    mkdirSync(join(folder, "source"));
    writeFileSync(join(folder, "source/config.json"), JSON.stringify({ max_position_embeddings: 32_768, rope_theta: 1_000_000 }));
    writeFileSync(join(folder, "source/tokenizer_config.json"), JSON.stringify({ chat_template: template, model_max_length: 32_768 }));
    const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), "utf8"));

    expect(run("--model", "source")).toMatchObject({ status: 0 });
    const yarn = { rope_type: "yarn", type: "yarn", factor: 2, original_max_position_embeddings: 32_768 };
    expect(read("model/config.json")).toEqual({ max_position_embeddings: 65_536, rope_theta: 1_000_000, rope_scaling: yarn });
    expect(read("source/config.json")).toEqual({ max_position_embeddings: 32_768, rope_theta: 1_000_000 });

    expect(run("--model", "model", "--out", "again")).toMatchObject({ status: 0 });
    expect(read("again/config.json")).toEqual(read("model/config.json"));

    writeFileSync(join(folder, "again/tokenizer_config.json"), JSON.stringify({ chat_template: "gated" }));
    expect(run("restore-template", "model", "again")).toMatchObject({ status: 0 });
    expect(read("again/tokenizer_config.json")).toEqual({ chat_template: template });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
