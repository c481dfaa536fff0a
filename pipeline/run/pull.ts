import type { z } from "zod";
import { type AuditPart, type AuditStep, auditSteps } from "../../schemas/audit.ts";
import { parts } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import type { KeyMaterial } from "../../schemas/manifest.ts";
import { type Row, rowOf } from "../../schemas/row.ts";
import { readParquetRows } from "../adapters/parquet-reader.ts";
import { type FoundAudit, findAudits } from "../import/find-audit.ts";
import { type Settled, stepKey } from "../keys.ts";
import { stepNamed } from "../plan.ts";
import { stopIfAsked } from "../stop.ts";
import { digestOf } from "../store/digest.ts";
import { type Journal, openJournal } from "../store/journal.ts";
import { shardOf } from "../store/rows.ts";
import { journalFolder, type RunFolder } from "../store/run-folder.ts";
import { changes } from "./changes.ts";
import type { RunContext } from "./context.ts";
import { revOf, rowKey } from "./row-key.ts";
import { stepStates } from "./state.ts";

/** What a step of an audit is to this run. */
interface Fit {
  readonly step: AuditStep;
  readonly stageKey: string;
  /** In sentences what differs between what made the rows and what this run would make them with; empty: they can be taken over. */
  readonly differs: readonly string[];
  /** It differs by what no recipe says: this version of catgen, or the tokenizer. */
  readonly foreign: boolean;
}

function fitOf(step: AuditStep, theirs: KeyMaterial, settled: Settled): Fit {
  const { material, stageKey } = stepKey(step, settled);
  const differs = digestOf(theirs) === stageKey ? [] : changes(theirs, material);
  return { step, stageKey, differs, foreign: theirs.version !== material.version || theirs.tokenizer !== material.tokenizer };
}

const fitsOf = ({ account }: FoundAudit, settled: Settled): Fit[] => auditSteps.map((step) => fitOf(step, account.steps[step], settled));

/**
 * Rows that this version of catgen, or another tokenizer, would make anew cost model calls that nobody asked for. `mayMakeAnew`: the
 * recipe was named, so they are asked for.
 */
function requireFitting(audit: FoundAudit, fits: readonly Fit[], mayMakeAnew: boolean): void {
  const foreign = fits.filter(({ step, foreign }) => foreign && step !== "measure"); // measuring asks no model
  if (foreign.length === 0 || mayMakeAnew) return;
  throw new Fault(
    "RUN_MISMATCH",
    "stop",
    `what was made of the trajectories of ${audit.input} (by catgen ${audit.account.catgen}) cannot be taken over: ${foreign.map(({ step, differs }) => `${step}: ${differs.join(", ")}`).join("; ")}. Pull it with catgen ${audit.account.catgen}, name the tokenizer it was made with (--set tokenizer.folder=FOLDER), or give --recipe FILE to have all of it made anew`,
  );
}

const Part = <T extends z.ZodType>(value: T) => rowOf(value).pick({ rev: true, from: true, outcome: true });

/** The row behind a text of the audit; null: it is damaged, or not of this version, and is made anew. */
function rowIn(id: string, text: unknown, part: AuditPart, stageKey: string): Row<unknown> | null {
  if (typeof text !== "string") return null;
  const found = Part(parts[part]).safeParse(safeJson(text));
  if (!found.success) return null;
  const { rev, from, outcome } = found.data as Omit<Row<unknown>, "id" | "key">;
  return revOf(outcome) === rev ? { id, key: rowKey(stageKey, from), rev, from, outcome } : null;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Journals open at once for a step: rows come shard by shard, unless this run has another number of shards. */
const openAtOnce = 64;

/** Journals of a step by shard, for the shards that are not done. */
class Seeds {
  readonly part: AuditPart;
  readonly stageKey: string;
  private readonly folder: string;
  private readonly shards: number;
  private readonly lacking: ReadonlySet<number>;
  private readonly journals = new Map<number, Journal>();

  constructor(run: RunFolder, { step, stageKey }: Fit, lacking: ReadonlySet<number>) {
    this.part = stepNamed(step).writes as AuditPart;
    this.stageKey = stageKey;
    this.folder = journalFolder(run, stepNamed(step).step);
    this.shards = run.shards;
    this.lacking = lacking;
  }

  async add(id: string, text: unknown): Promise<boolean> {
    const shard = shardOf(id, this.shards);
    if (!this.lacking.has(shard)) return false;
    const row = rowIn(id, text, this.part, this.stageKey);
    if (row === null) return false;
    await (await this.journalOf(shard)).append(row);
    return true;
  }

  async close(): Promise<void> {
    for (const journal of this.journals.values()) await journal.close();
    this.journals.clear();
  }

  private async journalOf(shard: number): Promise<Journal> {
    const open = this.journals.get(shard);
    if (open !== undefined) return open;
    if (this.journals.size >= openAtOnce) await this.close();
    const journal = openJournal(this.folder, shard, false); // what a power cut takes, the next pull brings again
    this.journals.set(shard, journal);
    return journal;
  }
}

async function seedsFor({ run, settled }: RunContext, fits: readonly Fit[]): Promise<Seeds[]> {
  const seeds: Seeds[] = [];
  for (const fit of fits.filter(({ differs }) => differs.length === 0)) {
    const lacking = (await stepStates(run, fit.step, settled)).filter(({ lack }) => lack !== null);
    if (lacking.length > 0) seeds.push(new Seeds(run, fit, new Set(lacking.map(({ shard }) => shard))));
  }
  return seeds;
}

/** Rows that were laid by, over all steps. */
async function seed({ account, pathOf }: FoundAudit, seeds: readonly Seeds[], signal: AbortSignal): Promise<number> {
  const columns = ["cat_audit_id", ...seeds.map(({ part }) => `cat_audit_${part}`)];
  let rows = 0;
  try {
    for (const { path } of account.files)
      for await (const row of readParquetRows(pathOf(path), { columns })) {
        stopIfAsked(signal, "stopped while pulling; nothing is lost");
        for (const one of seeds) if (await one.add(String(row["cat_audit_id"]), row[`cat_audit_${one.part}`])) rows += 1;
      }
  } finally {
    for (const one of seeds) await one.close();
  }
  return rows;
}

/**
 * Lays by what comes with the trajectories of datasets of ours, as rows in progress of the steps that made it: a step takes over a row
 * whose key is the one it would give it, and makes every other one. So nothing is taken on trust that a re-run would not take, and a pull
 * that was cut off is simply done again.
 */
export async function pullRows(context: RunContext, audits: readonly FoundAudit[]): Promise<void> {
  for (const audit of audits) {
    const fits = fitsOf(audit, context.settled);
    for (const { step, differs } of fits)
      if (differs.length > 0) context.progress.say(`pulled      ${stepNamed(step).step} is made anew: ${differs.join("; ")}`);
    const seeds = await seedsFor(context, fits);
    if (seeds.length === 0) continue;
    const rows = await seed(audit, seeds, context.signal);
    context.progress.say(`pulled      ${rows} rows of ${seeds.map(({ part }) => part).join(", ")} come with ${audit.input}`);
  }
}

/** The audits among the inputs; a fault where what they hold would be made anew, and nobody asked for that. */
export async function auditsToPull(settled: Settled, inputs: readonly string[], mayMakeAnew: boolean): Promise<FoundAudit[]> {
  const audits = await findAudits(inputs);
  for (const audit of audits) requireFitting(audit, fitsOf(audit, settled), mayMakeAnew);
  return audits;
}
