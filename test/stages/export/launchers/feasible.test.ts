import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fault } from "../../../../schemas/fault.ts";
import { TrainingRecipe } from "../../../../schemas/recipe/training.ts";
import { estimateDuration } from "../../../../stages/export/launchers/duration.ts";
import { feasibility, requireFeasible, trainingProblems } from "../../../../stages/export/launchers/feasible.ts";
import { gpuNames } from "../../../../stages/export/launchers/gpus.ts";
import { launchers } from "../../../../stages/export/launchers/index.ts";
import { estimateMemory } from "../../../../stages/export/launchers/memory.ts";
import { countParameters, modelShapes, shapeOf } from "../../../../stages/export/launchers/model-shapes.ts";
import { planWith, textOf, trainings } from "./plan.ts";

const recipe = (change: Record<string, unknown> = {}): TrainingRecipe => TrainingRecipe.parse(change);
const problems = (change: Record<string, unknown>, window = 65_536): string[] => trainingProblems(recipe(change), window, launchers);
const coder = (size: string): string => `Qwen/Qwen2.5-Coder-${size}-Instruct`;
const shape = (size: string) => {
  const found = modelShapes[size];
  if (found === undefined) throw new Error(size);
  return found;
};

describe("model shapes", () => {
  test.each([
    ["0.5B", 0.49],
    ["1.5B", 1.54],
    ["3B", 3.09],
    ["7B", 7.62],
    ["14B", 14.77],
    ["32B", 32.76],
  ])("%s has %d billion parameters, as its model card says", (size, billions) => {
    expect(Math.round(countParameters(shape(size)).all / 1e7) / 100).toBe(billions);
  });

  test.each(["Qwen/Qwen2.5-Coder-32B-Instruct", "/models/qwen2.5-coder-32b-yarn", "Qwen/Qwen2.5-32B"])(
    "%s is known by its name",
    (model) => {
      expect(shapeOf(model, null)).toEqual(shape("32B"));
    },
  );

  test.each(["my/model", "Qwen/Qwen2.5-Coder-132B", "Qwen/Qwen2.5-72B", "Qwen/Qwen3-32B"])("%s is not taken for another", (model) => {
    expect(shapeOf(model, null)).toBeNull();
  });
});

describe("memory", () => {
  // Rows: GPUs; columns: context parallelism 1, 2, 4, 8. Source: the table of trainers.md 3.2.
  test.each([
    [8, [131, 102, 88, 81]],
    [16, [98, 70, 55, 48]],
    [32, [82, 53, 39, 32]],
  ])("of the paper's run on %i GPUs is what was computed by hand", (shards, expected) => {
    const found = [1, 2, 4, 8].map((contextParallel) =>
      Math.round(estimateMemory(recipe(), shape("32B"), 65_536, { contextParallel, shards, offloadCheckpoints: false }).gigabytes),
    );
    for (const [index, value] of found.entries()) expect(Math.abs(value - (expected[index] ?? 0))).toBeLessThanOrEqual(1);
  });

  // trainers.md 3.2: LoRA and QLoRA on one GPU at 65,536 tokens.
  test.each([
    ["lora", "7B", 42],
    ["qlora", "14B", 52],
    ["qlora", "32B", 80],
  ])("of %s %s on one GPU is about %i GB", (method, size, expected) => {
    const alone = { contextParallel: 1, shards: 1, offloadCheckpoints: false };
    const { gigabytes } = estimateMemory(recipe({ method, loraRank: 8 }), shape(size), 65_536, alone);
    expect(Math.abs(gigabytes - expected)).toBeLessThan(2.5);
  });

  test("is the sum of its terms, and grows with the window and shrinks with shards, whatever the run", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(modelShapes)),
        fc.constantFrom("full", "lora", "qlora"),
        fc.constantFrom(1, 2, 4, 8),
        fc.constantFrom(8, 16, 64),
        fc.integer({ min: 1_024, max: 131_072 }),
        (size, method, contextParallel, shards, window) => {
          const of = (tokens: number, over: number) =>
            estimateMemory(recipe({ method }), shape(size), tokens, { contextParallel, shards: over, offloadCheckpoints: false });
          const { terms, gigabytes } = of(window, shards);
          expect(terms.reduce((sum, term) => sum + term.gigabytes, 0)).toBeCloseTo(gigabytes);
          expect(of(window * 2, shards).gigabytes).toBeGreaterThan(gigabytes);
          if (method === "full") expect(of(window, shards * 2).gigabytes).toBeLessThan(gigabytes);
        },
      ),
    );
  });
});

