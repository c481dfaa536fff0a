import { bool, type ColumnSchema, int32, list, nullable, type Row, struct, utf8 } from "../../../schemas/columns.ts";
import type { ExportedSample, Sample, SampleFacts } from "../../../schemas/sample.ts";
import type { CountTokens } from "../../lib/sizes.ts";

/** What rows may be made with, beside the sample: the exact tokenizer of the model that is to be trained. */
export interface LayoutPorts {
  readonly countTokens: CountTokens;
  /** Token ids; text that is a control token's becomes its id. */
  encode(text: string): ArrayLike<number>;
}

/** A row with what it costs to train on. */
export interface LayoutRow {
  readonly row: Row;
  readonly tokens: number;
  readonly trainedTokens: number;
}

/** How samples become rows. Column names other than the layout's own start with `cat_`, since trainers give plain names a meaning. */
export interface Layout {
  readonly columns: ColumnSchema;
  /** What it is and who reads it, for the card: Markdown after "- ". */
  readonly text: string;
  /** How it says what is trained, and which readers cannot keep to it. Each model turn is trained exactly once where they do. */
  readonly loss: string;
  /** Needs `ExportedSample.said`. */
  readonly structured: boolean;
  rows(exported: ExportedSample, ports: LayoutPorts): readonly LayoutRow[];
}

/** Columns that every layout carries beside its own, `tokenized` excepted. */
export const metadataColumns: ColumnSchema = {
  cat_sample_id: utf8,
  cat_instance_id: nullable(utf8),
  cat_trajectory_id: utf8,
  cat_segment_index: int32,
  cat_num_segments: int32,
  cat_step_ids: list(int32),
  cat_tools_json: utf8,
  cat_call_style: utf8,
  cat_num_tokens: int32,
  cat_num_trained_tokens: int32,
  cat_resolved: nullable(bool),
  cat_source: utf8,
  cat_license: nullable(utf8),
  cat_meta_json: nullable(utf8),
};

/** `steps`: one entry per message as it is written. */
export const metadataOf = (sample: Sample, facts: SampleFacts, steps: readonly { readonly step: number }[] = sample.turns): Row => ({
  cat_sample_id: sample.id,
  cat_instance_id: facts.instance,
  cat_trajectory_id: sample.trajectory,
  cat_segment_index: sample.index,
  cat_num_segments: sample.count,
  cat_step_ids: steps.map(({ step }) => step),
  cat_tools_json: facts.toolsJson,
  cat_call_style: facts.callStyle,
  cat_num_tokens: facts.tokens,
  cat_num_trained_tokens: facts.trainedTokens,
  cat_resolved: facts.resolved,
  cat_source: facts.source,
  cat_license: facts.licence,
  cat_meta_json: facts.metaJson,
});

/** The one row of most layouts. */
export const oneRow = (row: Row, { tokens, trainedTokens }: SampleFacts): readonly LayoutRow[] => [{ row, tokens, trainedTokens }];

/** Messages as trainers know them without any flag. */
export const plainMessages = list(struct({ role: utf8, content: utf8 }));
export const plainMessage = ({ role, content }: { readonly role: string; readonly content: string }): Row => ({ role, content });
