import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Row } from "../../schemas/columns.ts";
import type { Tallies } from "../../schemas/manifest.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import type { Stats } from "../../schemas/stats.ts";
import { datasetCard, mixtureCard, type SplitSize } from "../../stages/export/card.ts";
import { type DatasetPart, mixturesOf } from "../../stages/export/dataset-parts.ts";
import { type ExportBundle, type Exported, type ExportedSample, type ExportParams, exportTrajectory } from "../../stages/export/export.ts";
import { launchFiles } from "../../stages/export/launchers/index.ts";
import { gradientAccumulation } from "../../stages/export/launchers/launcher.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import type { Layout } from "../../stages/export/layouts/layout.ts";
import { createProvenance, type Provenance } from "../../stages/export/provenance.ts";
import { type Place, type Split, type SplitName, splitByRepository } from "../../stages/export/split.ts";
import { createStatistics } from "../../stages/export/statistics.ts";
import type { Ports } from "../../stages/stage.ts";
import { writeParquetShards } from "../adapters/parquet-writer.ts";
import { assertNoSecretText } from "../secrets/scan-files.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { fileDigest } from "../store/lines.ts";
import { Spool } from "./spool.ts";

export type { ExportBundle } from "../../stages/export/export.ts";

export interface ExportRequest {
  /** One trajectory at a time, in a fixed order: it is the order of the rows. Read once. */
  readonly bundles: () => AsyncIterable<ExportBundle>;
  readonly params: ExportParams;
  readonly ports: Pick<Ports, "countTokens" | "digest"> & { readonly own?: readonly string[] };
  /** Empty, and the caller's to publish or throw away. */
  readonly folder: string;
  /** The model's own chat template. */
  readonly template: string;
  readonly signal?: AbortSignal;
  /** Called with the number of trajectories done. */
  readonly progress?: (done: number) => void;
}

export interface ExportSummary {
  /** Trajectories read, and those with at least one exported sample. */
  readonly trajectories: { readonly in: number; readonly out: number };
  readonly splits: readonly (SplitSize & { readonly bytes: number; readonly shards: number })[];
  /** Samples that the verdict does not keep, by kind; samples left out or refused after it, by kind and reason. */
  readonly notKept: Readonly<Record<SampleKind, number>>;
  readonly refused: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The same over all samples, as manifests count: `rejected` has the reasons, `not-kept` for those that the verdict does not keep. */
  readonly tallies: Tallies;
  readonly repositories: Readonly<Record<SplitName, number>>;
  readonly stats: Stats;
  /** Every file of the folder, sorted by path; `rows` for Parquet. */
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly bytes: number; readonly rows: number | null }[];
}

/** Writes a whole dataset into an empty folder: Parquet per layout, kind and split, card, launch files, statistics. */
export async function exportDataset(request: ExportRequest): Promise<ExportSummary> {
  gradientAccumulation(request.params.export.training); // throws now, not after an hour of rendering
  const spool = new Spool(join(request.folder, ".spool"));
  try {
    const gathered = await gather(request, spool);
    const split = splitByRepository(
      gathered.places,
      { share: request.params.export.validationShare, seed: request.params.seed },
      request.ports.digest,
    );
    const splits = await writeSplits(request, spool, gathered, split);
    await spool.remove();
    const repositories = { train: split.train.length, validation: split.validation.length };
    const data = await filesOf(request.folder, splits);
    const content = request.ports.digest(data.map(({ path, sha256 }) => `${path} ${sha256}\n`).join(""));
    await writeTexts(request, gathered, splits, repositories, content);
    return {
      trajectories: { in: gathered.trajectories, out: gathered.provenance.trajectories },
      splits: splits.map(({ rowsOf: _, ...size }) => size),
      notKept: gathered.notKept,
      refused: gathered.refused,
      tallies: talliesOf(gathered),
      repositories,
      stats: gathered.stats,
      files: await filesOf(request.folder, splits, data),
    };
  } finally {
    await spool.remove();
  }
}

