import { expect, test } from "vitest";
import { parts, planWith, trainings } from "./plan.ts";

test("the TRL configs have no key that TRL 1.16 calls deprecated", () => {
  const configs = trainings(planWith({ parts: parts(["train"]), training: { trainers: ["trl"] } }));
  expect(configs.map(([path]) => path)).toEqual(["configs/trl/sft.yaml", "configs/trl/sft-base.yaml"]);
  for (const [, config] of configs)
    expect(Object.keys(config).filter((key) => ["pad_token", "loss_type", "truncation_mode", "warmup_ratio"].includes(key))).toEqual([]);
});
