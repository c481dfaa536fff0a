import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetMetadata } from "hyparquet";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chatTemplate } from "../../../pipeline/adapters/chat-template.ts";
import { readParquetRows } from "../../../pipeline/adapters/parquet-reader.ts";
import { type ExportRequest, exportDataset } from "../../../pipeline/export/export-dataset.ts";
import { Tallies } from "../../../schemas/manifest.ts";
import type { Recipe } from "../../../schemas/recipe.ts";
import { Stats } from "../../../schemas/stats.ts";
import { type ExportBundle, exportTrajectory } from "../../../stages/export/export.ts";
import { layouts } from "../../../stages/export/layouts/index.ts";
import { repositoryOf } from "../../../stages/export/split.ts";
import { arrayOf, paramsOf, ports, smallBundle, smallBundles, smallRecipe } from "../../stages/export/small-bundles.ts";

const template = await chatTemplate("qwen2.5");
const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "catgen-export-"));
  folders.push(folder);
  return folder;
};
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function exported(recipe: Recipe, bundles: readonly ExportBundle[], change: Partial<ExportRequest> = {}) {
  const folder = await newFolder();
  const summary = await exportDataset({ bundles: arrayOf(bundles), params: paramsOf(recipe), ports, folder, template, ...change });
  return { folder, summary };
}

const rowsOf = async (path: string): Promise<Record<string, unknown>[]> => {
  const rows: Record<string, unknown>[] = [];
  for await (const row of readParquetRows(path)) rows.push(row);
  return rows;
};

/** What a Parquet file says of itself. */
async function footerOf(path: string) {
  const bytes = await readFile(path);
  const footer = parquetMetadata(new Uint8Array(bytes).buffer);
  const columns = footer.row_groups.flatMap((group) => group.columns);
  return {
    schema: JSON.stringify(footer.schema),
    codecs: columns.map((column) => column.meta_data?.codec),
    groupBytes: footer.row_groups.map((group) => Number(group.total_byte_size)),
    keys: (footer.key_value_metadata ?? []).map(({ key }) => key).filter((key) => key !== "ARROW:schema"),
  };
}

const withValidation = smallRecipe({ export: { validationShare: 0.3, training: { globalBatch: 4 } } });
const bundles = await smallBundles(withValidation);