interface Gathered {
  readonly trajectories: number;
  /** Where exported samples come from; a place's number is its index. */
  readonly places: readonly Place[];
  /** Samples per kind and place, to know beforehand which splits have rows. */
  readonly rows: ReadonlyMap<SampleKind, ReadonlyMap<number, number>>;
  readonly notKept: Readonly<Record<SampleKind, number>>;
  readonly refused: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly stats: Stats;
  readonly provenance: Provenance;
}

/** Renders every trajectory into the spool. */
async function gather({ bundles, params, ports, signal, progress }: ExportRequest, spool: Spool): Promise<Gathered> {
  const placeNumbers = new Map<string, number>();
  const places: Place[] = [];
  const numberOf = (place: Place): number => {
    const key = JSON.stringify([place.repository, place.instance]);
    const known = placeNumbers.get(key);
    if (known !== undefined) return known;
    placeNumbers.set(key, places.length);
    return places.push(place) - 1;
  };
  const rows = new Map<SampleKind, Map<number, number>>();
  const refused: Record<string, Record<string, number>> = {};
  const notKept: Record<SampleKind, number> = { segment: 0, condense: 0, base: 0 };
  const statistics = createStatistics();
  const provenance = createProvenance();
  let trajectories = 0;
  for await (const bundle of bundles()) {
    signal?.throwIfAborted();
    const exported = exportTrajectory(bundle, params, ports);
    for (const kind of Object.keys(notKept) as SampleKind[]) notKept[kind] += exported.notKept[kind];
    for (const { kind, why } of exported.refused) refused[kind] = { ...refused[kind], [why]: (refused[kind]?.[why] ?? 0) + 1 };
    for (const one of exported.samples) {
      const place = numberOf({ repository: bundle.trajectory.task.repository, instance: bundle.trajectory.instance });
      const counts = rows.get(one.sample.kind) ?? new Map<number, number>();
      rows.set(one.sample.kind, counts.set(place, (counts.get(place) ?? 0) + 1));
      await spool.add(place, one);
    }
    if (exported.samples.length > 0) provenance.add(bundle.trajectory, hasMemories(exported) ? bundle.memory : null);
    if (exported.samples.some(({ sample }) => sample.kind === "segment")) statistics.add(bundle.metrics);
    trajectories += 1;
    progress?.(trajectories);
  }
  await spool.finish();
  return { trajectories, places, rows, notKept, refused, stats: statistics.stats(), provenance: provenance.provenance() };
}

const hasMemories = (exported: Exported): boolean => exported.samples.some(({ sample }) => sample.kind !== "base");

function talliesOf({ rows, notKept, refused }: Gathered): Tallies {
  const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);
  const out = sum([...rows.values()].map((counts) => sum(counts.values())));
  const dropped = sum(Object.values(notKept));
  const rejected: Record<string, number> = dropped === 0 ? {} : { "not-kept": dropped };
  for (const reasons of Object.values(refused))
    for (const [why, count] of Object.entries(reasons)) rejected[why] = (rejected[why] ?? 0) + count;
  return { in: out + sum(Object.values(rejected)), out, rejected, quarantined: 0, failed: 0 };
}

interface WrittenSplit extends SplitSize {
  readonly bytes: number;
  readonly shards: number;
  readonly rowsOf: Readonly<Record<string, number>>;
}

const megabyte = 1_000_000;

/** One Parquet writer at a time; splits without rows are not written, so that nothing loads as an empty dataset. */
async function writeSplits(request: ExportRequest, spool: Spool, gathered: Gathered, split: Split): Promise<WrittenSplit[]> {
  const { params, folder, signal } = request;
  const sides = gathered.places.map((place) => split.of(place));
  const written: WrittenSplit[] = [];
  for (const layout of new Set<LayoutName>(params.export.layouts)) {
    for (const kind of new Set(params.export.kinds)) {
      for (const side of ["train", "validation"] as const) {
        if (![...(gathered.rows.get(kind)?.keys() ?? [])].some((place) => sides[place] === side)) continue;
        const samples = spool.samples(kind, (place) => sides[place] === side);
        written.push(await writeSplit({ layout, kind, split: side }, samples, params, folder, signal));
      }
    }
  }
  return written;
}

