import { join } from "node:path";
import type { Row } from "../../schemas/columns.ts";
import type { ExportedSample } from "../../stages/export/export.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import type { Layout } from "../../stages/export/layouts/layout.ts";
import type { Split } from "../../stages/export/split.ts";
import { writeParquetShards } from "../adapters/parquet-writer.ts";
import type { ExportRequest, Gathered } from "./request.ts";
import { reusePart, type WrittenPart } from "./reuse.ts";
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
const filesVersion = 1;

/** One Parquet writer at a time; splits without rows are not written, so that nothing loads as an empty dataset. */
export async function writeSplits(request: ExportRequest, spool: Spool, gathered: Gathered, split: Split): Promise<WrittenSplit[]> {
  const { params, folder, earlier, ports } = request;
  const sides = gathered.places.map((place) => split.of(place));
  const { rowGroupMegabytes, shardMegabytes } = params.export;
  const digests = new Map<string, Promise<string>>();
  const written: WrittenSplit[] = [];
  for (const layout of new Set<LayoutName>(params.export.layouts)) {
    for (const kind of new Set(params.export.kinds)) {
      for (const side of ["train", "validation"] as const) {
        if (![...(gathered.rows.get(kind)?.keys() ?? [])].some((place) => sides[place] === side)) continue;
        const wanted = (place: number): boolean => sides[place] === side;
        const samples = digests.get(`${kind} ${side}`) ?? spool.digest(kind, wanted);
        digests.set(`${kind} ${side}`, samples);
        const key = ports.digest(JSON.stringify([filesVersion, layout, kind, side, rowGroupMegabytes, shardMegabytes, await samples]));
        const found = await reusePart(earlier ?? [], key, folder);
        if (found !== null) written.push(reusedSplit(found));
        else written.push(await writeSplit({ key, layout, kind, split: side }, spool.samples(kind, wanted), request));
      }
    }
  }
  return written;
}

async function writeSplit(
  at: Pick<WrittenSplit, "key" | "layout" | "kind" | "split">,
  samples: AsyncIterable<ExportedSample>,
  { folder, signal, params, ports }: ExportRequest,
): Promise<WrittenSplit> {
  const { rowGroupMegabytes, shardMegabytes } = params.export;
  const layout: Layout = layouts[at.layout];
  let tokens = 0;
  let trainedTokens = 0;
  const rows = async function* (): AsyncGenerator<Row> {
    for await (const exported of samples) {
      signal?.throwIfAborted();
      for (const made of layout.rows(exported, ports)) {
        tokens += made.tokens;
        trainedTokens += made.trainedTokens;
        yield made.row;
      }
    }
  };
  const path = `${at.layout}/${at.kind}`;
  const options = { rowGroupBytes: rowGroupMegabytes * megabyte, shardBytes: shardMegabytes * megabyte };
  const { rows: count, bytes, shards } = await writeParquetShards(join(folder, path), at.split, layout.columns, rows(), options);
  const files = shards.map((shard) => ({ name: `${path}/${shard.name}`, rows: shard.rows }));
  return { ...at, rows: count, tokens, trainedTokens, bytes, files, reused: false };
}