describe("an export of several repositories", async () => {
  const { folder, summary } = await exported(withValidation, bundles);

  test("has the rows of the samples, read back as they were written", async () => {
    const samples = bundles.flatMap((bundle) => [...exportTrajectory(bundle, paramsOf(withValidation), ports).samples]);
    for (const layout of ["messages", "input-output"] as const) {
      for (const kind of ["segment", "condense", "base"] as const) {
        const files = summary.files.filter(({ path }) => path.startsWith(`${layout}/${kind}/`));
        expect(files.length).toBeGreaterThan(1);
        const read = (await Promise.all(files.map(({ path }) => rowsOf(join(folder, path))))).flat();
        const written = samples
          .filter(({ sample }) => sample.kind === kind)
          .flatMap((one) => layouts[layout].rows(one, ports).map(({ row }) => row));
        const byId = (a: { cat_sample_id?: unknown }, b: { cat_sample_id?: unknown }) =>
          String(a.cat_sample_id) < String(b.cat_sample_id) ? -1 : 1;
        expect(read.sort(byId)).toEqual(written.sort(byId));
      }
    }
  });

  test("has no repository in train and validation at once", async () => {
    const sides = new Map<string, Set<string>>();
    const repositories = new Map(
      bundles.map(({ trajectory }) => [
        trajectory.id as string,
        repositoryOf({ repository: trajectory.task.repository, instance: trajectory.instance }),
      ]),
    );
    for (const { path, rows } of summary.files) {
      if (rows === null) continue;
      for (const row of await rowsOf(join(folder, path))) {
        const repository = repositories.get(String(row["cat_trajectory_id"])) ?? "none";
        sides.set(repository, (sides.get(repository) ?? new Set()).add(path.includes("/train-") ? "train" : "validation"));
      }
    }
    expect([...sides.values()].filter((side) => side.size > 1)).toEqual([]);
    expect(summary.repositories).toEqual({ train: 5, validation: 2 });
  });

  test("has a card whose configurations name existing files, every Parquet file exactly once", async () => {
    const card = await readFile(join(folder, "README.md"), "utf8");
    const front = parse(card.split("---\n")[1] ?? "") as {
      configs: { config_name: string; data_files: { split: string; path: string[] }[] }[];
      license: string[];
    };
    const patterns = front.configs.flatMap((config) =>
      config.data_files.flatMap(({ split, path }) => path.map((one) => ({ name: config.config_name, split, one }))),
    );
    const parquet = summary.files.filter(({ rows }) => rows !== null).map(({ path }) => path);
    const matched = patterns.flatMap(({ one }) =>
      parquet.filter((path) => path.startsWith(one.slice(0, one.indexOf("*"))) && path.endsWith(".parquet")),
    );
    expect(matched.sort()).toEqual(parquet);
    for (const { name, split, one } of patterns) expect(one).toBe(`${name.replace(/-(segment|condense|base)$/, "/$1")}/${split}-*.parquet`);
    expect(front.license).toEqual(["mit", "unknown"]);
  });

  test("has a second card in messages/ whose mixtures name existing files", async () => {
    const front = parse((await readFile(join(folder, "messages/README.md"), "utf8")).split("---\n")[1] ?? "") as {
      configs: { config_name: string; data_files: { path: string[] }[] }[];
    };
    expect(front.configs.map((config) => config.config_name)).toEqual(["cat", "base"]);
    for (const path of front.configs.flatMap((config) => config.data_files.flatMap((file) => file.path))) {
      const [kind = "", file = ""] = path.split("/");
      expect((await readdir(join(folder, "messages", kind))).some((name) => name.startsWith(file.slice(0, file.indexOf("*"))))).toBe(true);
    }
  });

  test("names its content in every configuration, so that no cache takes it for another dataset of the same folder name", async () => {
    const contents = async (place: string) => {
      const cards = await Promise.all(["README.md", "messages/README.md"].map((card) => readFile(join(place, card), "utf8")));
      const fronts = cards.map((card) => parse(card.split("---\n")[1] ?? "") as { configs: { description: string }[] });
      return [...new Set(fronts.flatMap(({ configs }) => configs.map(({ description }) => description)))];
    };
    const [again, other] = await Promise.all([exported(withValidation, bundles), exported(withValidation, bundles.slice(1))]);
    const here = await contents(folder);
    expect(here).toEqual([expect.stringMatching(/^content [0-9a-f]{16,}$/)]);
    expect(await contents(again.folder)).toEqual(here);
    expect(await contents(other.folder)).not.toEqual(here);
  });

  test("states built-in memories and the thresholds in its card", async () => {
    const card = await readFile(join(folder, "README.md"), "utf8");
    expect(card).toContain("**Built-in memories.** 6 of 18");
    expect(card).toContain("`maxSteps: 500`");
    expect(card).toContain("| context calls per trajectory, mean | 4.22 | 1.5 |");
  });

  test("has configurations whose datasets exist", async () => {
    for (const name of (await readdir(join(folder, "configs/axolotl"))).filter((one) => one.endsWith(".yaml"))) {
      const config = parse(await readFile(join(folder, "configs/axolotl", name), "utf8")) as Record<
        "datasets" | "test_datasets",
        { path: string; split: string }[]
      >;
      for (const { path, split } of [...config.datasets, ...config.test_datasets])
        expect((await readdir(join(folder, path))).some((file) => file.startsWith(`${split}-`))).toBe(true);
    }
  });

  test("accounts for every sample and every file", async () => {
    expect(Tallies.parse(summary.tallies)).toMatchObject({ in: 61, out: 55, rejected: { "extractive-memory": 6 } });
    expect(summary.splits.filter(({ layout }) => layout === "messages").reduce((sum, split) => sum + split.rows, 0)).toBe(55);
    expect(summary.trajectories).toEqual({ in: 13, out: 13 });
    const there = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(summary.files).toHaveLength(there.length);
    expect(summary.files.map(({ path }) => path).filter((path) => path.includes("spool") || path.includes("tmp"))).toEqual([]);
    expect(Stats.parse(JSON.parse(await readFile(join(folder, "stats.json"), "utf8")))).toEqual(summary.stats);
    expect(summary.stats.run.trajectories).toBe(12); // the one without memories has no segments
  });

  test("is the same to the byte when made again", async () => {
    const again = await exported(withValidation, bundles);
    expect(again.summary).toEqual(summary);
  });
});

