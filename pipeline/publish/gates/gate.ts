import type { ExportManifest } from "../../../schemas/manifest.ts";
import type { PublishFile } from "../../../schemas/publish.ts";
import type { EvaluationRecipe } from "../../../schemas/recipe/evaluation.ts";
import type { Stats } from "../../../schemas/stats.ts";
import type { Provenance } from "../../../stages/export/provenance.ts";

/** What the gates look at: the export as it lies on disk. */
export interface GateInput {
  readonly folder: string;
  /** What would go, as the export's manifest lists it. */
  readonly files: readonly PublishFile[];
  readonly manifest: ExportManifest;
  /** Our own secrets in every form they may take. */
  readonly own: readonly string[];
  /** Types of secrets that recipe `export.allowSecretTypes` lets pass. */
  readonly allowedSecrets: readonly string[];
  /** What stage 6 counted: for layouts whose rows do not say where they come from. null: there is no account of it. */
  readonly sources: Provenance["sources"] | null;
  readonly stats: Stats | null;
  /** Evaluation sets of the recipe, beside those we ship. */
  readonly evaluation: EvaluationRecipe;
  readonly onFile: (path: string) => void;
}

export interface GateReport {
  /** What was looked at, for the reader of a dry run. */
  readonly looked: string;
  /** What blocks unless the recipe names `subject`; each subject once. */
  readonly findings: readonly { readonly subject: string; readonly what: string }[];
  readonly mend: string;
}

/** One thing that must be sure before anything is published. Reads; decides nothing but what it finds. */
export type Gate = (input: GateInput) => Promise<GateReport>;
