import { bool, list, nullable, struct, utf8 } from "../../../schemas/columns.ts";
import { saidBy } from "../said.ts";
import { type Layout, metadataColumns, metadataOf, oneRow } from "./layout.ts";

const toolCall = struct({ id: utf8, type: utf8, function: struct({ name: utf8, arguments: utf8 }) });

/**
 * OpenAI's chat messages and tools, nothing turned into text: to look into, to convert, to render under another template. Arguments are the
 * raw JSON text, since a struct per tool would be null-filled (trainers.md 1.2); `tools` is JSON text, too. null where a message has no
 * calls or answers none, as in the API.
 */
export const structured: Layout = {
  columns: {
    messages: list(struct({ role: utf8, content: utf8, tool_calls: nullable(list(toolCall)), tool_call_id: nullable(utf8), train: bool })),
    tools: utf8,
    ...metadataColumns,
  },
  text: "`structured`: OpenAI messages with `tool_calls` (arguments as raw JSON text), tool results and `tools`, lossless; an archive to convert from, not the first choice for training, since trainers write calls each in their own way",
  loss: "`train` per message, which axolotl reads and others do not. Arguments are JSON text: axolotl parses them, TRL, LLaMA-Factory, NeMo Automodel and verl would encode them twice. Token counts are those of the flat text.",
  structured: true,
  rows(exported) {
    const { sample, facts } = exported;
    const said = saidBy(exported);
    const messages = said.map(({ role, content, calls, callId, train }) => ({
      role,
      content,
      tool_calls:
        calls.length === 0
          ? null
          : calls.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } })),
      tool_call_id: callId,
      train,
    }));
    return oneRow({ messages, tools: facts.toolsJson, ...metadataOf(sample, facts, said) }, facts);
  },
};
