import { jsonObject } from "../json-text.ts";
import { type Persona, toolSchema } from "./persona.ts";

const bash = toolSchema("bash", "Execute a bash command.", {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
});

/**
 * The source's own prompts, tools and tool names. Sources that write one bash block per reply declare no tools: for them the schema of
 * `bash` is stated, because their calls are rendered as calls of it.
 */
export const keep: Persona = {
  system: (task) => task.system,
  thought: (text) => text,
  prompt: (task) => task.prompt,
  tools: ({ task, origin }) => (task.tools.length === 0 && origin.callStyle === "bash-block" ? [bash] : task.tools),
  map: (call, members) => ({ ok: true, call: { name: call.name, arguments: jsonObject(members) }, words: null }),
};
