import { bool, type ColumnSchema, int32, list, nullable, type Row, utf8 } from "../../../schemas/columns.ts";
import type { Sample, SampleFacts } from "../../../schemas/sample.ts";

/** How samples become rows. Column names other than the layout's own start with `cat_`, since trainers give plain names a meaning. */
export interface Layout {
  readonly columns: ColumnSchema;
  row(sample: Sample, facts: SampleFacts): Row;
}

/** Columns that every layout carries beside its own. */
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

/** `sample.turns` open with a system turn here, so that `cat_step_ids` has one entry per message as it is written. */
export const metadataOf = (sample: Sample, facts: SampleFacts): Row => ({
  cat_sample_id: sample.id,
  cat_instance_id: facts.instance,
  cat_trajectory_id: sample.trajectory,
  cat_segment_index: sample.index,
  cat_num_segments: sample.count,
  cat_step_ids: sample.turns.map((turn) => turn.step),
  cat_tools_json: facts.toolsJson,
  cat_call_style: facts.callStyle,
  cat_num_tokens: facts.tokens,
  cat_num_trained_tokens: facts.trainedTokens,
  cat_resolved: facts.resolved,
  cat_source: facts.source,
  cat_license: facts.licence,
  cat_meta_json: facts.metaJson,
});
