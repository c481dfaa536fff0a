import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chatTemplate } from "../../../pipeline/adapters/chat-template.ts";
import { readParquetRows } from "../../../pipeline/adapters/parquet-reader.ts";
import { type ExportSummary, exportDataset } from "../../../pipeline/export/export-dataset.ts";
import { requirePreset } from "../../../pipeline/presets.ts";
import type { ExportRecipe } from "../../../schemas/recipe/export.ts";
import { trainerNames } from "../../../schemas/recipe/training.ts";
import { arrayOf, paramsOf, ports, smallBundles, smallRecipe } from "../../stages/export/small-bundles.ts";

/** CAT's samples and the baseline's as one dataset: the preset `mix-20k`, with numbers that these few trajectories exceed. */

const preset = (parse(requirePreset("mix-20k")) as { export: ExportRecipe }).export;
const [segments, bases] = [7, 5];
const recipe = smallRecipe({
  export: {
    ...preset,
    mix: { ...preset.mix, segment: segments, base: bases },
    condenseExtractive: true,
    layouts: ["messages", "input-output", "tokenized"],
    validationShare: 0.3,
    training: { model: "Qwen/Qwen2.5-Coder-0.5B-Instruct", method: "lora", contextParallel: 1, nodes: 1, gpusPerNode: 4, globalBatch: 4 },
  },
});
let folder: string;
let summary: ExportSummary;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-mixture-"));
  const template = await chatTemplate("qwen2.5");
  summary = await exportDataset({ bundles: arrayOf(await smallBundles(recipe)), params: paramsOf(recipe), ports, folder, template });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Front {
  readonly configs: readonly { config_name: string; default?: boolean; data_files: { split: string; path: string[] }[] }[];
}
const frontOf = async (path: string): Promise<Front> =>
  parse((await readFile(join(folder, path), "utf8")).split("---\n")[1] ?? "") as Front;

/** Rows of a configuration, as `datasets` would find them by its patterns. */
async function rowsOf({ configs }: Front, name: string, top = ""): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const config = configs.find((one) => one.config_name === name);
  if (config === undefined) throw new Error(`no ${name} among ${configs.map((one) => one.config_name)}`);
  for (const { path } of config.data_files.flatMap(({ path: all }) => all.map((one) => ({ path: join(top, one) })))) {
    const [place = "", file = ""] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
    for (const found of await readdir(join(folder, place)))
      if (found.startsWith(file.slice(0, file.indexOf("*"))))
        for await (const _ of readParquetRows(join(folder, place, found)))
          counts[place.split("/").at(-1) ?? ""] = (counts[place.split("/").at(-1) ?? ""] ?? 0) + 1;
  }
  return counts;
}

const counts = () => {
  const [mixture] = summary.stats.mixtures ?? [];
  return Object.fromEntries((mixture?.samples ?? []).map(({ kind, train, validation }) => [kind, train + validation]));
};

test("as many samples of each kind are drawn as the recipe says, and statistics count them", () => {
  expect(summary.stats.mixtures?.map(({ name }) => name)).toEqual(["cat-base"]);
  expect(counts()).toMatchObject({ segment: segments, base: bases });
  expect(counts()["condense"]).toBeGreaterThan(0);
});

test("the mixture is one configuration of the dataset, what loads unless another is named, with the very rows of its kinds", async () => {
  const front = await frontOf("README.md");
  expect(front.configs[0]).toMatchObject({ config_name: "messages-cat-base", default: true });
  expect(front.configs.map(({ config_name }) => config_name)).toEqual(
    expect.arrayContaining(["input-output-cat-base", "tokenized-cat-base", "messages-base"]),
  );
  for (const layout of ["messages", "input-output", "tokenized"]) expect(await rowsOf(front, `${layout}-cat-base`)).toEqual(counts());
  expect(await rowsOf(await frontOf("messages/README.md"), "cat-base", "messages")).toEqual(counts());
});

test("the card says what it is made of", async () => {
  const card = await readFile(join(folder, "README.md"), "utf8");
  const train = summary.stats.mixtures?.[0]?.samples.map(({ kind, train: rows }) => `${rows} ${kind}`).join(" + ");
  expect(card).toContain(`| cat-base | ${train} |`);
  expect(card).toContain('load_dataset("PATH_OR_REPO", "messages-cat-base", split="train")');
});

describe.each(trainerNames)("%s", (trainer) => {
  test("has the mixture for its only training, and its first config takes every kind of it", async () => {
    const script = await readFile(join(folder, "configs", trainer, "run.sh"), "utf8");
    const [, first = ""] = /^CONFIG="\$\{CONFIG:-(.*)\}"$/m.exec(script) ?? [];
    expect(first).toContain("cat-base");
    const yaml = (await readdir(join(folder, "configs", trainer))).filter((name) => name.endsWith(".yaml") && name !== "accelerate.yaml");
    expect(yaml.filter((name) => !name.includes("cat-base"))).toEqual([]);
    const named = `${script}\n${await readFile(join(folder, first), "utf8")}`;
    const whole = /dataset_config: cat-base|tokenized-disk\/cat-base/.test(named);
    for (const kind of ["segment", "condense", "base"]) expect([kind, whole || named.includes(`/${kind}`)]).toEqual([kind, true]);
  });
});

test("by default there is no such mixture, and the three kinds stay apart", async () => {
  const other = await mkdtemp(join(tmpdir(), "catgen-mixture-"));
  const plain = smallRecipe({ export: { training: { globalBatch: 4 } } });
  const { stats } = await exportDataset({
    bundles: arrayOf(await smallBundles(plain)),
    params: paramsOf(plain),
    ports,
    folder: other,
    template: await chatTemplate("qwen2.5"),
  });
  expect(stats.mixtures?.map(({ name }) => name)).toEqual(["cat", "base"]);
  await rm(other, { recursive: true, force: true });
});
