import { jsonObject, type Member } from "../json-text.ts";
import type { ReadTurn, WrittenCall } from "./call-style.ts";
import { excerpt } from "./excerpt.ts";
import { readToolSchema, typesOf } from "./tool-schema.ts";
import { namePattern, readName, readValue, tags, unescapeTags } from "./xml-text.ts";

/** Types that the schema of a parameter allows, null where that is not known. */
type TypesOf = (name: string, key: string) => readonly string[] | null;

const callStart = `<function=(${namePattern})>`;
const callStarts = new RegExp(callStart, "g");
const callHere = new RegExp(callStart, "y");
const parameterStart = new RegExp(`\\s*<parameter=(${namePattern})>`, "y");
const callEnd = /\s*(?:<\/function>|$)/y;
/** How a call goes on behind its opening tag and behind each parameter. */
const afterTag = /\s*(?:<parameter=|<\/function>|$)/y;
/** Between calls that follow each other directly. Models that learned Qwen3-Coder's form wrap each in the tags of the other style. */
const betweenCalls = /\s*(?:<\/tool_call>\s*)?(?:<tool_call>\s*)?(?=<function=)/y;
const wrapperBefore = /(?:^|\n)<tool_call>\s*$/;
/** On a line of its own inside a value: somebody forgot to close, or the value quotes it; nobody can tell. */
const openingTag = /\n[ \t]*<(?:function|parameter)=/;

const matches = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** The first call begins where a tag goes on like one, or has a line to itself; a tag that prose mentions does neither. */
const findCall = (text: string): RegExpExecArray | undefined =>
  [...text.matchAll(callStarts)].find(
    (start) =>
      matches(afterTag, text, start.index + start[0].length) !== null ||
      /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start.index - 100), start.index)),
  );

interface ValueEnd {
  readonly end: number;
  readonly next: number;
}

/** End of the value that begins at `start`: the closing tag behind which the call goes on, since a value may quote others; else the first. */
function valueEnd(text: string, start: number): ValueEnd | null {
  const first = text.indexOf(tags.endParameter, start);
  for (let end = first; end >= 0; end = text.indexOf(tags.endParameter, end + 1)) {
    const next = end + tags.endParameter.length;
    if (matches(afterTag, text, next) !== null) return { end, next };
  }
  const end = text.indexOf(tags.endFunction, start);
  if (first >= 0 && (end < 0 || first < end)) return { end: first, next: first + tags.endParameter.length };
  return end < 0 ? null : { end, next: end };
}

type ReadCall = { readonly call: WrittenCall; readonly next: number } | { readonly problem: string };

const notClosed = (name: string, key: string, came: string): ReadCall => ({
  problem: `expected ${tags.endParameter} behind the value of ${tags.parameter}${key}> in the call of ${name}, got ${came}; where a value itself contains such a tag, write a backslash behind its "<"`,
});

function readCall(text: string, start: RegExpExecArray, types: TypesOf): ReadCall {
  const name = readName(start[1] ?? "");
  const members: Member[] = [];
  let at = start.index + start[0].length;
  for (let found = matches(parameterStart, text, at); found !== null; found = matches(parameterStart, text, at)) {
    const key = readName(found[1] ?? "");
    const from = found.index + found[0].length;
    const end = valueEnd(text, from);
    if (end === null) return notClosed(name, key, "the end of the text");
    const value = text.slice(from, end.end);
    if (openingTag.test(value)) return notClosed(name, key, "another opening tag before it");
    members.push({ key, value: readValue(value, types(name, key)) });
    at = end.next;
  }
  const end = matches(callEnd, text, at);
  if (end !== null) return { call: { name, arguments: jsonObject(members) }, next: at + end[0].length };
  const place = members.length === 0 ? `${tags.function}${name}>` : `the parameters of ${name}`;
  return { problem: `expected ${tags.parameter}KEY> or ${tags.endFunction} behind ${place}, got ${excerpt(text.slice(at).trimStart())}` };
}

/** The words before the first call without what separates the two. */
const thoughtBefore = (text: string): string => unescapeTags(text.replace(wrapperBefore, "").replace(/\n{1,2}$/, ""));

/** The call that follows directly behind `at`. */
const nextCall = (text: string, at: number): RegExpExecArray | null =>
  matches(callHere, text, at + (matches(betweenCalls, text, at)?.[0].length ?? 0));

/** `readReply` of the `xml` style. */
export function readXmlReply(text: string, tools: readonly string[]): ReadTurn {
  const schemas = new Map(tools.flatMap((tool) => readToolSchema(tool) ?? []).map((schema) => [schema.name, schema.parameters.properties]));
  const types: TypesOf = (name, key) => typesOf(schemas.get(name)?.[key]);
  const first = findCall(text);
  if (first === undefined) return { thought: unescapeTags(text), calls: [] };
  const calls: WrittenCall[] = [];
  for (let start: RegExpExecArray | null = first; start !== null; ) {
    const read = readCall(text, start, types);
    if ("problem" in read) return read;
    calls.push(read.call);
    start = nextCall(text, read.next);
  }
  return { thought: thoughtBefore(text.slice(0, first.index)), calls };
}
