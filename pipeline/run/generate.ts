import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import type { InputFile, InputsFile, OutcomeFact } from "../../schemas/inputs.ts";
import type { ShardManifest, Tallies } from "../../schemas/manifest.ts";
import type { GenerateRecipe } from "../../schemas/recipe/generate.ts";
import type { Row } from "../../schemas/row.ts";
import { Trajectory } from "../../schemas/trajectory.ts";
import { idPart } from "../../stages/generate/identity.ts";
import { samplesRefusal } from "../../stages/generate/other-formats.ts";
import { indexFacts, joinOutcome } from "../../stages/generate/outcome.ts";
import { patchDigest } from "../../stages/generate/reports.ts";
import { auditDialect } from "../import/audit-record.ts";
import { type InputUnit, planInputs } from "../import/plan.ts";
import { type ReadOptions, readUnit } from "../import/read.ts";
import { stepKey } from "../keys.ts";
import { stepNamed } from "../plan.ts";
import { scrubOptions } from "../secrets/own.ts";
import { stopIfAsked } from "../stop.ts";
import { crashPoint } from "../store/crash-point.ts";
import { digestOf, sha256 } from "../store/digest.ts";
import { sweepDone } from "../store/leftovers.ts";
import { readManifest, readManifests, rowsAreThere, writeKeyMaterial, writeManifest } from "../store/manifests.ts";
import { openRowsWriter, readRows, removeOldRows, shardOf } from "../store/rows.ts";
import { journalFolder, type RunFolder, stageFolder } from "../store/run-folder.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { readInputs, writeInputs } from "./inputs.ts";
import { openQuarantine } from "./quarantine.ts";
import { revOfText, trajectoryKey } from "./row-key.ts";
import { openSpool, type Spool } from "./spool.ts";

const { step } = stepNamed("generate");

export interface GenerateRequest {
  readonly paths: readonly string[];
  /** Records of finished live runs. */
  readonly records: readonly string[];
  /** First trajectories only; null: all. */
  readonly limit: number | null;
}

/** About 16 trajectories of half a megabyte each: small enough to redo, large enough not to drown in files. */
const bytesPerShard = 8 << 20;

/** What a live run comes to, bytes: that of 50 steps on a real repository. */
const bytesPerRollout = 512 << 10;

/** Shards of a new run for this much input. */
export async function suggestShards(paths: readonly string[], rollouts: number): Promise<number> {
  const units = paths.length === 0 ? [] : await planInputs(paths);
  const given = units.reduce((sum, unit) => sum + unit.files.reduce((inner, file) => inner + file.bytes, 0), 0);
  return Math.min(4096, Math.max(1, Math.ceil((given + rollouts * bytesPerRollout) / bytesPerShard)));
}

/** Live runs come after what was given, under a name of their own, so that neither renames the other's files. */
export async function planAll({ paths, records }: Pick<GenerateRequest, "paths" | "records">): Promise<InputUnit[]> {
  const given = paths.length === 0 ? [] : await planInputs(paths);
  const live = records.length === 0 ? [] : await planInputs(records);
  return [...given, ...live.map((unit) => ({ ...unit, files: unit.files.map((file) => ({ ...file, name: `rollouts/${file.name}` })) }))];
}

type ReadUnits = { readonly units: InputsFile["units"]; readonly unread: number; readonly rowsRead: number };

const quarantineFile = (run: RunFolder, unit: string): string => join(stageFolder(run, step), "quarantine", `${unit.slice(0, 16)}.jsonl`);

async function readNewUnit(
  context: RunContext,
  unit: InputUnit,
  options: ReadOptions,
  spool: Spool,
  room: number,
): Promise<{ files: InputFile[]; full: boolean }> {
  const files: InputFile[] = [];
  const quarantine = openQuarantine(quarantineFile(context.run, unit.key));
  let runs = 0;
  let full = false;
  try {
    for await (const event of readUnit(unit, options)) {
      stopIfAsked(context.signal, "stopped while importing; nothing is lost");
      if (event.kind === "file") files.push(event.report);
      else if (event.kind === "quarantined") await quarantine.add(event);
      else if (runs >= room) full = true;
      else {
        runs += 1;
        if (!spool.has(event.trajectory.id)) await spool.put(event.trajectory);
      }
    }
    await quarantine.publish();
  } catch (error) {
    await quarantine.discard();
    throw error;
  }
  return { files: full ? files.map((file) => ({ ...file, trajectories: file.trajectories.slice(0, room) })) : files, full };
}

