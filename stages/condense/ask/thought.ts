import { Fault } from "../../../schemas/fault.ts";
import { longestThought } from "../../lib/context-thought.ts";
import { countControlTexts } from "../../lib/control-tokens.ts";
import { oneLine } from "../../lib/memory-text.ts";
import type { RenderedStep } from "../../lib/render.ts";
import { conversationTokens, openingTokens } from "../../lib/sizes.ts";
import type { Ports } from "../../stage.ts";
import { cleaned } from "../accept.ts";
import type { CondenseJob } from "../condensers/condenser.ts";
import { namesIn } from "../extract/words.ts";
import { type Thought, type ThoughtView, templateThought } from "../thought.ts";

/** The thought before a context call, by the model: a tiny request of its own, made from the evidence and the last steps before the cut. */

/** A step is shown by its ends: what it is about is said there. Two such halves of three steps are about 1,200 tokens. */
const longestPart = 700;
const mostEvidence = 6;
const longestEvidence = 240;

const instructions = `You are a software-engineering agent in the middle of a task. Your context is long, and you are about to call the tool \`context\`, which replaces your older steps by a memory. Write the thought with which you call it: one or two short sentences in the first person that say why now, from what the last steps and the observations below show.

Rules:
- At most 50 words, plain text on one line: no list, no heading, no quotation marks around it.
- Nothing about what comes after these steps, and nothing that they do not show. Say that something works only if they show it.
- No step numbers, and no numbers at all that do not stand below.
- Do not summarise the work: the memory does that.`;

const ends = (text: string): string =>
  text.length <= longestPart ? text : `${text.slice(0, longestPart / 2)} [...] ${text.slice(-longestPart / 2)}`;

function shownStep(step: RenderedStep): string {
  const calls = step.calls.map((call) =>
    [`[call] ${call.name} ${ends(call.arguments)}`, ...(call.result === null ? [] : [`[result] ${ends(call.result)}`])].join("\n"),
  );
  return [...(step.thought === "" ? [] : [ends(step.thought)]), ...calls.slice(0, 3)].join("\n");
}

/** Signals whose evidence lies before the cut. What needs hindsight, or is not known here, tells of the next turn and is not shown. */
export const pastSignals: ReadonlySet<string> = new Set([
  "window-occupancy",
  "sustained-growth",
  "falling-utilisation",
  "subtask-completed",
  "milestone",
  "repeated-failures",
  "loop",
]);

/** Evidence as an agent may see it: without the numbers of steps. */
const evidenceOf = ({ signals }: Pick<ThoughtView, "signals">): string[] =>
  signals
    .filter(({ signal }) => pastSignals.has(signal))
    .flatMap(({ evidence }) => evidence)
    .slice(0, mostEvidence)
    .map((line) => oneLine(line.replace(/\bsteps? \d{1,6}(?:\s?(?:-|–|to|and) ?\d{1,6})?:?\s?/gi, "")).slice(0, longestEvidence));

/** The request for a thought, from nothing but what lies before the cut. */
export function thoughtRequest(view: Omit<ThoughtView, "pick">): string {
  const evidence = evidenceOf(view);
  const why = view.reason === "window" ? ["There is little room left in the context."] : [];
  return [
    instructions,
    `# Observations\n\n${[...why, ...evidence].map((line) => `- ${line}`).join("\n") || "(none)"}`,
    `# Last steps\n\n${view.lastSteps.map(shownStep).join("\n\n") || "(none)"}`,
    "Now write the thought.",
  ].join("\n\n");
}

/** Why a model's thought is not taken; null: it is. Names and numbers must stand in what it was shown. */
function problemOf(text: string, shown: string, ports: Ports): string | null {
  if (text === "") return "empty";
  if (countControlTexts(text) > 0) return "control-token-text";
  if (ports.countTokens(text) > ports.countTokens(longestThought.trim())) return "too-long";
  if (text.split(/(?<=[.!?])\s+(?=[\p{Lu}`"'])/u).length > 2) return "too-many-sentences";
  if (/\b(?:steps?|turns?) #?\d/i.test(text)) return "step-number";
  const source = shown.toLowerCase();
  const strange = [...namesIn(text), ...(text.match(/\d+/g) ?? [])].find((name) => !source.includes(name.toLowerCase()));
  return strange === undefined ? null : "ungrounded";
}

/**
 * Asks once. What cannot be used is replaced by a built-in thought, and the writer says why. A reply that never comes whole makes the
 * record wait, as everywhere: whether it does must not decide what a row says. The reply has the room of any other, for models that
 * reason first.
 */
export async function modelThought({ label, params, thought: view }: CondenseJob, ports: Ports): Promise<Thought> {
  const request = thoughtRequest(view);
  const content = cleaned(request, params.persona);
  const prompt =
    conversationTokens([{ role: "user", content, train: false, step: -1 }], ports.countTokens) + openingTokens(ports.countTokens);
  if (prompt + params.window.replyTokens > params.window.tokens) return templateThought(view, "window-exceeded");
  try {
    const reply = await ports.complete({
      label: `thought:${label}`,
      messages: [{ role: "user", content }],
      tools: [],
      maxTokens: params.window.replyTokens,
      temperature: null,
      sampleIndex: 0,
    });
    const said = reply.text.replace(/^[\s\S]*<\/think>/, "");
    const text = cleaned(oneLine(said).replace(/^(["'“])(.*)["'”]$/, "$2"), params.persona);
    const problem = /^\s{0,3}(?:#|[-*+] |\d+\. |```|\{)/m.test(said) ? "not-plain" : problemOf(text, content, ports);
    return problem === null
      ? { text, writer: { by: "llm", model: reply.model, request: ports.digest(content) } }
      : templateThought(view, problem);
  } catch (error) {
    if (error instanceof Fault && error.code === "REQUEST_REFUSED") return templateThought(view, "request-refused");
    throw error;
  }
}
