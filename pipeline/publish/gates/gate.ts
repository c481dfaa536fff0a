import type { ExportManifest } from "../../../schemas/manifest.ts";
import type { PublishFile } from "../../../schemas/publish.ts";

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
  /** Further lists of evaluation instances, by path. */
  readonly evaluationLists: readonly string[];
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
