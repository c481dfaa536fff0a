import type { ChatMessage, ToolCall } from "../../../schemas/completion.ts";
import type { PersonaRecipe } from "../../../schemas/recipe/persona.ts";
import type { RolloutOpening, RolloutTurn } from "../../../schemas/rollout.ts";
import type { Step } from "../../../schemas/trajectory.ts";
import { callStyles } from "../../lib/call-styles/index.ts";
import { escapeControlTexts } from "../../lib/control-tokens.ts";

/** How calls go over the wire: `native` = the API's own; `xml` = text in the call style of that name, for backbones without tool calls. */
export type WireStyle = "native" | "xml";

/** The persona's other styles are how samples write what went over the wire natively. */
export const wireStyleOf = ({ callStyle }: PersonaRecipe): WireStyle => (callStyle === "xml" ? "xml" : "native");

/** Nine letters and digits, which the strictest template (Mistral's) asks for; the same however the endpoint named the call. */
const callId = (turn: number, index: number): string => `c${String(turn).padStart(5, "0")}${String(index).padStart(3, "0")}`;

/**
 * The turn as it is shown and imported. A call that no tool could take is no call: templates parse arguments and fail on what is no
 * JSON object, endpoints refuse odd names, and personas have no counterpart for an unknown tool or argument. It becomes the text that
 * it was, and its answer feedback, in the model's own context and in the samples alike.
 */
export function shownTurn({ thought, calls, feedback }: RolloutTurn): Pick<RolloutTurn, "thought" | "calls" | "feedback"> {
  const malformed = calls.filter((call) => call.malformed);
  const words = [thought, ...malformed.map((call) => `${call.name}(${call.arguments})`.trim())];
  return {
    thought: words.filter((text) => text !== "").join("\n"),
    calls: calls.filter((call) => !call.malformed),
    feedback: [...malformed.map((call) => call.result), ...feedback],
  };
}

/** The turn as a step, as the live agent saw it later, so that a sample says the same. */
export function shownStep(turn: RolloutTurn): Step {
  const { thought, calls, feedback } = shownTurn(turn);
  return {
    thought,
    reasoning: turn.reasoning,
    calls: calls.map(({ name, arguments: text, result, exitCode, failed }) => ({
      id: null,
      name,
      arguments: text,
      result,
      exitCode,
      failed,
    })),
    feedback: [...feedback],
  };
}

function nativeTurn(turn: RolloutTurn, number: number): ChatMessage[] {
  const { thought, calls, feedback } = shownTurn(turn);
  const asked = calls.map((call, index): ToolCall => ({ id: callId(number, index), name: call.name, arguments: call.arguments }));
  return [
    { role: "assistant", content: thought, calls: asked },
    ...calls.map((call, index): ChatMessage => ({ role: "tool", content: call.result, call: callId(number, index) })),
    ...(feedback.length === 0 ? [] : [{ role: "user" as const, content: feedback.join("\n") }]),
  ];
}

function writtenTurn(turn: RolloutTurn): ChatMessage[] {
  const style = callStyles.xml;
  const { thought, calls, feedback } = shownTurn(turn);
  const results = calls.map((call) => call.result);
  return [
    { role: "assistant", content: style.assistant(thought, calls), calls: [] },
    { role: "user", content: style.user(results, feedback) },
  ];
}

/** System and task prompt as the model sees them. */
export function openingMessages({ system, prompt, tools }: RolloutOpening, style: WireStyle): ChatMessage[] {
  const text = style === "native" ? system : callStyles.xml.system(system, tools);
  return [
    { role: "system", content: text },
    { role: "user", content: prompt },
  ];
}

/** Turn `number` (from 0) with what came back, as the model sees it in later turns. */
export const turnMessages = (turn: RolloutTurn, number: number, style: WireStyle): ChatMessage[] =>
  style === "native" ? nativeTurn(turn, number) : writtenTurn(turn);

/** What an agent sees is what its samples will say, so the persona's escape of control-token text holds for both. */
export function cleanMessage(message: ChatMessage, { controlTokens }: PersonaRecipe): ChatMessage {
  if (controlTokens !== "escape") return message;
  const content = escapeControlTexts(message.content);
  if (message.role !== "assistant") return { ...message, content };
  const calls = message.calls.map((call) => ({ ...call, arguments: escapeControlTexts(call.arguments) }));
  return { role: "assistant", content, calls };
}