describe("what an earlier export made of the same samples", () => {
  const change = (recipe: Recipe): Recipe => ({ ...recipe, filter: { ...recipe.filter, maxFoldRatio: 0.0001 } });

  test("is taken file by file, and the dataset is the same to the byte as one made from nothing", async () => {
    const first = await exported(withValidation, bundles);
    const fewer = await smallBundles(change(withValidation));
    const scratch = await exported(withValidation, fewer);
    const again = await exported(withValidation, fewer, { earlier: [{ folder: first.folder, whole: null, parts: first.summary.parts }] });
    expect(again.summary.files).toEqual(scratch.summary.files);
    const base = first.summary.splits.filter(({ layout, kind }) => layout === "messages" && kind === "base");
    expect(again.summary.samplesReused).toBe(base.reduce((sum, { rows }) => sum + rows, 0));
    expect(base.length).toBe(2);
    const all = await exported(withValidation, bundles, { earlier: [{ folder: first.folder, whole: null, parts: first.summary.parts }] });
    expect(all.summary.samplesReused).toBe(all.summary.tallies.out);
    expect(all.summary.files).toEqual(first.summary.files);
  });

  test("is taken without rendering anything where the key of all samples is the same", async () => {
    const kept = { key: "a".repeat(64), funnel: async () => first.summary.stats.funnel ?? Promise.reject(new Error("no funnel")) };
    const first = await exported(withValidation, bundles, {
      kept: { key: "a".repeat(64), funnel: () => Promise.reject(new Error("asked")) },
    });
    const unread = (): AsyncIterable<ExportBundle> => {
      throw new Error("bundles were read");
    };
    const earlier = [{ folder: first.folder, whole: first.summary.whole, parts: first.summary.parts }];
    const again = await exported(withValidation, bundles, { earlier, kept, bundles: unread });
    expect({ ...again.summary, samplesReused: 0 }).toEqual(first.summary);
    expect(again.summary.samplesReused).toBe(first.summary.tallies.out);
    const other = { ...kept, key: "b".repeat(64) };
    await expect(exported(withValidation, bundles, { earlier, kept: other, bundles: unread })).rejects.toThrow("bundles were read");
  });

  test("is not taken where a byte of it has changed, or a file is gone", async () => {
    const first = await exported(withValidation, bundles);
    const [one, two] = first.summary.parts;
    const paths = [one?.files[0]?.path ?? "", two?.files[0]?.path ?? ""];
    const bytes = await readFile(join(first.folder, paths[0] ?? ""));
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(join(first.folder, paths[0] ?? ""), bytes);
    await rm(join(first.folder, paths[1] ?? ""));
    const again = await exported(withValidation, bundles, { earlier: [{ folder: first.folder, whole: null, parts: first.summary.parts }] });
    expect(again.summary.files).toEqual(first.summary.files);
    expect(again.summary.samplesReused).toBe(first.summary.tallies.out - (one?.rows ?? 0) - (two?.rows ?? 0));
  });
});

test("shards are cut by size, and all have one schema and zstd, also where a column has no value", async () => {
  const recipe = smallRecipe({
    export: { shardMegabytes: 0.02, rowGroupMegabytes: 0.01, validationShare: 0.3, training: { globalBatch: 4 } },
  });
  const { folder, summary } = await exported(recipe, bundles);
  for (const layout of ["messages", "input-output"]) {
    const shards = summary.files.filter(({ path, rows }) => rows !== null && path.startsWith(`${layout}/`));
    expect(shards.filter(({ path }) => path.startsWith(`${layout}/base/train-`)).length).toBeGreaterThan(2);
    const footers = await Promise.all(shards.map(async ({ path }) => footerOf(join(folder, path))));
    expect(new Set(footers.map((footer) => footer.schema)).size).toBe(1);
    expect(new Set(footers.flatMap((footer) => footer.codecs))).toEqual(new Set(["ZSTD"]));
    expect(Math.max(...footers.flatMap((footer) => footer.groupBytes))).toBeLessThan(64_000_000);
    expect(footers[0]?.keys).toEqual([]); // no `huggingface` metadata: older versions of `datasets` cannot read newer feature names
  }
});

