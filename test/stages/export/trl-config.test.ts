import { expect, test } from "vitest";
import { parse } from "yaml";
import { trl } from "../../../stages/export/launchers/trl.ts";
import { smallRecipe } from "./small-bundles.ts";

test("the TRL configs have no key that TRL 1.16 calls deprecated", () => {
  const recipe = smallRecipe();
  const parts = (["segment", "condense", "base"] as const).map((kind) => ({
    layout: "messages" as const,
    kind,
    splits: ["train" as const],
  }));
  const template = "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}";
  const plan = { dataset: "d", training: recipe.export.training, windowTokens: 65_536, seed: 24, parts, template };
  const configs = trl.files(plan).filter(({ path }) => path.startsWith("configs/trl/sft"));
  expect(configs.map(({ path }) => path)).toEqual(["configs/trl/sft.yaml", "configs/trl/sft-base.yaml"]);
  for (const { text } of configs) {
    const keys = Object.keys(parse(text) as object);
    expect(keys.filter((key) => ["pad_token", "loss_type", "truncation_mode", "warmup_ratio"].includes(key))).toEqual([]);
  }
});
