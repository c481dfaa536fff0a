import type { Structure } from "../../schemas/completion.ts";
import { attemptOutcomes, nothingNoted } from "../../schemas/memory-notes.ts";
import type { CondenseInput } from "./condense-input.ts";
import { heading, memorySections } from "./memory-text.ts";
import type { RenderedStep } from "./render.ts";
import { conversationTokens, openingTokens } from "./sizes.ts";

const outcomes = attemptOutcomes.map((outcome) => `\`${outcome}: \``).join(", ");

/** After the list of CAT 2.4 (3); how to write, and what a later step would suffer from, in our words. */
const instructions = `You keep the long-term memory of a software-engineering agent. Its older steps are about to be removed from its context. The task, your memory and its latest steps are all that will remain, so write the memory that lets it go on as if it had seen everything.

Write exactly these eight sections, in this order, with these headings:
${memorySections.map((section) => `${heading(section.title)}\n(${section.holds})`).join("\n")}

Form:
- Under each heading only bullets, each one line that begins with "- ". A section with nothing to say has the one bullet "- ${nothingNoted}".
- Each bullet of "Attempts and outcomes" begins with how it ended: ${outcomes} (\`ran\`: it was done, and nothing tells whether it helped).
- Put paths, symbols, commands, test names and error messages between backticks, spelled exactly as they stand in the steps.
- No words before the first heading or after the last bullet, no code fence around the memory.

Content:
- State only what the task, the previous memory or the steps to fold say. Never guess how things went on.
- What failed stays a failure: what was tried, how often, and the error it ended with. Nothing counts as done that was not seen to work.
- "Tests" and "Changes" tell the state after the last of these steps. What was undone or overtaken is not told as if it still stood.
- Keep what later steps would otherwise have to find out again: where things are, which command shows the problem, which names must not change.
- Rules and limits that the task or anybody states stay in every memory, word for word where they are short.
- Carry over from the previous memory whatever is still true and needed; drop what has been overtaken.
- The recent steps stay in the agent's context. Do not retell them; use them only to see what matters now. Do not number steps: the agent cannot see numbers.`;

/** One step as requests show it. */
export function stepText(step: RenderedStep, number: number): string {
  const lines = [`[step ${number}]`];
  if (step.thought !== "") lines.push(step.thought);
  for (const call of step.calls) {
    lines.push(`[call] ${call.name} ${call.arguments}`);
    if (call.result !== null) lines.push("[result]", call.result);
  }
  for (const text of step.feedback) lines.push("[feedback]", text);
  return lines.join("\n");
}

export const betweenSteps = "\n\n";
export const stepsText = (steps: readonly RenderedStep[], first: number): string =>
  steps.map((step, index) => stepText(step, first + index)).join(betweenSteps);

/** What a request shows of a fold: all of it, or one of several pieces. */
export interface FoldShown {
  /** The steps as text. */
  readonly fold: string;
  readonly recent: string;
  /** 1-based number of the piece and how many there are; null: the whole fold. */
  readonly piece: { readonly number: number; readonly of: number } | null;
  /** What was wrong with the reply to this request that came before, in sentences; null: the first try. */
  readonly refusal: string | null;
}

/** Words of a memory of `tokens`: half a word a token (0.47 over the 8 condensations by models in our OpenHands V1 trajectories). */
const wordsFor = ({ targetTokens, capTokens }: RequestFrame): number =>
  Math.max(1, Math.round(Math.min(targetTokens, capTokens * safeShare) * 0.5));
/** A reply that reaches its hard limit is lost, and models overrun what they aim at; as JSON it takes a tenth more. Our choice. */
const safeShare = 0.75;

/** What a memory is made from, and what it may say: a section each. */
export const sourceSections = (
  { task, previousMemory }: Pick<RequestFrame, "task" | "previousMemory">,
  { fold, recent, piece }: Omit<FoldShown, "refusal">,
): string[] => [
  `# Task\n\n${task}`,
  `# Previous memory\n\n${previousMemory ?? "(none yet)"}`,
  `# Steps to fold${piece === null ? "" : ` (part ${piece.number} of ${piece.of}; the memory so far covers the parts before)`}\n\n${fold}`,
  `# Recent steps (read-only)\n\n${recent === "" ? "(none)" : recent}`,
];