test("with one repository there is no validation split, and no file mentions one", async () => {
  const recipe = smallRecipe({ export: { validationShare: 0.9, training: { globalBatch: 4 } } });
  const { folder, summary } = await exported(recipe, [await smallBundle(recipe)]);
  expect(new Set(summary.splits.map(({ split }) => split))).toEqual(new Set(["train"]));
  for (const { path } of summary.files.filter(({ rows }) => rows === null)) {
    const text = (await readFile(join(folder, path), "utf8")).replace("no validation split", "").replaceAll('"validation": 0', ""); // a count of none
    expect(text).not.toMatch(/validation/);
  }
});

test("a run without trajectories gives a card that says so, and no Parquet file", async () => {
  const { folder, summary } = await exported(smallRecipe(), []);
  expect(summary.splits).toEqual([]);
  expect(summary.files.map(({ path }) => path)).toEqual([
    "README.md",
    "configs/README.md",
    "croissant.json",
    "funnel.svg",
    "launch/prepare-model.py",
    "runtime.yaml",
    "stats.json",
  ]);
  expect(await readFile(join(folder, "README.md"), "utf8")).toContain("nothing passed the thresholds");
});

test("a batch that does not divide among the GPUs stops before any work", async () => {
  const recipe = smallRecipe({ export: { training: { globalBatch: 3 } } });
  const touched = (): AsyncIterable<ExportBundle> => {
    throw new Error("bundles were read");
  };
  await expect(exported(recipe, [], { bundles: touched })).rejects.toMatchObject({ code: "RECIPE_INVALID" });
});

test.each([
  ["while samples are rendered", 3, []],
  ["while they are written", bundles.length, ["messages", "messages/segment"]],
])("a request to stop %s ends the export as stopped, not as a bug, and leaves no spool and no file behind", async (_, after, folders) => {
  const folder = await newFolder();
  const stop = new AbortController();
  const work = exportDataset({
    bundles: arrayOf(bundles),
    params: paramsOf(withValidation),
    ports,
    folder,
    template,
    signal: stop.signal,
    progress: (done) => (done === after ? stop.abort() : undefined),
  });
  await expect(work).rejects.toMatchObject({ code: "DRAINED", remedy: "stop" });
  expect(await readdir(folder, { recursive: true })).toEqual(folders);
});

describe("a dataset with a mix", () => {
  const mixed = smallRecipe({ export: { mix: { segment: 7, condense: 2 }, baseMaxPerInstance: 1, validationShare: 0.3 } });

  test("has as many samples as it says, the others counted by reason, and the same split", async () => {
    const twice = [...bundles, await smallBundle(mixed, { instance: "owner1__repo1-101", model: "another-model" })];
    const all = await exported(withValidation, twice);
    const { summary } = await exported(mixed, twice);
    const rows = (kind: string) =>
      summary.splits.filter((one) => one.kind === kind && one.layout === "messages").reduce((sum, one) => sum + one.rows, 0);
    expect([rows("segment"), rows("condense"), rows("base")]).toEqual([7, 2, 13]);
    expect(summary.refused["base"]).toEqual({ "over-instance-limit": 1 });
    expect(summary.refused["segment"]?.["over-mix"]).toBeGreaterThan(10);
    expect(Tallies.parse(summary.tallies).in).toBe(all.summary.tallies.in);
    expect(summary.stats.run.trajectories).toBeLessThan(all.summary.stats.run.trajectories);
    expect(summary.repositories.train).toBeLessThanOrEqual(all.summary.repositories.train);
  });

  test("does not depend on the order of the trajectories", async () => {
    const ids = async (order: readonly ExportBundle[]): Promise<string[]> => {
      const { folder, summary } = await exported(mixed, order);
      const paths = summary.files.flatMap(({ path, rows }) => (rows !== null && path.startsWith("messages/") ? [path] : []));
      return (await Promise.all(paths.map((path) => rowsOf(join(folder, path)))))
        .flat()
        .map((row) => String(row["cat_sample_id"]))
        .sort();
    };
    expect(await ids([...bundles].reverse())).toEqual(await ids(bundles));
  });
});
