import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Tallies } from "../../schemas/manifest.ts";
import { SampleKind } from "../../schemas/sample.ts";
import type { Stats } from "../../schemas/stats.ts";
import { about, datasetCard, licencesOf, mixtureCard, type SplitSize } from "../../stages/export/card.ts";
import { bibTexOf, promptTexts } from "../../stages/export/card-sections.ts";
import { croissantText } from "../../stages/export/croissant.ts";
import { type DatasetPart, mixturesOf } from "../../stages/export/dataset-parts.ts";
import { type Exported, exportTrajectory, noneOfAnyKind } from "../../stages/export/export.ts";
import { createFunnel, nothingSpent } from "../../stages/export/funnel.ts";
import { funnelPlot } from "../../stages/export/funnel-plot.ts";
import { launchFiles } from "../../stages/export/launchers/index.ts";
import { gradientAccumulation } from "../../stages/export/launchers/launcher.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import { schemaText } from "../../stages/export/layouts/schema-text.ts";
import { createProvenance } from "../../stages/export/provenance.ts";
import { type Place, type SplitName, splitByRepository } from "../../stages/export/split.ts";
import { createStatistics } from "../../stages/export/statistics.ts";
import { filters } from "../../stages/filter/filters/index.ts";
import { withVerdictApplied } from "../../stages/lib/last-call.ts";
import { assertNoSecretText } from "../secrets/scan-files.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { fileDigest } from "../store/lines.ts";
import type { ExportRequest, Gathered } from "./request.ts";
import { reuseWhole, type Whole, type WrittenPart } from "./reuse.ts";
import { Spool } from "./spool.ts";
import { reusedSplit, type WrittenSplit, writeSplits } from "./write-splits.ts";

export type { ExportBundle } from "../../stages/export/export.ts";
export type { ExportRequest } from "./request.ts";

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
  /** What the Parquet files are made of, for the next export. */
  readonly parts: readonly WrittenPart[];
  readonly whole: Whole | null;
  /** Samples whose files (of the first layout) came from an earlier export. */
  readonly samplesReused: number;
  /** Every file of the folder, sorted by path; `rows` for Parquet. */
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly bytes: number; readonly rows: number | null }[];
}

/** What texts and accounts say of the samples, and what was written of them. */
interface MadeDataset {
  readonly account: Whole["account"];
  readonly stats: Stats;
  readonly splits: readonly WrittenSplit[];
}

/** Writes a whole dataset into an empty folder: Parquet per layout, kind and split, card, launch files, statistics. */
export async function exportDataset(request: ExportRequest): Promise<ExportSummary> {
  gradientAccumulation(request.params.export.training); // throws now, not after an hour of rendering
  const { account, stats, splits } = (await takenWhole(request)) ?? (await makeAll(request));
  const data = await filesOf(request.folder, splits);
  const content = request.ports.digest(data.map(({ path, sha256 }) => `${path} ${sha256}\n`).join(""));
  await writeTexts(request, account, stats, splits, content, data);
  const { funnel: _, ...tableOne } = stats;
  return {
    trajectories: { in: account.trajectories, out: account.provenance.trajectories },
    splits: splits.map(({ key: _key, files, reused: _reused, ...size }) => ({ ...size, shards: files.length })),
    parts: splits.map(({ reused: _reused, files, ...part }) => ({
      ...part,
      files: data.flatMap(({ path, sha256, rows }) =>
        files.some(({ name }) => name === path) && rows !== null ? [{ path, sha256, rows }] : [],
      ),
    })),
    whole: request.kept === undefined ? null : { key: request.kept.key, account, tableOne },
    samplesReused: splits.reduce((sum, { layout, rows, reused }) => sum + (reused && layout === splits[0]?.layout ? rows : 0), 0),
    notKept: account.notKept,
    refused: account.refused,
    tallies: account.tallies,
    repositories: account.repositories,
    stats,
    files: await filesOf(request.folder, splits, data),
  };
}

/** The samples of an earlier export that kept the very same; null: there is none, or a file of it is not whole. */
async function takenWhole({ earlier, kept, folder }: ExportRequest): Promise<MadeDataset | null> {
  const found = kept === undefined ? null : await reuseWhole(earlier ?? [], kept.key, folder);
  if (kept === undefined || found === null) return null;
  return {
    account: found.whole.account,
    stats: { ...found.whole.tableOne, funnel: await kept.funnel() },
    splits: found.parts.map(reusedSplit),
  };
}

