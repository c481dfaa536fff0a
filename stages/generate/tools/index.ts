import { executeBash } from "./execute-bash.ts";
import { strReplaceEditor } from "./str-replace-editor.ts";
import { submit } from "./submit.ts";
import type { AgentTool } from "./tool.ts";

/** By the name that the model calls. `context` is none of them: it changes what the agent sees, not the sandbox. */
export const agentTools: ReadonlyMap<string, AgentTool> = new Map(
  [executeBash, strReplaceEditor, submit].map((tool: AgentTool) => [tool.name, tool]),
);
