import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
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
