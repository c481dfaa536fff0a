import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { modelShapes } from "../../../../stages/export/launchers/model-shapes.ts";
import { planWith, template, textOf } from "./plan.ts";

const python = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!python)("the preparation script stretches a model's positions once and puts a template back", () => {
  const folder = mkdtempSync(join(tmpdir(), "catgen-launch-"));
  try {
    const script = textOf(planWith(), "launch/prepare-model.py");
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

const inFolder = (
  check: (folder: string, run: (...args: string[]) => { status: number | null; stderr: string }) => void,
  training = {},
): void => {
  const folder = mkdtempSync(join(tmpdir(), "catgen-launch-"));
  try {
    writeFileSync(join(folder, "prepare.py"), textOf(planWith({ training }), "launch/prepare-model.py"));
    check(folder, (...args) => spawnSync("python3", ["prepare.py", ...args], { cwd: folder, encoding: "utf8" }));
  } finally {
    rmSync(folder, { recursive: true });
  }
};
const model = (folder: string, config: string): void => {
  mkdirSync(join(folder, "source"));
  writeFileSync(join(folder, "source/config.json"), config);
};

describe.skipIf(!python)("the preparation script", () => {
  test.each(Object.entries(modelShapes))("stretches %s by YaRN, under either name of the rope's settings", (_, shape) => {
    for (const rope of [{ rope_theta: 1_000_000 }, { rope_parameters: { rope_type: "default", rope_theta: 1_000_000 } }])
      inFolder(
        (folder, run) => {
          const { nativeWindow: max_position_embeddings, heads: num_attention_heads, keyValueHeads: num_key_value_heads } = shape;
          model(folder, JSON.stringify({ max_position_embeddings, num_attention_heads, num_key_value_heads, ...rope }));
          expect(run("--model", "source")).toMatchObject({ status: 0, stderr: "" });
          const config = JSON.parse(readFileSync(join(folder, "model/config.json"), "utf8")) as Record<string, Record<string, unknown>>;
          expect(config).toMatchObject({ max_position_embeddings: 65_536, num_attention_heads });
          expect(config["rope_parameters"] ?? config["rope_scaling"]).toMatchObject({
            rope_type: "yarn",
            factor: 2,
            original_max_position_embeddings: 32_768,
          });
          expect(config["rope_parameters"]?.["rope_theta"] ?? config["rope_theta"]).toBe(1_000_000);
        },
        { contextParallel: 1 },
      );
  });

  test.each([
    ["no model", ["--model", "./none"], "{}", "neither"],
    ["no JSON", ["--model", "source"], "max: 1", "expected JSON in"],
    ["a list", ["--model", "source"], "[]", "expected an object"],
    ["no positions", ["--model", "source"], "{}", "expected max_position_embeddings"],
    ["no rope_theta", ["--model", "source"], '{"max_position_embeddings": 4096}', "expected rope_theta"],
    [
      "scaled already",
      ["--model", "source"],
      '{"max_position_embeddings": 4096, "rope_scaling": {"type": "linear"}}',
      "expected a model without position scaling",
    ],
    ["itself as the result", ["--model", "source", "--out", "source"], '{"max_position_embeddings": 4096}', "another folder"],
    ["no window", ["--model", "source", "--window", "0"], '{"max_position_embeddings": 4096}', "above 0"],
  ])("refuses %s with what it wants", (_, args, config, message) => {
    inFolder((folder, run) => {
      model(folder, config);
      const { status, stderr } = run(...args);
      expect(status).toBe(1);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain("Traceback");
    });
  });

  test("warns when the model's heads do not fit the configs", () => {
    inFolder((folder, run) => {
      model(folder, '{"max_position_embeddings": 65536, "num_attention_heads": 28, "num_key_value_heads": 4}');
      const { status, stderr } = run("--model", "source");
      expect(status).toBe(0);
      expect(stderr).toContain("num_key_value_heads is 4, which context parallelism 8 of the configs does not divide");
    });
  });
});
