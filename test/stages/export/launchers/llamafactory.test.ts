import { expect, test } from "vitest";
import { allLayouts, parts, planWith, trainings } from "./plan.ts";

const configs = (packing: boolean) =>
  trainings(
    planWith({
      parts: parts(["train"], ["segment", "base"], allLayouts),
      training: {
        trainers: ["llamafactory"],
        contextParallel: 1,
        offloadCheckpoints: true,
        model: "Qwen/Qwen2.5-Coder-7B-Instruct",
        packing,
      },
    }),
  );

test("rows of text are packed without cutting one that fills the window: LLaMA-Factory takes 1 off cutoff_len when it packs", () => {
  const ofText = configs(true).filter(([path]) => !path.includes("tokenized"));
  expect(ofText.map(([path]) => path.split("/")[2])).toEqual(["cat-turns.yaml", "base-turns.yaml", "base-messages.yaml"]);
  for (const [, config] of ofText) expect(config).toMatchObject({ packing: true, neat_packing: true, cutoff_len: 65_537 });
});

test("tokenized rows are not said to be packed, for LLaMA-Factory takes them as they are", () => {
  const tokenized = configs(true).filter(([path]) => path.includes("tokenized"));
  expect(tokenized).toHaveLength(2);
  for (const [, config] of tokenized) {
    expect(config).toMatchObject({ packing: false, cutoff_len: 65_536 });
    expect(config).not.toHaveProperty("neat_packing");
  }
});

test("without packing cutoff_len is the window", () => {
  for (const [, config] of configs(false)) expect(config).toMatchObject({ packing: false, cutoff_len: 65_536 });
});
