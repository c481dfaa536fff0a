import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, intAt, isFields, listAt, textAt, wordAt } from "../lenient.ts";
import { objectText } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { exitCodeIn, nativeCalls, reasoningOf } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";
import { readParts } from "./lib-sessions.ts";

/**
 * Moatless of late 2024: a tree of `nodes`, each with its action and observation; node 0 is the task. Where a search tried several ways,
 * the way to the last finished node is the run.
 */
export const moatlessNodes: Dialect = {
  name: "moatless-nodes",
  family: "moatless",
  recognises(value) {
    const [first] = listAt(value, "nodes") ?? [];
    return isFields(first) && intAt(first, "node_id") !== null;
  },
  read(value) {
    const nodes = asList(field(value, "nodes"), "nodes");
    const path = wayTo(nodes);
    const marks = new Set<Mark>(path.length < nodes.length ? ["branches-left-out"] : []);
    const system = textAt(value, "agent", "system_prompt");
    const opening: Entry[] = system === null || system === "" ? [] : [{ kind: "system", text: system }];
    const entries = path.flatMap((at) => nodeEntries(nodes[at], `nodes[${at}]`, marks));
    return foundRun(assemble([...opening, ...entries]), {
      instance: wordAt(value, "metadata", "instance_id"),
      model: wordAt(value, "agent", "completion", "model"),
      callStyle: "native",
      marks: [...marks],
    });
  },
};

/** Places of the nodes from the root to the last one that ends the run, or else to the last one. */
function wayTo(nodes: readonly unknown[]): number[] {
  const places = new Map(nodes.map((node, place) => [intAt(node, "node_id"), place] as const));
  const final = nodes.findLastIndex((node) => field(field(node, "observation"), "terminal") === true);
  const way: number[] = [];
  for (let at = final < 0 ? nodes.length - 1 : final; at >= 0 && !way.includes(at); ) {
    way.unshift(at);
    const parent = intAt(nodes[at], "parent_id");
    at = parent === null ? -1 : (places.get(parent) ?? -1);
  }
  return way;
}

function nodeEntries(node: unknown, where: string, marks: Set<Mark>): Entry[] {
  const said = wordAt(asFields(node, where), "message") ?? wordAt(node, "user_message");
  const asked: Entry[] = said === null ? [] : [{ kind: "user", text: said }];
  if (!isFields(field(node, "action"))) return asked;
  const turn = replyOf(node, where, marks) ?? actionOf(field(node, "action"));
  const seen = textAt(node, "observation", "message");
  if (seen === null) return [...asked, turn];
  const failed = field(field(node, "observation"), "expect_correction") === true ? true : null;
  return [...asked, turn, { kind: "result", key: null, text: seen, exitCode: exitCodeIn(seen), failed }];
}

type Turn = Extract<Entry, { kind: "turn" }>;

/** The model's own reply, in either vendor's form; a node is one action, so no more than its first call was executed. */
function replyOf(node: unknown, where: string, marks: Set<Mark>): Turn | null {
  const response = field(field(field(node, "completions"), "build_action"), "response");
  const message = field(listAt(response, "choices")?.[0], "message");
  const at = `${where}.completions.build_action.response`;
  const native = isFields(message) ? nativeCalls(message, at) : [];
  const parts = isFields(message) ? null : readParts(listAt(response, "content"), `${at}.content`, marks);
  const call = native[0] ?? parts?.calls[0];
  if (call === undefined) return null;
  const thought = parts?.text ?? textAt(message, "content") ?? "";
  return { kind: "turn", thought, reasoning: parts?.reasoning ?? reasoningOf(message), calls: [{ ...call, key: null }] };
}

/** The action as it was carried out, named after the class of its arguments. */
function actionOf(action: unknown): Turn {
  const kind = wordAt(action, "action_args_class")?.split(".").at(-1);
  const name = kind?.replace(/Arg(?:ument)?s$/, "") || "action";
  const own = Object.entries(isFields(action) ? action : {}).filter(([key]) => key !== "scratch_pad" && key !== "action_args_class");
  const call = { id: null, key: null, name, arguments: objectText(own) };
  return { kind: "turn", thought: textAt(action, "scratch_pad") ?? "", reasoning: null, calls: [call] };
}
