import type { AuditStep } from "../../schemas/audit.ts";
import type { Funnel, Spent } from "../../schemas/funnel.ts";
import type { KeyMaterial } from "../../schemas/manifest.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import type { Stats } from "../../schemas/stats.ts";
import type { AuditRecord } from "../../stages/export/audit.ts";
import type { MadeWith } from "../../stages/export/card-sections.ts";
import type { ExportBundle, ExportPorts } from "../../stages/export/export.ts";
import type { LayoutPorts } from "../../stages/export/layouts/layout.ts";
import type { Mixed } from "../../stages/export/mix.ts";
import type { ExportParams } from "../../stages/export/params.ts";
import type { Provenance } from "../../stages/export/provenance.ts";
import type { Place } from "../../stages/export/split.ts";
import type { Ports } from "../../stages/stage.ts";
import { stopIfAsked } from "../stop.ts";
import type { EarlierExport } from "./reuse.ts";

/** What stage 6 is lent to write the audit with. */
export interface AuditRequest {
  /** All trajectories in the order of the rows; read once per side. */
  readonly records: () => AsyncIterable<AuditRecord>;
  /** The recipe that goes with it, and what shaped the keys of the rows by it. */
  readonly recipe: Recipe;
  readonly steps: Readonly<Record<AuditStep, KeyMaterial>>;
  /** Digest of what its files are made of; of an earlier export with the same they are taken. */
  readonly key: string;
}

export interface ExportRequest {
  /** One trajectory at a time, in a fixed order: it is the order of the rows. Read once. */
  readonly bundles: () => AsyncIterable<ExportBundle>;
  readonly params: ExportParams;
  readonly ports: Pick<Ports, "countTokens" | "digest"> & LayoutPorts & Pick<ExportPorts, "own" | "renderChat">;
  /** Empty, and the caller's to publish or throw away. */
  readonly folder: string;
  /** The model's own chat template. */
  readonly template: string;
  /** What makes the dataset, for its card; left out: it is not told. */
  readonly made?: Omit<MadeWith, "prompts">;
  /** Name of the tokenizer, for the card; left out: the built-in one's. */
  readonly tokenizer?: string;
  /** What the run's model calls cost so far; left out: nothing. */
  readonly spent?: Spent;
  /** Exports whose files are taken where they were made of the same samples. */
  readonly earlier?: readonly EarlierExport[];
  /** Key of all that shapes the samples, the kept ones included: of an earlier export with the same nothing is rendered, and the funnel is asked for. */
  readonly kept?: { readonly key: string; readonly funnel: () => Promise<Funnel> };
  /** The trajectories that travel with the dataset as recipe `export.audit` says; left out: none do. */
  readonly audit?: AuditRequest;
  readonly signal?: AbortSignal;
  /** Called with the number of trajectories done. */
  readonly progress?: (done: number) => void;
}

/** Between two samples. */
export const stopExportIfAsked = (signal: AbortSignal | undefined): void =>
  stopIfAsked(signal, "stopped while exporting; an earlier dataset stays as it was");

/** What rendering everything has shown. */
export interface Gathered {
  readonly trajectories: number;
  /** Where exported samples come from; a place's number is its index. */
  readonly places: readonly Place[];
  /** Which samples are in the dataset, and how many per kind and place, to know beforehand which splits have rows. */
  readonly mixed: Mixed;
  readonly notKept: Readonly<Record<SampleKind, number>>;
  readonly refused: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly stats: Stats;
  readonly provenance: Provenance;
}
