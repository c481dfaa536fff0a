import type { CondenseInput } from "./condense-input.ts";
import { heading, memorySections } from "./memory-text.ts";
import type { RenderedStep } from "./render.ts";
import { conversationTokens, openingTokens } from "./sizes.ts";

/** Bump when the wording changes: it is part of the key of every memory, and of what the student is trained to answer. */
export const requestVersion = 2;

const instructions = `You keep the long-term memory of a software-engineering agent. Its older steps are about to be removed from its context; only the task, your memory and its latest steps will remain. Write the memory that lets it go on without them.

Write exactly these sections, in this order, in short lines:
${memorySections.map((section) => `${heading(section.title)}\n(${section.holds})`).join("\n")}

Rules:
- State only what the previous memory, the steps to fold or the task say. Never guess how things went on.
- Copy paths, names, line numbers, commands and error messages word for word when later work may need them.
- What failed stays a failure: say what was tried, how often, and with which error. Never call something done that was not seen to work.
- Carry over from the previous memory whatever is still true and needed; drop what has been superseded.
- The recent steps stay in the agent's context. Do not repeat them; use them only to see what matters now.`;

function stepText(step: RenderedStep, number: number): string {
  const lines = [`[step ${number}]`];
  if (step.thought !== "") lines.push(step.thought);
  for (const call of step.calls) {
    lines.push(`[call] ${call.name} ${call.arguments}`);
    if (call.result !== null) lines.push("[result]", call.result);
  }
  for (const text of step.feedback) lines.push("[feedback]", text);
  return lines.join("\n");
}

const stepsText = (steps: readonly RenderedStep[], first: number): string =>
  steps.map((step, index) => stepText(step, first + index)).join("\n\n");

/**
 * The canonical user message that asks for a memory. The same text goes to the endpoint, into `condense` samples and to the live
 * agent's condenser. Calls are written plainly, since a call style's tags would be control tokens inside a user turn.
 */
export function condenseRequest(input: CondenseInput): string {
  const recent = input.recent.length === 0 ? "(none)" : stepsText(input.recent, input.first + input.fold.length);
  return [
    instructions,
    `Write at most about ${Math.max(1, Math.round(input.targetTokens * 0.7))} words.`,
    `# Task\n\n${input.task}`,
    `# Previous memory\n\n${input.previousMemory ?? "(none yet)"}`,
    `# Steps to fold\n\n${stepsText(input.fold, input.first)}`,
    `# Recent steps (read-only)\n\n${recent}`,
    "Now write the memory.",
  ].join("\n\n");
}

/** The blank line between two steps, and what a token that grows across it may cost. */
const jointTokens = 4;

/** Prefix sums of what steps take in a request: `upTo[t]` = at most the tokens of steps [0, t). */
export function requestStepTokens(steps: readonly RenderedStep[], count: (text: string) => number): number[] {
  const upTo = [0];
  for (const [index, step] of steps.entries()) upTo.push((upTo.at(-1) ?? 0) + count(stepText(step, index + 1)) + jointTokens);
  return upTo;
}

/** Tokens of a request without task, memory and steps, chat markers and the template's default system prompt included. */
export const requestOverhead = (count: (text: string) => number): number =>
  conversationTokens(
    [
      {
        role: "user",
        content: condenseRequest({
          task: "",
          previousMemory: null,
          fold: [],
          first: 1,
          recent: [],
          targetTokens: 99_999,
          capTokens: 99_999,
        }),
        train: false,
        step: -1,
      },
    ],
    count,
  ) + openingTokens(count);
