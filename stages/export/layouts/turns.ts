import { int32 } from "../../../schemas/columns.ts";
import { lastHeaderTokens, messageTokens, replyTokens } from "../../lib/sizes.ts";
import { type Layout, type LayoutRow, metadataColumns, metadataOf, plainMessage, plainMessages } from "./layout.ts";

/**
 * One row per trained turn, which is its last: for trainers that can train the last turn only (trainers.md 2.7). `cat_turn_index` counts
 * the sample's trained turns from 0; token counts are the row's own.
 */
export const turns: Layout = {
  columns: { messages: plainMessages, cat_turn_index: int32, ...metadataColumns },
  text: "`turns`: one row per trained turn, with everything before it; the last message is the trained one (LLaMA-Factory `mask_history`, ms-swift `last_round`, NeMo Automodel `mask_history`, OpenRLHF, unsloth). Every turn's context is read again: several times the tokens of `messages`",
  loss: "Train the last message only (`mask_history: true`, `loss_scale: last_round`): each turn is then trained once. A trainer that trains all agent turns of a row (verl) trains early turns again and again: give it the `base` kind of `messages`.",
  structured: false,
  rows({ sample, facts }, { countTokens }) {
    const all = sample.turns;
    const rows: LayoutRow[] = [];
    let tokens = 0;
    for (const [index, turn] of all.entries()) {
      const own = messageTokens(turn, countTokens);
      tokens += own;
      if (!turn.train) continue;
      const trainedTokens = replyTokens(own, countTokens);
      const shown = all.slice(0, index + 1);
      const whole = tokens + lastHeaderTokens(countTokens);
      const metadata = metadataOf(sample, { ...facts, tokens: whole, trainedTokens }, shown);
      rows.push({ row: { messages: shown.map(plainMessage), cat_turn_index: rows.length, ...metadata }, tokens: whole, trainedTokens });
    }
    return rows;
  },
};
