import { int8, int32, list } from "../../../schemas/columns.ts";
import { formatOf } from "../../lib/sizes.ts";
import { piecesOf } from "./input-output.ts";
import type { Layout } from "./layout.ts";

/** What cross-entropy leaves out, in PyTorch and in every trainer. */
export const ignoredLabel = -100;

/**
 * Token ids with labels, so that no trainer has anything left to decide. Nothing but these three columns: axolotl knows pre-tokenized data
 * by them, and TRL would pass on others (trainers.md 2.1, 2.2). Rows stand in the order of the other layouts' samples.
 */
export const tokenized: Layout = {
  columns: { input_ids: list(int32), attention_mask: list(int8), labels: list(int32) },
  text: "`tokenized`: `input_ids`, `attention_mask`, `labels` (-100: not trained) and nothing else, for TRL and axolotl; the same rows for LLaMA-Factory's `tokenized_path`, one `save_to_disk` folder per mixture in `tokenized-disk`. Made for one tokenizer only",
  loss: "Exact, to the token: labels are the ids of the trained turns' content and their closing token, -100 everywhere else. TRL, axolotl and LLaMA-Factory (`tokenized_path`) take it as it is; ms-swift cannot read pre-tokenized Parquet.",
  structured: false,
  rows({ sample }, { countTokens, encode }) {
    const pieces = piecesOf(sample.turns, formatOf(countTokens)).map(({ label, text }) => ({ label, ids: encode(text) }));
    const length = pieces.reduce((sum, { ids }) => sum + ids.length, 0);
    const ids = new Int32Array(length);
    const labels = new Int32Array(length).fill(ignoredLabel);
    let end = 0;
    let trainedTokens = 0;
    for (const piece of pieces) {
      ids.set(piece.ids, end);
      if (piece.label) {
        labels.set(piece.ids, end);
        trainedTokens += piece.ids.length;
      }
      end += piece.ids.length;
    }
    return [{ row: { input_ids: ids, attention_mask: new Int8Array(length).fill(1), labels }, tokens: length, trainedTokens }];
  },
};
