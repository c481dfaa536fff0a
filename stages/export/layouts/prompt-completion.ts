import { type Layout, metadataColumns, metadataOf, oneRow, plainMessage, plainMessages } from "./layout.ts";

/**
 * TRL's pair: everything before the first trained turn, and the rest. It says what is trained where all agent turns of the rest are, which
 * holds for every kind: what is shown for context comes first (trainers.md 2.2 (b)).
 */
export const promptCompletion: Layout = {
  columns: { prompt: plainMessages, completion: plainMessages, ...metadataColumns },
  text: "`prompt-completion`: flat `prompt` (what is shown) and `completion` (from the first trained turn on), for TRL without a changed template",
  loss: "With `completion_only_loss: true` and `assistant_only_loss: true` together, exactly the agent turns of the completion are trained, with the newlines around them: one flag alone trains tool results, or repeated turns.",
  structured: false,
  rows({ sample, facts }) {
    const first = sample.turns.findIndex(({ train }) => train);
    const [prompt, completion] = [sample.turns.slice(0, first), sample.turns.slice(first)];
    if (first < 0 || completion.some(({ role, train }) => role === "assistant" && !train))
      throw new Error(`${sample.id} shows an agent turn behind a trained one, which a prompt and a completion cannot say`);
    return oneRow({ prompt: prompt.map(plainMessage), completion: completion.map(plainMessage), ...metadataOf(sample, facts) }, facts);
  },
};
