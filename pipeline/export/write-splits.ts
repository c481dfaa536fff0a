import { join } from "node:path";
import type { Row } from "../../schemas/columns.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import type { ExportedSample } from "../../stages/export/export.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import type { Layout } from "../../stages/export/layouts/layout.ts";
import { diskPaths } from "../../stages/export/save-to-disk.ts";
import type { Split, SplitName } from "../../stages/export/split.ts";
import { ArrowFile } from "../adapters/arrow-file.ts";
import { writeParquetShards } from "../adapters/parquet-writer.ts";
import { type ExportRequest, type Gathered, stopExportIfAsked } from "./request.ts";
import { linkOrCopy, reusePart, type WrittenPart } from "./reuse.ts";
import type { Spool } from "./spool.ts";

export type WrittenSplit = Omit<WrittenPart, "files"> & {
  readonly files: readonly { readonly name: string; readonly rows: number }[];
  readonly reused: boolean;
};

export const reusedSplit = (part: WrittenPart): WrittenSplit => ({
  ...part,
  files: part.files.map(({ path, rows }) => ({ name: path, rows })),
  reused: true,
});

const megabyte = 1_000_000;

/** Bumped when a layout or the writer makes other files of the same samples. */
const filesVersion = 2;

/** One Parquet writer at a time; splits without rows are not written, so that nothing loads as an empty dataset. */
export async function writeSplits(request: ExportRequest, spool: Spool, gathered: Gathered, split: Split): Promise<WrittenSplit[]> {
  const { params, folder, earlier, ports } = request;
  const sides = gathered.places.map((place) => split.of(place));
  const { rowGroupMegabytes, shardMegabytes } = params.export;
  const digests = new Map<string, Promise<string>>();
  const hasRows = (kind: SampleKind, side: SplitName): boolean =>
    [...(gathered.mixed.rows.get(kind)?.keys() ?? [])].some((place) => sides[place] === side);
  const trained = new Set(params.export.kinds.filter((kind) => hasRows(kind, "train")));
  const written: WrittenSplit[] = [];
  for (const layout of new Set<LayoutName>(params.export.layouts)) {
    for (const kind of new Set(params.export.kinds)) {
      for (const side of ["train", "validation"] as const) {
        if (!hasRows(kind, side)) continue;
        const wanted = (place: number, draw: string): boolean => sides[place] === side && gathered.mixed.has(kind, draw);
        const samples = digests.get(`${kind} ${side}`) ?? spool.digest(kind, wanted);
        digests.set(`${kind} ${side}`, samples);
        const disk = layout === "tokenized" ? diskPaths(kind, side, trained, params.export.mixtures) : [];
        const shape = [filesVersion, layout, kind, side, rowGroupMegabytes, shardMegabytes, ...(disk.length === 0 ? [] : [disk])];
        const key = ports.digest(JSON.stringify([...shape, await samples]));
        const found = await reusePart(earlier ?? [], key, folder);
        if (found !== null) written.push(reusedSplit(found));
        else written.push(await writeSplit({ key, layout, kind, split: side }, spool.samples(kind, wanted), request, disk));
      }
    }
  }
  return written;
}

async function writeSplit(
  at: Pick<WrittenSplit, "key" | "layout" | "kind" | "split">,
  samples: AsyncIterable<ExportedSample>,
  { folder, signal, params, ports }: ExportRequest,
  disk: readonly string[],
): Promise<WrittenSplit> {
  const { rowGroupMegabytes, shardMegabytes } = params.export;
  const layout: Layout = layouts[at.layout];
  let tokens = 0;
  let trainedTokens = 0;
  const [first, ...others] = disk;
  const arrow = first === undefined ? null : await ArrowFile.create(join(folder, first), layout.columns);
  const rows = async function* (): AsyncGenerator<Row> {
    for await (const exported of samples) {
      stopExportIfAsked(signal);
      for (const made of layout.rows(exported, ports)) {
        tokens += made.tokens;
        trainedTokens += made.trainedTokens;
        await arrow?.add(made.row);
        yield made.row;
      }
    }
  };
  const path = `${at.layout}/${at.kind}`;
  const options = { rowGroupBytes: rowGroupMegabytes * megabyte, shardBytes: shardMegabytes * megabyte };
  const write = () => writeParquetShards(join(folder, path), at.split, layout.columns, rows(), options);
  const {
    rows: count,
    bytes,
    shards,
  } = await write().catch(async (error: unknown) => {
    await arrow?.abandon();
    throw error;
  });
  await arrow?.close();
  for (const other of others) await linkOrCopy(join(folder, first ?? ""), join(folder, other));
  const files = [
    ...shards.map((shard) => ({ name: `${path}/${shard.name}`, rows: shard.rows })),
    ...disk.map((name) => ({ name, rows: count })),
  ];
  return { ...at, rows: count, tokens, trainedTokens, bytes, files, reused: false };
}