/** Reads what is new or changed; a unit whose content and import rules are known is taken over as it was accounted for. */
async function readUnits(
  context: RunContext,
  units: readonly InputUnit[],
  old: InputsFile | null,
  stageKey: string,
  options: ReadOptions,
  spool: Spool,
  limit: number | null,
): Promise<ReadUnits> {
  const known = new Map(old?.stageKey === stageKey && old.limit === limit ? old.units.map((unit) => [unit.key, unit.files]) : []);
  const accounted: InputsFile["units"] = [];
  const ids = new Set<string>();
  let rowsRead = 0;
  context.progress.start("import", units.length);
  for (const [index, unit] of units.entries()) {
    if (limit !== null && ids.size >= limit) return { units: accounted, unread: units.length - index, rowsRead };
    const room = limit === null ? Number.POSITIVE_INFINITY : limit - ids.size;
    const names = unit.files.map((file) => file.name).join("\n");
    const before = known.get(unit.key);
    const same =
      before !== undefined &&
      before.map((file) => file.file).join("\n") === names &&
      before.flatMap((file) => file.trajectories).length <= room;
    const files = same ? before : (await readNewUnit(context, unit, options, spool, room)).files;
    if (!same) rowsRead += files.reduce((sum, file) => sum + file.trajectories.length, 0);
    for (const file of files) for (const id of file.trajectories) ids.add(id);
    accounted.push({ key: unit.key, files });
    context.progress.step(unit.files[0]?.name ?? "");
  }
  return { units: accounted, unread: 0, rowsRead };
}

/** What one shard is made of, known from the accounts alone. */
interface ShardPlan {
  /** Sorted ids with the key of the unit they come from. */
  readonly records: ReadonlyMap<string, string>;
  /** Ids of trajectories that come from a dataset of ours: what reports said of them came with them. */
  readonly pulled: ReadonlySet<string>;
  readonly tallies: { quarantined: number; duplicates: number; empty: number };
}

function planShards(run: RunFolder, units: InputsFile["units"]): ShardPlan[] {
  const none = () => ({
    records: new Map<string, string>(),
    pulled: new Set<string>(),
    tallies: { quarantined: 0, duplicates: 0, empty: 0 },
  });
  const plans = Array.from({ length: run.shards }, none);
  const at = (name: string) => plans[shardOf(name, run.shards)] ?? none();
  for (const unit of units) {
    for (const file of unit.files) {
      for (const id of file.trajectories) {
        const plan = at(id);
        if (plan.records.has(id)) plan.tallies.duplicates += 1;
        else {
          plan.records.set(id, unit.key);
          if (file.dialect === auditDialect) plan.pulled.add(id);
        }
      }
      for (const { offset } of file.quarantined) at(`${file.file}#${offset}`).tallies.quarantined += 1;
      at(file.file).tallies.empty += file.emptyRecords;
    }
  }
  return plans.map((plan) => ({ ...plan, records: new Map([...plan.records].sort(([a], [b]) => (a < b ? -1 : 1))) }));
}

/** What import itself said: without what an earlier report added. */
const unjoined = (trajectory: Trajectory): Trajectory =>
  trajectory.outcome.evidence?.kind === "report"
    ? { ...trajectory, outcome: { ...trajectory.outcome, resolved: null, evidence: null } }
    : trajectory;

const joined = (trajectory: Trajectory, facts: ReadonlyMap<string, readonly OutcomeFact[]>): Trajectory => {
  const { patch } = trajectory.outcome;
  return joinOutcome(unjoined(trajectory), facts.get(trajectory.instance) ?? [], patch === null ? null : patchDigest(patch, sha256));
};

/** The row, and its outcome's text. */
function rowFor(trajectory: Trajectory, stageKey: string): [Row<Trajectory>, string] {
  const outcome = { ok: true as const, value: trajectory };
  const text = JSON.stringify(outcome);
  const from = { raw: trajectory.origin.digest };
  const key = trajectoryKey(stageKey, from, trajectory.outcome.evidence);
  return [{ id: trajectory.id, key, rev: revOfText(text), from, outcome }, text];
}

/** Old rows by id, in order; used for what was not read anew. */
async function* oldTrajectories(run: RunFolder, manifest: ShardManifest | null): AsyncGenerator<Trajectory> {
  if (manifest === null) return;
  for await (const row of readRows(run, step, manifest, Trajectory)) if (row.outcome.ok) yield row.outcome.value;
}

interface Publishing {
  readonly context: RunContext;
  readonly stageKey: string;
  /** By instance, and by instance as it stands in an id. */
  readonly facts: ReadonlyMap<string, readonly OutcomeFact[]>;
  readonly factsByPart: ReadonlyMap<string, readonly OutcomeFact[]>;
  readonly spool: Spool;
}

function talliesOf(plan: ShardPlan): Tallies {
  const { quarantined, duplicates, empty } = plan.tallies;
  const rejected = { ...(duplicates > 0 ? { duplicate: duplicates } : {}), ...(empty > 0 ? { "no-steps": empty } : {}) };
  const out = plan.records.size;
  return { in: out + duplicates + empty + quarantined, out, rejected, quarantined, failed: 0 };
}

