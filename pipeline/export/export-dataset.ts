import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Tallies } from "../../schemas/manifest.ts";
import { SampleKind } from "../../schemas/sample.ts";
import type { Stats } from "../../schemas/stats.ts";
import type { AuditSizes } from "../../stages/export/audit.ts";
import { datasetCard, mixtureCard, type SplitSize } from "../../stages/export/card.ts";
import { type DatasetPart, mixtureCounts, mixturesOf } from "../../stages/export/dataset-parts.ts";
import { exportTrajectory, noneOfAnyKind } from "../../stages/export/export.ts";
import { createFunnel, nothingSpent } from "../../stages/export/funnel.ts";
import { funnelPlot } from "../../stages/export/funnel-plot.ts";
import { trainingLines } from "../../stages/export/launchers/configs-readme.ts";
import { requireFeasible } from "../../stages/export/launchers/feasible.ts";
import { launchers, launchFiles, requireTemplates, trainerPlans } from "../../stages/export/launchers/index.ts";
import type { LaunchPlan, SizedPart } from "../../stages/export/launchers/launcher.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import { schemaText } from "../../stages/export/layouts/schema-text.ts";
import { Mix, type Mixed } from "../../stages/export/mix.ts";
import { createProvenance, type Provenance } from "../../stages/export/provenance.ts";
import { runtimeOf, runtimeText } from "../../stages/export/runtime.ts";
import { diskTexts } from "../../stages/export/save-to-disk.ts";
import { type Place, type Split, type SplitName, splitByRepository } from "../../stages/export/split.ts";
import { createStatistics, type Statistics } from "../../stages/export/statistics.ts";
import { filters } from "../../stages/filter/filters/index.ts";
import { withVerdictApplied } from "../../stages/lib/last-call.ts";
import { assertNoSecretText } from "../secrets/scan-files.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { fileDigest } from "../store/lines.ts";
import { croissantFile, madeWith } from "./about-texts.ts";
import { type ExportRequest, type Gathered, stopExportIfAsked } from "./request.ts";
import { reuseWhole, type Whole, type WrittenPart } from "./reuse.ts";
import { Spool } from "./spool.ts";
import { writeAudit } from "./write-audit.ts";
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
  /** What the launch configs were found to need, one line per trainer. */
  readonly training: readonly string[];
  /** Every file of the folder, sorted by path; `rows` for Parquet. */
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly bytes: number; readonly rows: number | null }[];
}

/** What texts and accounts say of the samples, and what was written of them. */
interface MadeDataset {
  readonly account: Whole["account"];
  readonly stats: Omit<Stats, "mixtures">;
  readonly splits: readonly WrittenSplit[];
}

/** Writes a whole dataset into an empty folder: Parquet per layout, kind and split, card, launch files, statistics. */
export async function exportDataset(request: ExportRequest): Promise<ExportSummary> {
  requireFeasible(request.params.export.training, request.params.window.tokens, launchers); // now, not after an hour of rendering
  requireTemplates(request.params.export.training, request.params.export.layouts, request.ports.countTokens.chat);
  const { account, stats: counted, splits } = (await takenWhole(request)) ?? (await makeAll(request));
  const { funnel, ...tableOne } = counted;
  const stats: Stats = { ...tableOne, mixtures: mixtureCounts(splits, request.params.export.mixtures), funnel };
  const audit = await writeAudit(request);
  const data = await filesOf(request.folder, splits);
  const content = request.ports.digest(data.map(({ path, sha256 }) => `${path} ${sha256}\n`).join(""));
  const plan = launchPlan(request, account, splits);
  await writeTexts(request, account, stats, splits, content, plan, data, audit);
  return {
    trajectories: { in: account.trajectories, out: account.provenance.trajectories },
    splits: splits.map(({ key: _key, files, reused: _reused, ...size }) => ({
      ...size,
      shards: files.filter(({ name }) => name.endsWith(".parquet")).length,
    })),
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
    training: trainingLines(plan, trainerPlans(plan)),
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
    const { trajectories, notKept, refused, provenance } = gathered;
    const { mixtures: _, ...stats } = gathered.stats; // counted from what is written
    const repositories = repositoriesOf(gathered, split);
    return { account: { trajectories, notKept, refused, provenance, repositories, tallies: talliesOf(gathered) }, stats, splits };
  } finally {
    await spool.remove();
  }
}

