import type { MixtureName } from "../../schemas/recipe/export.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import { type DatasetPart, mixtures, mixturesOf } from "./dataset-parts.ts";
import { tokenized } from "./layouts/tokenized.ts";
import type { SplitName } from "./split.ts";

/**
 * The rows of `tokenized` as `datasets.load_from_disk` reads them, one folder per mixture, for LLaMA-Factory's `tokenized_path`, which
 * takes one folder (trainers.md 2.4). Every kind is a file of its own.
 */
export const diskFolder = "tokenized-disk";

const fileName = (kind: SampleKind): string => `data-${kind}.arrow`;
const splitFolder = (mixture: MixtureName, split: SplitName): string => `${diskFolder}/${mixture}/${split}`;

/** Where the rows of a kind lie: once in each mixture that takes it. `kinds`: those with rows to train on. */
export function diskPaths(kind: SampleKind, split: SplitName, kinds: ReadonlySet<SampleKind>, wanted: readonly MixtureName[]): string[] {
  const parts: DatasetPart[] = [...kinds].map((one) => ({ layout: "tokenized", kind: one, splits: ["train"] }));
  return mixturesOf(parts, "tokenized", wanted).flatMap(({ name }) =>
    (mixtures[name] as readonly SampleKind[]).includes(kind) ? [`${splitFolder(name, split)}/${fileName(kind)}`] : [],
  );
}

/** `Sequence`, since `List` is unknown before `datasets` 4. */
const features = Object.fromEntries(
  Object.entries(tokenized.columns).flatMap(([name, column]) =>
    column.type === "list" ? [[name, { feature: { dtype: column.element.type, _type: "Value" }, _type: "Sequence" }]] : [],
  ),
);

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What `save_to_disk` writes beside the rows. `fingerprint`: 16 hex digits that change with the rows, since caches go by it. */
export function diskTexts(
  parts: readonly DatasetPart[],
  wanted: readonly MixtureName[],
  fingerprint: (place: string) => string,
): { path: string; text: string }[] {
  return mixturesOf(parts, "tokenized", wanted).flatMap((mixture) => {
    const splits = (["train", "validation"] as const).filter((split) => mixture.parts.some((part) => part.splits.includes(split)));
    const texts = splits.flatMap((split) => {
      const place = splitFolder(mixture.name, split);
      const kinds = mixture.parts.flatMap((part) => (part.splits.includes(split) ? [part.kind] : []));
      const state = {
        _data_files: kinds.map((kind) => ({ filename: fileName(kind) })),
        _fingerprint: fingerprint(place),
        _format_columns: null,
        _format_kwargs: {},
        _format_type: null,
        _output_all_columns: false,
        _split: split,
      };
      const info = { citation: "", description: "", features, homepage: "", license: "" };
      return [
        { path: `${place}/state.json`, text: json(state) },
        { path: `${place}/dataset_info.json`, text: json(info) },
      ];
    });
    return [{ path: `${diskFolder}/${mixture.name}/dataset_dict.json`, text: json({ splits }) }, ...texts];
  });
}