/** The request for a memory of what is shown. */
export function requestFor(frame: RequestFrame, shown: FoldShown): string {
  const { refusal } = shown;
  return [
    instructions,
    `Aim at about ${wordsFor(frame)} words, and use them: a much longer memory is refused, a much shorter one forgets what is needed.`,
    ...sourceSections(frame, shown),
    ...(refusal === null ? [] : [`# What was wrong with the last attempt\n\n${refusal}`]),
    "Now write the memory.",
  ].join("\n\n");
}

/** What of the input is shown beside the steps. */
export type RequestFrame = Pick<CondenseInput, "task" | "previousMemory" | "targetTokens" | "capTokens">;

export const wholeFold = (input: Pick<CondenseInput, "fold" | "first" | "recent">): FoldShown => ({
  fold: stepsText(input.fold, input.first),
  recent: stepsText(input.recent, input.first + input.fold.length),
  piece: null,
  refusal: null,
});

/**
 * The canonical user message that asks for a memory. The same text goes to the endpoint, into `condense` samples and to the live
 * agent's condenser. Calls are written plainly, since a call style's tags would be control tokens inside a user turn.
 */
export const condenseRequest = (input: CondenseInput): string => requestFor(input, wholeFold(input));

/** The blank line between two steps, and what a token that grows across it may cost. */
const jointTokens = 4;

/** Prefix sums of what steps take in a request: `upTo[t]` = at most the tokens of steps [0, t). */
export function requestStepTokens(steps: readonly RenderedStep[], count: (text: string) => number): number[] {
  const upTo = [0];
  for (const [index, step] of steps.entries()) upTo.push((upTo.at(-1) ?? 0) + count(stepText(step, index + 1)) + jointTokens);
  return upTo;
}

/** The memory as one JSON object, for endpoints that can be made to write one: a list of bullets per section. */
export const memoryStructure = {
  name: "memory",
  description: "Stores the memory. Each field is a section, each entry one bullet without its dash.",
  schema: JSON.stringify({
    type: "object",
    properties: Object.fromEntries(
      memorySections.map(({ part }) => [
        part,
        {
          type: "array",
          items:
            part === "attempts"
              ? {
                  type: "object",
                  properties: { outcome: { type: "string", enum: attemptOutcomes }, text: { type: "string" } },
                  required: ["outcome", "text"],
                  additionalProperties: false,
                }
              : { type: "string" },
        },
      ]),
    ),
    required: memorySections.map(({ part }) => part),
    additionalProperties: false,
  }),
  hint: `Give it as one JSON object in place of Markdown. Its fields are the sections: ${memorySections.map(({ part, title }) => `"${part}" (${title})`).join(", ")}. Each field is a list of bullets without the dash; "attempts" lists objects with "outcome" and "text". An empty section is an empty list.`,
} as const satisfies Omit<Structure, "transports">;

type Form = Pick<Structure, "hint" | "schema" | "description">;

/** What a server may add to a prompt for a structure: the hint, the schema as text and the words around a tool. Our bound. */
const structureTokens = ({ hint, schema, description }: Form, count: (text: string) => number): number =>
  count(hint) + count(schema) + count(description) + 150;

/** Tokens of the condenser's prompt, as text or by a schema or a tool: chat markers and the template's default system prompt included. */
export const promptTokens = (content: string, count: (text: string) => number, structure: Form = memoryStructure): number =>
  conversationTokens([{ role: "user", content, train: false, step: -1 }], count) + openingTokens(count) + structureTokens(structure, count);

/** Tokens of a request without task, memory and steps, by whatever transport. */
export const requestOverhead = (count: (text: string) => number): number =>
  promptTokens(
    condenseRequest({ task: "", previousMemory: null, fold: [], first: 1, recent: [], targetTokens: 99_999, capTokens: 99_999 }),
    count,
  );
