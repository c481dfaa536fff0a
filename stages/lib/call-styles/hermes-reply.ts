import { jsonMembers, spacedJson, stringMember } from "../json-text.ts";
import type { ReadTurn, WrittenCall } from "./call-style.ts";
import { excerpt } from "./excerpt.ts";

const open = /<tool_call>/g;
const close = "</tool_call>";
/** Backbones that are no Qwen put the JSON in a fence. */
const fence = /^```\w*\n([\s\S]*)\n```$/;

/** Some templates say `parameters`, some models write the arguments as JSON in a string, and leave them out where a tool takes none. */
function argumentsOf(members: ReturnType<typeof jsonMembers>): string | null {
  const raw = members?.findLast(({ key }) => key === "arguments" || key === "parameters")?.value ?? "{}";
  const json = raw.startsWith('"') ? (JSON.parse(raw) as string) : raw;
  return jsonMembers(json) === null ? null : spacedJson(json);
}

function readCall(body: string): WrittenCall | null {
  const members = jsonMembers(fence.exec(body)?.[1] ?? body);
  const name = members === null ? null : stringMember(members, "name");
  const args = argumentsOf(members);
  return name === null || name === "" || args === null ? null : { name, arguments: args };
}

/** The problem must not name the tags as they are written: each is a control token. */
const problem = (body: string): ReadTurn => ({
  problem: `expected one JSON object {"name": NAME, "arguments": {...}} between the tags of a tool_call, got ${excerpt(body)}`,
});

/** `readReply` of the `hermes` style. The opening tag is one token of its own: wherever it stands, a call is meant. */
export function readHermesReply(text: string): ReadTurn {
  const starts = [...text.matchAll(open)];
  if (starts.length === 0) return { thought: text, calls: [] };
  const calls: WrittenCall[] = [];
  for (const [index, start] of starts.entries()) {
    const from = start.index + start[0].length;
    const end = text.indexOf(close, from);
    const until = Math.min(end < 0 ? text.length : end, starts[index + 1]?.index ?? text.length);
    const body = text.slice(from, until).trim();
    const call = readCall(body);
    if (call === null) return problem(body);
    calls.push(call);
    const behind = until === end ? end + close.length : until;
    if (text.slice(behind, starts[index + 1]?.index).trim() !== "") break;
  }
  return { thought: text.slice(0, starts[0]?.index).replace(/\n$/, ""), calls };
}
