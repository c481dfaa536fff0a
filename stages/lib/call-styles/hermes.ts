import { jsonMembers, jsonString, spacedJson, spacedTool, stringMember } from "../json-text.ts";
import type { CallStyle, WrittenCall } from "./call-style.ts";
import { readHermesReply } from "./hermes-reply.ts";

/** What the template says when a conversation has no system prompt. */
export const defaultSystem = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

const open = "<tool_call>\n";
const close = "\n</tool_call>";

const written = (call: WrittenCall): string =>
  `${open}{"name": ${jsonString(call.name)}, "arguments": ${spacedJson(call.arguments) ?? jsonString(call.arguments)}}${close}`;

function readCall(body: string): WrittenCall {
  const members = jsonMembers(body);
  const name = members === null ? null : stringMember(members, "name");
  const args = members?.findLast((member) => member.key === "arguments")?.value;
  if (name === null || args === undefined)
    throw new SyntaxError(`expected {"name", "arguments"} between tool_call tags, got ${body.slice(0, 40)}`);
  return { name, arguments: spacedJson(args) ?? args };
}

/**
 * The Qwen2.5 chat template's own form: tools as JSON lines in the system turn, calls as JSON between `<tool_call>` tags, results as
 * `<tool_response>` blocks of one user turn, pieces joined by a newline, feedback after them. Source: chat_template of
 * Qwen2.5's tokenizer_config.json; the text equals that template's on the same messages (tested against @huggingface/jinja).
 */
export const hermes: CallStyle = {
  system: (prompt, tools) =>
    (prompt ?? defaultSystem) +
    (tools.length === 0
      ? ""
      : `\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>${tools
          .map((tool) => `\n${spacedTool(tool)}`)
          .join(
            "",
          )}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`),
  assistant: (thought, calls) => [...(thought === "" ? [] : [thought]), ...calls.map(written)].join("\n"),
  user: (results, feedback) => [...results.map((result) => `<tool_response>\n${result}\n</tool_response>`), ...feedback].join("\n"),
  read: (text) => {
    const first = text.startsWith(open) ? 0 : text.indexOf(`\n${open}`);
    if (first < 0) return { thought: text, calls: [] };
    const bodies = text.slice(text.indexOf(open, first)).split(open).slice(1);
    return { thought: text.slice(0, first), calls: bodies.map((body) => readCall(body.slice(0, body.lastIndexOf(close)))) };
  },
  readReply: readHermesReply,
};
