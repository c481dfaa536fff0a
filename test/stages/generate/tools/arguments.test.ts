import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentTools } from "../../../../stages/generate/tools/index.ts";
import { countControlTexts } from "../../../../stages/lib/control-tokens.ts";

const parse = (name: string, args: unknown) => agentTools.get(name)?.parse(typeof args === "string" ? args : JSON.stringify(args));
const why = (name: string, args: unknown): string => {
  const parsed = parse(name, args);
  if (parsed === undefined || parsed.ok) throw new Error(`taken: ${JSON.stringify(parsed)}`);
  return parsed.why;
};
const bash = (value: Record<string, unknown>) => ({ ok: true, value: { command: "ls", is_input: null, timeout: null, ...value } });

describe("what models get wrong without harm is taken", () => {
  test.each([
    [{ command: "ls", timeout: "30" }, { timeout: 30 }],
    [{ command: "ls", timeout: null, is_input: null }, {}],
    [{ command: "ls", is_input: "false" }, { is_input: false }],
    [{ command: "ls", is_input: "" }, { is_input: false }],
    [{ command: "ls", security_risk: "LOW", summary: "lists" }, {}],
    [{ command: "a\ud800" }, { command: "a\ufffd" }],
  ])("execute_bash %j", (args, value) => {
    expect(parse("execute_bash", args)).toEqual(bash(value));
  });

  const view = (range: unknown) => ({ ok: true, value: { command: "view", path: "/a", range } });
  test.each([
    [{ view_range: ["1", "20"] }, view([1, 20])],
    [{ view_range: "[1, -1]" }, view([1, -1])],
    [{ view_range: [] }, view(null)],
    [{ view_range: null }, view(null)],
    [{ old_str: "of another command" }, view(null)],
    [
      { command: "insert", insert_line: " 3", new_str: "" },
      { ok: true, value: { command: "insert", path: "/a", afterLine: 3, newText: "" } },
    ],
    [
      { command: "str_replace", old_str: "x" },
      { ok: true, value: { command: "str_replace", path: "/a", oldText: "x", newText: "" } },
    ],
  ])("str_replace_editor %j", (args, parsed) => {
    expect(parse("str_replace_editor", { command: "view", path: "/a", ...args })).toEqual(parsed);
  });

  test("submit takes nothing, and what scaffolds inject", () => {
    for (const args of [{}, { summary: "done" }]) expect(parse("submit", args)).toEqual({ ok: true, value: {} });
  });
});

describe("what cannot be used is refused with what was expected and what came", () => {
  const bashLike = "execute_bash cannot be called like this:";
  const editorLike = "str_replace_editor cannot be called like this:";
  test.each([
    ["execute_bash", {}, `${bashLike} "command" is missing, expected a text without NUL characters`],
    ["execute_bash", { command: null }, `${bashLike} "command" is missing, expected a text without NUL characters`],
    ["execute_bash", { command: ["ls"] }, `${bashLike} "command" must be a text without NUL characters, got a list`],
    ["execute_bash", { command: "a\0b" }, `${bashLike} "command" must be a text without NUL characters, got "a\\u0000b"`],
    ["execute_bash", { command: "ls", timeout: "soon" }, `${bashLike} "timeout" must be a number of seconds above 0, got "soon"`],
    ["execute_bash", { command: "ls", timeout: 0 }, `${bashLike} "timeout" must be a number of seconds above 0, got 0`],
    [
      "execute_bash",
      { cmd: "ls" },
      `${bashLike} there is no argument "cmd", expected command, is_input, timeout; "command" is missing, expected a text without NUL characters`,
    ],
    [
      "execute_bash",
      '{"command": "ls',
      'Expected the arguments of execute_bash as a JSON object, got "{\\"command\\": \\"ls", which is no JSON',
    ],
    ["execute_bash", "", 'Expected the arguments of execute_bash as a JSON object, got "", which is no JSON'],
    ["execute_bash", "[1]", "Expected the arguments of execute_bash as a JSON object, got a list"],
    ["execute_bash", "null", "Expected the arguments of execute_bash as a JSON object, got null"],
    ["execute_bash", '"ls"', 'Expected the arguments of execute_bash as a JSON object, got "ls"'],
    [
      "str_replace_editor",
      { command: "delete", path: "/a" },
      `${editorLike} "command" must be one of view, create, str_replace, insert, undo_edit, got "delete"`,
    ],
    ["str_replace_editor", { command: "create", path: "/a" }, `${editorLike} \`create\` needs "file_text" too`],
    [
      "str_replace_editor",
      { command: "create", path: "/a", file_text: {} },
      `${editorLike} "file_text" must be a text without NUL characters, got an object`,
    ],
    ["str_replace_editor", { command: "str_replace", path: "/a" }, `${editorLike} \`str_replace\` needs "old_str" too`],
    ["str_replace_editor", { command: "insert", path: "/a", new_str: "" }, `${editorLike} \`insert\` needs "insert_line" too`],
    ["str_replace_editor", { command: "insert", path: "/a", insert_line: 1 }, `${editorLike} \`insert\` needs "new_str" too`],
    [
      "str_replace_editor",
      { command: "insert", path: "/a", insert_line: 1.5, new_str: "" },
      `${editorLike} "insert_line" must be a whole number, got 1.5`,
    ],
    [
      "str_replace_editor",
      { command: "view", path: "/a", view_range: [1] },
      `${editorLike} "view_range" must be a list of two whole numbers, got a list`,
    ],
    ["submit", { answer: 42 }, 'submit cannot be called like this: there is no argument "answer", expected none'],
    ["submit", '{"__proto__": 1}', 'submit cannot be called like this: there is no argument "__proto__", expected none'],
  ])("%s %j", (name, args, expected) => {
    expect(why(name, args)).toBe(expected);
  });

  test("whatever comes, nothing crashes, and no control-token text goes back", () => {
    const keys = fc.constantFrom(
      "command",
      "path",
      "old_str",
      "insert_line",
      "view_range",
      "timeout",
      "is_input",
      "toString",
      "<tool_call>",
    );
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("view", "insert", "/a", "<|im_end|>", 3, [1, 2]));
    fc.assert(
      fc.property(
        fc.constantFrom(...agentTools.values()),
        fc.oneof(
          fc.dictionary(keys, value).map((object) => JSON.stringify(object)),
          fc.string(),
        ),
        (tool, json) => {
          const parsed = tool.parse(json);
          if (!parsed.ok) expect(countControlTexts(parsed.why)).toBe(0);
        },
      ),
      { seed: 42, numRuns: 2000 },
    );
  });
});