async function publishShard(
  { context, stageKey, facts, factsByPart, spool }: Publishing,
  shard: number,
  plan: ShardPlan,
): Promise<"kept" | "made"> {
  const { run } = context;
  const instances = [...new Set([...plan.records.keys()].map((id) => id.split("/")[1] ?? ""))].sort();
  const relevant = instances.flatMap((instance) => factsByPart.get(instance) ?? []);
  const inputs = { records: digestOf([...plan.records]), facts: digestOf(relevant) };
  const tallies = talliesOf(plan);
  const old = await readManifest(run, step, shard);
  const same =
    old !== null && old.stageKey === stageKey && digestOf(old.inputs) === digestOf(inputs) && (await rowsAreThere(run, step, old));
  const started = new Date().toISOString();
  if (same && digestOf(old.tallies) === digestOf(tallies)) return "kept";
  let output = old?.output;
  if (!same || output === undefined) {
    const writer = await openRowsWriter(run, step, shard);
    try {
      const before = oldTrajectories(run, old);
      let head: Trajectory | null = null;
      for (const id of plan.records.keys()) {
        let trajectory = await spool.get(id);
        while (trajectory === null && (head === null || head.id < id)) {
          const next = await before.next();
          if (next.done === true) break;
          head = next.value;
        }
        trajectory ??= head;
        if (trajectory === null || trajectory.id !== id)
          throw new Fault(
            "ROWS_CORRUPT",
            "stop",
            `the trajectory ${id} is accounted for but not stored; make it anew with: catgen repair --run ${run.name}`,
          );
        await writer.write(...rowFor(plan.pulled.has(id) ? trajectory : joined(trajectory, facts), stageKey));
      }
      await before.return(undefined);
      output = await writer.publish();
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }
  await writeManifest(run, step, { stage: "generate", shard, stageKey, inputs, output, tallies, failures: [], reusedRows: 0, started });
  await removeOldRows(run, step, shard, output.file);
  return "made";
}

function nothingToImport(files: readonly InputFile[]): Fault {
  const what = files.some(({ why }) => why === samplesRefusal)
    ? "a catgen dataset that was published without its trajectories (export.audit: none), or without its folder audit/. Import the trajectories it was made of, or publish it again with --set export.audit=kept (all: the rejected ones too)"
    : "`catgen status` says of each why. Give --input with runs in one of the formats that the README names";
  return new Fault("DATA_ERRORS", "stop", `no trajectory in ${files.length} input files; ${what}`);
}

/** Too much unreadable input is an error of its own: a person should look before going on. Everything readable is imported first. */
function checkReadable(units: InputsFile["units"], share: number): void {
  const files = units.flatMap((unit) => unit.files);
  if (files.every((file) => file.trajectories.length === 0)) throw nothingToImport(files);
  const bad = files.reduce((sum, file) => sum + file.quarantined.length, 0);
  const all = bad + files.reduce((sum, file) => sum + file.trajectories.length + file.emptyRecords, 0);
  if (bad > 0 && bad > share * all)
    throw new Fault(
      "DATA_ERRORS",
      "stop",
      `${bad} of ${all} input records are unreadable, more than run.maxQuarantinedShare = ${share} allows; \`catgen status\` names them, the rest is imported. Mend them, or allow more with --set run.maxQuarantinedShare=1`,
    );
}

/** The import half of stage 1: reads new and changed files, joins outcomes, publishes the shards that changed. */
export async function runGenerate(context: RunContext, request: GenerateRequest): Promise<StepSummary> {
  const { run } = context;
  const { stageKey, material, params } = stepKey("generate", context.settled);
  const recipe = params as GenerateRecipe;
  const options: ReadOptions = {
    source: recipe.source,
    licence: recipe.licence,
    maxRecordBytes: recipe.maxRecordMegabytes * 1e6,
    scrub: scrubOptions(recipe.scrub, context.settled.endpoint.apiKey),
  };
  const units = await planAll(request);
  const old = await readInputs(run);
  const spool = await openSpool(journalFolder(run, step));
  try {
    const read = await readUnits(context, units, old, stageKey, options, spool, request.limit);
    const found = read.units.flatMap((unit) => unit.files.flatMap((file) => file.facts));
    const factsByPart = indexFacts(found.map((fact) => ({ ...fact, instance: idPart(fact.instance) })));
    // From here until it is written anew the account does not hold: a crash in between must lead to reading everything again.
    const account = { format: "catgen.inputs/1" as const, paths: [...request.paths], limit: request.limit, stageKey };
    if (digestOf(read.units) !== digestOf(old?.units ?? [])) await writeInputs(run, { ...account, units: [], unread: 0 });
    crashPoint("inputs-forgotten");
    await writeKeyMaterial(run, step, stageKey, material);
    const publishing: Publishing = { context, stageKey, facts: indexFacts(found), factsByPart, spool };
    let made = 0;
    for (const [shard, plan] of planShards(run, read.units).entries())
      if ((await publishShard(publishing, shard, plan)) === "made") made += 1;
    await writeInputs(run, { ...account, units: read.units, unread: read.unread });
    await sweepDone(
      run,
      step,
      (await readManifests(run, step)).filter((manifest) => manifest !== null),
    );
    context.progress.end();
    checkReadable(read.units, context.settled.recipe.run.maxQuarantinedShare);
    return { step, shardsMade: made, shardsKept: run.shards - made, rowsMade: read.rowsRead, rowsReused: 0, failures: [] };
  } finally {
    context.progress.end();
    await spool.remove();
  }
}
