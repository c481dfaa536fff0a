import type { Call, Task } from "../../../schemas/trajectory.ts";
import { jsonObject, type Member, stringMember } from "../json-text.ts";
import { bashTool, editorTool, injectedArguments, type PaperTool, submitTool } from "./paper-tools.ts";
import type { MappedCall, Persona } from "./persona.ts";

const work = `You are a software engineer who works alone in a sandboxed copy of a repository, through the tools below and nothing else.
Work in small steps: look before you edit, reproduce the problem before you fix it, run the tests after you change something, and read what they say.`;
const manage = `Your context is limited. When a piece of work is finished, when the conversation has grown long, or before you try a new direction after failures, call \`context\`, alone in its turn: the older steps are then replaced by a memory.`;
const handOver = `When the task is solved and checked, call \`submit\`.`;

/** Headings that mini-swe-agent and SWE-agent 0.x ask for in front of every thought. */
const heading = /^(?:THOUGHT:|DISCUSSION)\s*/;

/** How mini-swe-agent (and its Kwai variant) hands in: this command first, whatever follows prints the diff. */
const handIn = /^\s*echo\s+["']?(COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)\b/;

const same = ({ name, arguments: allowed }: PaperTool, members: readonly Member[]): MappedCall => {
  const kept = members.filter((member) => !injectedArguments.has(member.key));
  const unknown = kept.find((member) => !allowed.has(member.key));
  if (unknown !== undefined) return { ok: false, lacks: `${name}.${unknown.key}` };
  return { ok: true, call: { name, arguments: jsonObject(kept.filter((member) => member.value !== "null")) }, words: null };
};

/** `submit` takes no arguments. `task_completed` is the agent's own opinion, and SWE-agent repeats the command line: both are dropped. */
const handsInAlone = ({ key, value }: Member): boolean =>
  injectedArguments.has(key) ||
  value === "null" ||
  key === "task_completed" ||
  (key === "command" && /^"\s*submit(?:\s|\\n)*"$/.test(value));

/** `words`: the argument whose text moves into the thought; any other that says something has no place in `submit`. */
function submitted(name: string, members: readonly Member[], words: string | null): MappedCall {
  const unknown = members.find((member) => !handsInAlone(member) && !(member.key === words && member.value.startsWith('"')));
  if (unknown !== undefined) return { ok: false, lacks: `${name}.${unknown.key}` };
  return { ok: true, call: { name: submitTool.name, arguments: "{}" }, words: words === null ? null : stringMember(members, words) };
}

function map(call: Call, members: readonly Member[]): MappedCall {
  switch (call.name) {
    case "bash":
    case "execute_bash":
    case "terminal":
      return handIn.test(stringMember(members, "command") ?? "") ? submitted(call.name, [], null) : same(bashTool, members);
    case "str_replace_editor":
    case "file_editor":
      return same(editorTool, members);
    case "submit":
      return submitted(call.name, members, null);
    case "finish":
      return submitted(call.name, members, "message");
    default:
      return { ok: false, lacks: call.name };
  }
}

/** The bare issue in our own words around it where the source marks it off; otherwise the source's prompt as it is. */
const prompt = (task: Task): string =>
  task.issue === null
    ? task.prompt
    : `${task.workdir === null ? "" : `The repository is in ${task.workdir}. `}Solve the following issue by changing the code there, not its tests.\n\n<issue>\n${task.issue}\n</issue>`;

/** CAT's agent: execute_bash, str_replace_editor, submit, context (paper, section 3). */
export const paper: Persona = {
  system: (_, withContext) => [work, ...(withContext ? [manage] : []), handOver].join("\n"),
  thought: (text) => text.replace(heading, ""),
  prompt,
  tools: () => [bashTool.schema, editorTool.schema, submitTool.schema],
  map,
};
