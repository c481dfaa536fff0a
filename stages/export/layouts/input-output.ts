import type { ChatFormat } from "../../../schemas/chat-format.ts";
import { bool, list, struct, utf8 } from "../../../schemas/columns.ts";
import type { Turn } from "../../../schemas/sample.ts";
import { chatml, headerAt } from "../../lib/chatml.ts";
import { formatOf } from "../../lib/sizes.ts";
import { type Layout, metadataColumns, metadataOf, oneRow } from "./layout.ts";

export interface Piece {
  readonly label: boolean;
  readonly text: string;
}

/**
 * The chat text, split where training begins and ends: a labelled piece is a trained turn's content and `<|im_end|>`; the piece before
 * it ends with `<|im_start|>assistant\n`, the piece after it starts with `\n`. The closing `\n` of the last turn is a piece of its own,
 * unlabelled: the template writes it and no reply contains it. So the pieces together are the chat text, to the character, and each
 * can be tokenized apart because control tokens and that newline are boundaries of the tokenizer (a gate keeps newlines from the start
 * of assistant turns).
 */
export function piecesOf(turns: readonly Turn[], format: ChatFormat = chatml): Piece[] {
  const pieces: Piece[] = [];
  let unlabelled = "";
  for (const [index, turn] of turns.entries()) {
    const header = headerAt(turns, index, format);
    if (!turn.train) {
      unlabelled += header + turn.content + format.footers[turn.role];
      continue;
    }
    pieces.push({ label: false, text: unlabelled + header }, { label: true, text: turn.content + format.end });
    unlabelled = format.footers.assistant.slice(format.end.length);
  }
  return unlabelled === "" ? pieces : [...pieces, { label: false, text: unlabelled }];
}

/** axolotl's `type: input_output`: what is trained is written down, no template and no turn finding involved; exact and fast (trainers.md 2.1). */
export const inputOutput: Layout = {
  columns: { segments: list(struct({ label: bool, text: utf8 })), ...metadataColumns },
  text: "`segments`: the chat text in pieces `{label, text}`; labelled pieces are trained (axolotl `input_output`). A labelled piece is a turn's content and `<|im_end|>`",
  loss: "Exact, to the token: the pieces say what is trained and no chat template is involved. axolotl alone reads it.",
  structured: false,
  rows({ sample, facts }, { countTokens }) {
    return oneRow({ segments: piecesOf(sample.turns, formatOf(countTokens)), ...metadataOf(sample, facts) }, facts);
  },
};
