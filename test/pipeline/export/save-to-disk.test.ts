import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { afterAll, describe, expect, test } from "vitest";
import { chatTemplate } from "../../../pipeline/adapters/chat-template.ts";
import { readParquetRows } from "../../../pipeline/adapters/parquet-reader.ts";
import { exportDataset } from "../../../pipeline/export/export-dataset.ts";
import type { EarlierExport } from "../../../pipeline/export/reuse.ts";
import type { Funnel } from "../../../schemas/funnel.ts";
import type { Recipe } from "../../../schemas/recipe.ts";
import { arrayOf, paramsOf, ports, smallBundles, smallRecipe } from "../../stages/export/small-bundles.ts";

const template = await chatTemplate("qwen2.5");
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});
const recipe = smallRecipe({
  export: { kinds: ["segment", "condense", "base", "step"], layouts: ["tokenized"], validationShare: 0.3 },
});
const bundles = await smallBundles(recipe);

async function exported(own: Recipe = recipe, earlier: readonly EarlierExport[] = [], funnel?: Funnel | null) {
  const folder = await mkdtemp(join(tmpdir(), "catgen-disk-"));
  folders.push(folder);
  const kept = { key: "0".repeat(64), funnel: async () => funnel ?? Promise.reject(new Error("not asked for")) };
  const summary = await exportDataset({
    bundles: arrayOf(bundles),
    params: paramsOf(own),
    ports,
    folder,
    template,
    earlier,
    kept: { ...kept, key: ports.digest(JSON.stringify(own)) },
  });
  return { folder, summary };
}

const json = async (path: string): Promise<Record<string, unknown>> => JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
const rowsOfParquet = async (folder: string, kind: string, split: string): Promise<unknown[]> => {
  const rows: unknown[] = [];
  for await (const row of readParquetRows(join(folder, `tokenized/${kind}/${split}-00000-of-00001.parquet`))) rows.push(row);
  return rows;
};
const rowsOfArrow = async (path: string): Promise<unknown[]> =>
  tableFromIPC(await readFile(path))
    .toArray()
    .map((row: Record<string, Iterable<number>>) =>
      Object.fromEntries(Object.entries(row).map(([name, list]) => [name, [...(list as Iterable<number>)]])),
    );

describe("a save_to_disk folder", async () => {
  const { folder, summary } = await exported();

  test("has for every mixture and split the very rows of tokenized Parquet, kind after kind, as the recipe names them", async () => {
    for (const [mixture, kinds] of [
      ["cat", ["segment", "condense"]],
      ["base", ["base"]],
      ["step", ["condense", "step"]],
    ] as const) {
      const place = join(folder, "tokenized-disk", mixture);
      expect(await json(join(place, "dataset_dict.json"))).toEqual({ splits: ["train", "validation"] });
      for (const split of ["train", "validation"]) {
        const state = await json(join(place, split, "state.json"));
        expect(state["_data_files"]).toEqual(kinds.map((kind) => ({ filename: `data-${kind}.arrow` })));
        for (const kind of kinds) {
          const rows = await rowsOfArrow(join(place, split, `data-${kind}.arrow`));
          expect(rows.length).toBeGreaterThan(0);
          expect(rows).toEqual(await rowsOfParquet(folder, kind, split));
        }
        const { features } = (await json(join(place, split, "dataset_info.json"))) as { features: Record<string, { _type: string }> };
        expect(Object.entries(features).map(([name, { _type }]) => [name, _type])).toEqual(
          ["input_ids", "attention_mask", "labels"].map((name) => [name, "Sequence"]),
        );
      }
    }
  });

  test("is the same bytes every time, and no part of the numbers on the card", async () => {
    const again = await exported();
    expect(again.summary.files).toEqual(summary.files);
    for (const { layout, shards } of summary.splits) expect([layout, shards]).toEqual(["tokenized", 1]);
  });

  test("is taken from an earlier export with the same samples", async () => {
    const { whole, parts } = summary;
    const again = await exported(recipe, [{ folder, whole, parts }], summary.stats.funnel);
    expect(again.summary.samplesReused).toBeGreaterThan(0);
    expect(again.summary.files).toEqual(summary.files);
    const arrow = "tokenized-disk/step/train/data-condense.arrow";
    expect((await stat(join(again.folder, arrow))).ino).toBe((await stat(join(folder, arrow))).ino);
  });

  test("has no folder for a mixture that would have nothing to train on", async () => {
    const only = smallRecipe({ export: { kinds: ["condense", "base"], layouts: ["tokenized"], mix: {} } });
    const { summary: small } = await exported(only);
    const mixtures = new Set(small.files.flatMap(({ path }) => (path.startsWith("tokenized-disk/") ? [path.split("/")[1]] : [])));
    expect(mixtures).toEqual(new Set(["cat", "base"]));
  });
});