async function writeSplit(
  at: Pick<SplitSize, "layout" | "kind" | "split">,
  samples: AsyncIterable<ExportedSample>,
  { export: { rowGroupMegabytes, shardMegabytes } }: ExportParams,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<WrittenSplit> {
  const layout: Layout = layouts[at.layout];
  let tokens = 0;
  let trainedTokens = 0;
  const rows = async function* (): AsyncGenerator<Row> {
    for await (const { sample, facts } of samples) {
      signal?.throwIfAborted();
      tokens += facts.tokens;
      trainedTokens += facts.trainedTokens;
      yield layout.row(sample, facts);
    }
  };
  const path = `${at.layout}/${at.kind}`;
  const options = { rowGroupBytes: rowGroupMegabytes * megabyte, shardBytes: shardMegabytes * megabyte };
  const { rows: count, bytes, shards } = await writeParquetShards(join(folder, path), at.split, layout.columns, rows(), options);
  const rowsOf = Object.fromEntries(shards.map((shard) => [`${path}/${shard.name}`, shard.rows]));
  return { ...at, rows: count, tokens, trainedTokens, bytes, shards: shards.length, rowsOf };
}

function partsOf(splits: readonly SplitSize[]): DatasetPart[] {
  const parts: (DatasetPart & { splits: SplitName[] })[] = [];
  for (const { layout, kind, split } of splits) {
    const part = parts.find((one) => one.layout === layout && one.kind === kind);
    if (part === undefined) parts.push({ layout, kind, splits: [split] });
    else part.splits.push(split);
  }
  return parts;
}

/** Card, launch files and statistics. */
async function writeTexts(
  { params, folder, template, ports }: ExportRequest,
  { provenance, refused, stats }: Gathered,
  splits: readonly WrittenSplit[],
  repositories: Readonly<Record<SplitName, number>>,
  content: string,
): Promise<void> {
  const parts = partsOf(splits);
  const { name: dataset, training } = params.export;
  const texts = [
    { path: "README.md", text: datasetCard({ params, parts, sizes: splits, provenance, repositories, refused, stats, content }) },
    { path: "stats.json", text: `${JSON.stringify(stats, null, 2)}\n` },
    ...(mixturesOf(parts, "messages").length === 0 ? [] : [{ path: "messages/README.md", text: mixtureCard(parts, "messages", content) }]),
    ...launchFiles({ dataset, training, windowTokens: params.window.tokens, seed: params.seed, parts, template }),
  ];
  assertNoSecretText(texts, params.export.allowSecretTypes, ports.own ?? []); // rows went through the gate one by one
  for (const { path, text } of texts) await writeTextAtomically(join(folder, path), text);
}

type DatasetFiles = ExportSummary["files"];

/** Everything in the folder, sorted by path; files that are known already are not read again. */
async function filesOf(folder: string, splits: readonly WrittenSplit[], known: DatasetFiles = []): Promise<DatasetFiles> {
  const before = new Map(known.map((file) => [file.path, file]));
  const rows = new Map(splits.flatMap((split) => Object.entries(split.rowsOf)));
  const paths = (await readdir(folder, { recursive: true })).map((path) => path.replaceAll("\\", "/")).sort();
  const files: DatasetFiles[number][] = [];
  for (const path of paths) {
    const file = before.get(path);
    if (file !== undefined) files.push(file);
    else if ((await stat(join(folder, path))).isFile())
      files.push({ path, ...(await fileDigest(join(folder, path))), rows: rows.get(path) ?? null });
  }
  return files;
}
