import { assemble, type Entry } from "../assemble.ts";
import { scaffoldNotice } from "../exit.ts";
import { asFields, asList, field, isFields, listAt, textAt, WrongShape } from "../lenient.ts";
import { withoutRunNumber } from "../task-text.ts";
import { actionCall, cutLastFence } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * Rows of nebius/SWE-agent-trajectories: `trajectory` of texts with role system (its text in `system_prompt`), user and ai; the action is
 * the last code block of a reply, the observation the next text. `target` says whether the patch resolved the task.
 */
export const nebiusSweAgent: Dialect = {
  name: "nebius-swe-agent",
  family: "nebius",
  recognises(value) {
    const [first] = listAt(value, "trajectory") ?? [];
    const speaks = isFields(first) && ["system", "user", "ai"].includes(textAt(first, "role") ?? "");
    return speaks && Object.hasOwn(first, "text") && !Object.hasOwn(first, "content") && field(value, "history") === undefined;
  },
  read(value) {
    const facts = rowFacts(value);
    return foundRun(assemble(entriesOf(asList(field(value, "trajectory"), "trajectory"))), {
      ...facts,
      instance: facts.instance === null ? null : withoutRunNumber(facts.instance),
      callStyle: "fenced",
    });
  },
};

function entriesOf(texts: readonly unknown[]): Entry[] {
  const entries: Entry[] = [];
  let open = false;
  for (const [index, entry] of texts.entries()) {
    const where = `trajectory[${index}]`;
    const role = textAt(asFields(entry, where), "role");
    const text = textAt(entry, "text") ?? (role === "system" ? textAt(entry, "system_prompt") : null);
    if (text === null) throw new WrongShape(`${where}.text`, "text", field(entry, "text"));
    if (role === "ai" && !scaffoldNotice.test(text)) {
      const cut = cutLastFence(text);
      const calls = cut === null ? [] : [actionCall(cut.action)];
      open = calls.length > 0;
      entries.push({ kind: "turn", thought: cut?.thought ?? text, reasoning: null, calls });
    } else if (role === "user" && open) {
      entries.push({ kind: "result", key: null, text, exitCode: null, failed: null });
      open = false;
    } else if (role === "user" || role === "system" || role === "ai") {
      entries.push({ kind: role === "system" ? "system" : "user", text });
    } else throw new WrongShape(`${where}.role`, "system, user or ai", field(entry, "role"));
  }
  return entries;
}
