import { describe, expect, test } from "vitest";
import type { ReadTurn } from "../../../../stages/lib/call-styles/call-style.ts";
import { callStyles } from "../../../../stages/lib/call-styles/index.ts";

const { hermes } = callStyles;
const reads = (text: string): ReadTurn => hermes.readReply(text, []);
const ls = { name: "execute_bash", arguments: '{"command": "ls"}' };

describe("reading live replies", () => {
  test.each([
    ["the official form", '<tool_call>\n{"name": "execute_bash", "arguments": {"command": "ls"}}\n</tool_call>'],
    ["on one line, without the closing tag", '<tool_call>{"name":"execute_bash","arguments":{"command":"ls"}}'],
    ["arguments as a string", '<tool_call>\n{"name": "execute_bash", "arguments": "{\\"command\\": \\"ls\\"}"}\n</tool_call>'],
    ["arguments under Llama's name", '<tool_call>\n{"name": "execute_bash", "parameters": {"command": "ls"}}\n</tool_call>'],
    ["JSON in a fence", '<tool_call>\n```json\n{"name": "execute_bash", "arguments": {"command": "ls"}}\n```\n</tool_call>'],
  ])("%s is read", (_, text) => {
    expect(reads(`I look.\n${text}`)).toEqual({ thought: "I look.", calls: [ls] });
    expect(reads(text)).toEqual({ thought: "", calls: [ls] });
  });

  test("a tool without arguments may be called without any", () => {
    expect(reads('<tool_call>\n{"name": "submit"}\n</tool_call>')).toEqual({ thought: "", calls: [{ name: "submit", arguments: "{}" }] });
  });

  test("two calls without the tag between them are two", () => {
    const one = '<tool_call>\n{"name": "execute_bash", "arguments": {"command": "ls"}}\n';
    expect(reads(one + one)).toEqual({ thought: "", calls: [ls, ls] });
  });

  test.each([
    ["ls -la", '"ls -la"'],
    ["", '""'],
    [
      '{"name": "execute_bash", "arguments": {"command": "ls"',
      '"{\\"name\\": \\"execute_bash\\", \\"arguments\\": {\\"command\\": \\"ls\\""',
    ],
    ['{"name": 1}', '"{\\"name\\": 1}"'],
    ['{"name": "f", "arguments": [1]}', '"{\\"name\\": \\"f\\", \\"arguments\\": [1]}"'],
  ])("%s between the tags is refused with what was expected and what came", (body, came) => {
    expect(reads(`I look.\n<tool_call>\n${body}\n</tool_call>`)).toEqual({
      problem: `expected one JSON object {"name": NAME, "arguments": {...}} between the tags of a tool_call, got ${came}`,
    });
  });
});