describe("a run that cannot work is refused with what to change", () => {
  test.each([
    [{ contextParallel: 3 }, "expected export.training.contextParallel to divide 40 heads, got 3; set it to one of 1, 2, 4, 8"],
    [{ contextParallel: 10, gpusPerNode: 10 }, "to divide 8 key/value heads, got 10; set it to one of 1, 2, 4"],
    [{ contextParallel: 8, gpusPerNode: 3, globalBatch: 36 }, "to divide 6 GPUs (2 nodes x 3), got 8; set it to one of 1, 2"],
    [{ model: coder("7B") }, "to divide 28 heads, got 8; set it to one of 1, 2, 4"],
    [{ globalBatch: 5 }, "set it to 4 or 6"],
    [
      { globalBatch: 1, trainers: ["trl"] },
      "expected export.training.globalBatch to be a multiple of 2 replicas (16 GPUs / contextParallel 8), got 1; set it to 2",
    ],
    [{ yarn: false }, "the model has 32768 positions; set export.training.yarn to true"],
    [{ gpu: "H900" }, "which is none of H100, H200"],
    [{ nodes: 1, trainers: ["axolotl"] }, "exceed 72.0 GB, 0.9 of 80 GB (H100); under export.training any one of these would do: nodes 2"],
    [{ method: "qlora", contextParallel: 8, trainers: ["axolotl"] }, "4-bit weights and context parallelism do not go together"],
    [{ trainers: ["llamafactory"], globalBatch: 8 }, "multiple of 16 replicas (16 GPUs), got 8"],
    [{ trainers: ["automodel"], method: "qlora", contextParallel: 1 }, "it has no QLoRA that was checked"],
  ])("%j", (change, advice) => {
    const attempt = () => requireFeasible(recipe(change), 65_536, launchers);
    expect(attempt).toThrow(advice);
    expect(attempt).toThrow(expect.objectContaining({ code: "RECIPE_INVALID" } satisfies Partial<Fault>) as Error);
  });

  test("what the memory fault proposes does work", () => {
    for (const size of Object.keys(modelShapes))
      for (const gpu of gpuNames)
        for (const name of ["axolotl", "llamafactory"] as const) {
          const base = { model: coder(size), gpu, nodes: 1, contextParallel: 1, trainers: [name], globalBatch: 64 };
          const found = feasibility(recipe(base), 65_536, launchers[name]);
          const [, proposed = ""] = (found.ok ? "" : found.why.join()).split("would do: ");
          for (const way of proposed.split(", ").filter((text) => text !== "")) {
            const [key = "", value = ""] = way.split(" ");
            const typed = value === "true" ? true : /^\d+$/.test(value) ? Number(value) : value;
            const changed = { ...base, [key]: typed, globalBatch: 64 };
            expect(problems(changed)).toEqual([]);
          }
        }
  });

  test("nothing is checked where no trainer is wanted", () => {
    expect(problems({ trainers: [], contextParallel: 3 })).toEqual([]);
  });

  test("by default the others go on when one trainer cannot, and the README says why it cannot", () => {
    const plan = planWith({ training: { globalBatch: 8 } });
    expect(problems({ globalBatch: 8 })).toEqual([]);
    expect(textOf(plan, "configs/README.md")).toMatch(
      /LLaMA-Factory[\s\S]*No configs: expected export.training.globalBatch to be a multiple of 16 replicas/,
    );
    expect(new Set(trainings(plan).map(([path]) => path.split("/")[1]))).toEqual(new Set(["axolotl", "trl", "ms-swift", "automodel"]));
  });
});

describe("duration", () => {
  const amount = { samples: 20_000, tokens: 400_000_000 };

  test("counts steps as trainers do: the last batch of an epoch may be short", () => {
    expect(estimateDuration(recipe(), null, { samples: 33, tokens: 1 })).toMatchObject({
      steps: 6,
      warmupSteps: 1,
      tokens: 3,
      hours: null,
    });
  });

  test("of the paper's run follows from FLOPs, GPUs and utilisation", () => {
    const { hours, steps } = estimateDuration(recipe(), shape("32B"), amount);
    const flops = (6 * 32.76e9 + 6 * 64 * 5_120 * 20_000) * 400e6 * 3;
    expect(hours).toBeCloseTo(flops / (16 * 989e12 * 0.35) / 3_600, 1);
    expect(steps).toBe(1_875);
  });

  test("a budget leaves whole epochs only", () => {
    const whole = (estimateDuration(recipe(), shape("32B"), amount).hours ?? 0) * 16;
    expect(estimateDuration(recipe({ maxGpuHours: whole * 0.9 }), shape("32B"), amount).epochs).toBe(2);
    expect(estimateDuration(recipe({ maxGpuHours: whole * 2 }), shape("32B"), amount).epochs).toBe(3);
    const plan = planWith({ training: { maxGpuHours: 0.001 } });
    expect(trainings(plan)).toEqual([]);
    expect(textOf(plan, "configs/README.md")).toContain("not one epoch fits export.training.maxGpuHours 0.001");
  });
});
