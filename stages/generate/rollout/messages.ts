import type { ChatMessage, ToolCall } from "../../../schemas/completion.ts";
import type { PersonaRecipe } from "../../../schemas/recipe.ts";
import type { RolloutCall, RolloutOpening, RolloutTurn } from "../../../schemas/rollout.ts";
import { callStyles } from "../../lib/call-styles/index.ts";
import { escapeControlTexts } from "../../lib/control-tokens.ts";
import { jsonMembers } from "../../lib/json-text.ts";

/** How calls go over the wire: `native` = the API's own; `xml` = text in the call style of that name, for backbones without tool calls. */
export type WireStyle = "native" | "xml";

/** The persona's other styles are how samples write what went over the wire natively. */
export const wireStyleOf = ({ callStyle }: PersonaRecipe): WireStyle => (callStyle === "xml" ? "xml" : "native");

/** Nine letters and digits, which the strictest template (Mistral's) asks for; the same however the endpoint named the call. */
const callId = (turn: number, index: number): string => `c${String(turn).padStart(5, "0")}${String(index).padStart(3, "0")}`;

/** What OpenAI takes as the name of a function, also of one that was called before. */
const functionName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Templates parse arguments and fail on what is no JSON object, endpoints refuse odd names: such a call is shown as the text that it was. */
const canGoNative = (call: RolloutCall): boolean => functionName.test(call.name) && jsonMembers(call.arguments) !== null;

function nativeTurn(turn: RolloutTurn, number: number): ChatMessage[] {
  const native = turn.calls.filter(canGoNative);
  const broken = turn.calls.filter((call) => !canGoNative(call));
  const calls = native.map((call, index): ToolCall => ({ id: callId(number, index), name: call.name, arguments: call.arguments }));
  const content = [turn.thought, ...broken.map((call) => `${call.name}(${call.arguments})`)].filter((text) => text !== "").join("\n");
  const said = [...broken.map((call) => call.result), ...turn.feedback];
  return [
    { role: "assistant", content, calls },
    ...native.map((call, index): ChatMessage => ({ role: "tool", content: call.result, call: callId(number, index) })),
    ...(said.length === 0 ? [] : [{ role: "user" as const, content: said.join("\n") }]),
  ];
}

function writtenTurn(turn: RolloutTurn): ChatMessage[] {
  const style = callStyles.xml;
  return [
    { role: "assistant", content: style.assistant(turn.thought, turn.calls), calls: [] },
    {
      role: "user",
      content: style.user(
        turn.calls.map((call) => call.result),
        turn.feedback,
      ),
    },
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