async function makeAll(request: ExportRequest): Promise<MadeDataset> {
  const spool = new Spool(join(request.folder, ".spool"));
  try {
    const gathered = await gather(request, spool);
    const split = splitByRepository(
      gathered.places,
      { share: request.params.export.validationShare, seed: request.params.seed },
      request.ports.digest,
    );
    const splits = await writeSplits(request, spool, gathered, split);
    const { trajectories, notKept, refused, provenance, stats } = gathered;
    const repositories = { train: split.train.length, validation: split.validation.length };
    return { account: { trajectories, notKept, refused, provenance, repositories, tallies: talliesOf(gathered) }, stats, splits };
  } finally {
    await spool.remove();
  }
}

/** Renders every trajectory into the spool. */
async function gather({ bundles, params, ports, spent, signal, progress }: ExportRequest, spool: Spool): Promise<Gathered> {
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
  const notKept = noneOfAnyKind();
  const statistics = createStatistics();
  const funnel = createFunnel(Object.keys(filters));
  const provenance = createProvenance();
  let trajectories = 0;
  for await (const judged of bundles()) {
    signal?.throwIfAborted();
    funnel.add(judged.trajectory.id, judged.metrics, judged.verdict);
    const bundle = withVerdictApplied(judged);
    const exported = exportTrajectory(bundle, params, ports);
    for (const kind of SampleKind.options) notKept[kind] += exported.notKept[kind];
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
  const stats = statistics.stats(funnel.funnel(spent ?? nothingSpent));
  return { trajectories, places, rows, notKept, refused, stats, provenance: provenance.provenance() };
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

function partsOf(splits: readonly SplitSize[]): DatasetPart[] {
  const parts: (DatasetPart & { splits: SplitName[] })[] = [];
  for (const { layout, kind, split } of splits) {
    const part = parts.find((one) => one.layout === layout && one.kind === kind);
    if (part === undefined) parts.push({ layout, kind, splits: [split] });
    else part.splits.push(split);
  }
  return parts;
}

/** What a layout's folder says of itself: its columns, and its mixtures where there is something to train on. */
const layoutTexts = (parts: readonly DatasetPart[], layout: LayoutName, content: string): { path: string; text: string }[] => [
  { path: `${layout}/schema.json`, text: schemaText(layout, layouts[layout]) },
  ...(mixturesOf(parts, layout).length === 0 ? [] : [{ path: `${layout}/README.md`, text: mixtureCard(parts, layout, content) }]),
];

/** Card, launch files and statistics. */
async function writeTexts(
  { params, folder, template, ports, made }: ExportRequest,
  { provenance, refused, repositories }: Whole["account"],
  stats: Stats,
  splits: readonly WrittenSplit[],
  content: string,
  data: DatasetFiles,
): Promise<void> {
  const parts = partsOf(splits);
  const { name: dataset, training, about: people } = params.export;
  const prompts = Object.entries(promptTexts(params.persona.name)).map(([name, text]) => [name, ports.digest(text)] as const);
  const madeWith = made === undefined ? null : { ...made, prompts: Object.fromEntries(prompts) };
  const licences = licencesOf(provenance);
  const texts = [
    {
      path: "README.md",
      text: datasetCard({ params, parts, sizes: splits, provenance, repositories, refused, stats, content, made: madeWith }),
    },
    {
      path: "croissant.json",
      text: croissantText({
        name: dataset,
        description: about,
        licences,
        about: people,
        citation: bibTexOf(params.export),
        parts,
        files: data,
      }),
    },
    ...(stats.funnel === null ? [] : [{ path: "funnel.svg", text: funnelPlot(stats.funnel) }]),
    { path: "stats.json", text: `${JSON.stringify(stats, null, 2)}\n` },
    ...[...new Set(parts.map(({ layout }) => layout))].flatMap((layout) => layoutTexts(parts, layout, content)),
    ...launchFiles({ dataset, training, windowTokens: params.window.tokens, seed: params.seed, parts, template }),
  ];
  assertNoSecretText(texts, params.export.allowSecretTypes, ports.own ?? []); // rows went through the gate one by one
  for (const { path, text } of texts) await writeTextAtomically(join(folder, path), text);
}

type DatasetFiles = ExportSummary["files"];

/** Everything in the folder, sorted by path; files that are known already are not read again. */
async function filesOf(folder: string, splits: readonly WrittenSplit[], known: DatasetFiles = []): Promise<DatasetFiles> {
  const before = new Map(known.map((file) => [file.path, file]));
  const rows = new Map(splits.flatMap(({ files: own }) => own.map(({ name, rows: count }) => [name, count] as const)));
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