/** Repositories on each side that have a sample in the mix. The sides themselves do not depend on it. */
function repositoriesOf({ places, mixed }: Gathered, split: Split): Record<SplitName, number> {
  const used = new Set([...mixed.rows.values()].flatMap((counts) => [...counts.keys()]));
  const groups = new Set(places.flatMap((place, index) => (used.has(index) ? [split.groupOf(place)] : [])));
  const present = (names: readonly string[]): number => names.filter((name) => groups.has(name)).length;
  return { train: present(split.train), validation: present(split.validation) };
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
  const refused: Record<string, Record<string, number>> = {};
  const notKept = noneOfAnyKind();
  const mix = new Mix({ ...params.export, seed: params.seed }, ports.digest);
  const funnel = createFunnel(Object.keys(filters));
  let trajectories = 0;
  for await (const judged of bundles()) {
    stopExportIfAsked(signal);
    funnel.add(judged.trajectory.id, judged.metrics, judged.verdict, judged.leftOut);
    const bundle = withVerdictApplied(judged);
    const exported = exportTrajectory(bundle, params, ports);
    for (const kind of SampleKind.options) notKept[kind] += exported.notKept[kind];
    for (const { kind, why } of exported.refused) refused[kind] = { ...refused[kind], [why]: (refused[kind]?.[why] ?? 0) + 1 };
    const { instance, source, origin, task } = bundle.trajectory;
    const samples: { kind: SampleKind; draw: string }[] = [];
    for (const one of exported.samples) {
      const place = numberOf({ repository: task.repository, instance });
      const draw = mix.add(one.sample.kind, one.sample.id, instance, place);
      samples.push({ kind: one.sample.kind, draw });
      await spool.add(place, draw, one);
    }
    const writers = bundle.memory?.blocks.map(({ writer }) => writer) ?? [];
    if (samples.length > 0) await spool.addAccount({ trajectory: { source, origin }, writers, metrics: bundle.metrics, samples });
    trajectories += 1;
    progress?.(trajectories);
  }
  await spool.finish();
  const mixed = mix.result();
  for (const { kind, why, count } of mixed.dropped) refused[kind] = { ...refused[kind], [why]: count };
  const { statistics, provenance } = await accountsOf(spool, mixed);
  const stats = statistics.stats(funnel.funnel(spent ?? nothingSpent));
  return { trajectories, places, mixed, notKept, refused, stats, provenance };
}

/** Statistics and provenance of the trajectories that have a sample in the mix. */
async function accountsOf(spool: Spool, mixed: Mixed): Promise<{ statistics: Statistics; provenance: Provenance }> {
  const statistics = createStatistics();
  const provenance = createProvenance();
  for await (const { trajectory, writers, metrics, samples } of spool.accounts()) {
    const kinds = new Set(samples.flatMap(({ kind, draw }) => (mixed.has(kind, draw) ? [kind] : [])));
    if (kinds.size > 0) provenance.add(trajectory, [...kinds].some((kind) => kind !== "base") ? writers : []);
    if (kinds.has("segment")) statistics.add(metrics);
  }
  return { statistics, provenance: provenance.provenance() };
}

function talliesOf({ mixed, notKept, refused }: Gathered): Tallies {
  const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);
  const out = sum([...mixed.rows.values()].map((counts) => sum(counts.values())));
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
const layoutTexts = ({ parts, mixtures }: LaunchPlan, layout: LayoutName, content: string): { path: string; text: string }[] => [
  { path: `${layout}/schema.json`, text: schemaText(layout, layouts[layout]) },
  ...(mixturesOf(parts, layout, mixtures).length === 0
    ? []
    : [{ path: `${layout}/README.md`, text: mixtureCard(parts, layout, content, mixtures) }]),
];

/** Parts with what training on them takes. */
function sizedParts(splits: readonly WrittenSplit[]): SizedPart[] {
  return partsOf(splits).map((part) => {
    const own = splits.filter(({ layout, kind }) => layout === part.layout && kind === part.kind);
    const train = own.find(({ split }) => split === "train");
    const files = Object.fromEntries(
      own.map(({ split, files: written }) => [split, written.map(({ name }) => name).filter((name) => name.endsWith(".parquet"))]),
    );
    return { ...part, samples: train?.rows ?? 0, tokens: train?.tokens ?? 0, files };
  });
}

function launchPlan(
  { params, template, ports }: ExportRequest,
  { refused }: Whole["account"],
  splits: readonly WrittenSplit[],
): LaunchPlan {
  const tooLong = (reasons: Readonly<Record<string, number>>): number =>
    Object.entries(reasons).reduce((sum, [why, count]) => sum + (why.split(" ").includes("window-exceeded") ? count : 0), 0);
  const overLong = Object.fromEntries(
    Object.entries(refused).flatMap(([kind, reasons]) => (tooLong(reasons) > 0 ? [[kind, tooLong(reasons)]] : [])),
  );
  const { name: dataset, training, mixtures } = params.export;
  const { chat } = ports.countTokens;
  const { window, seed } = params;
  return { dataset, training, windowTokens: window.tokens, seed, parts: sizedParts(splits), mixtures, overLong, template, chat };
}

/** Card, launch files and statistics. */
async function writeTexts(
  request: ExportRequest,
  { provenance, refused, repositories }: Whole["account"],
  stats: Stats,
  splits: readonly WrittenSplit[],
  content: string,
  plan: LaunchPlan,
  data: DatasetFiles,
  audit: AuditSizes | null,
): Promise<void> {
  const { params, folder, tokenizer, ports } = request;
  const { parts } = plan;
  const texts = [
    croissantFile(request, provenance, parts, data),
    {
      path: "README.md",
      text: datasetCard({
        tokenizer: tokenizer ?? "Qwen2.5",
        made: madeWith(request),
        trainers: trainerPlans(plan).flatMap((one) => ("why" in one ? [] : [one.name])),
        audit,
        params,
        parts,
        sizes: splits,
        provenance,
        repositories,
        refused,
        stats,
        content,
      }),
    },
    ...(stats.funnel === null ? [] : [{ path: "funnel.svg", text: funnelPlot(stats.funnel) }]),
    { path: "stats.json", text: `${JSON.stringify(stats, null, 2)}\n` },
    ...[...new Set(parts.map(({ layout }) => layout))].flatMap((layout) => layoutTexts(plan, layout, content)),
    ...diskTexts(parts, plan.mixtures, (place) => ports.digest(`${place} ${content}`).slice(0, 16)),
    ...launchFiles(plan),
    { path: "runtime.yaml", text: runtimeText(runtimeOf(params, ports.digest(plan.template))) },
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
