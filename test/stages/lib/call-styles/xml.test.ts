import { describe, expect, test } from "vitest";
import { callStyles } from "../../../../stages/lib/call-styles/index.ts";
import { paper } from "../../../../stages/lib/personas/paper.ts";
import { contextTool } from "../../../../stages/lib/personas/persona.ts";

const { xml } = callStyles;
const tools = paper.tools({ task: { tools: [] }, origin: { callStyle: "native" } } as unknown as Parameters<typeof paper.tools>[0]);
const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: JSON.stringify(args) });
const reads = (text: string) => {
  const read = xml.readReply(text, tools);
  if ("problem" in read) throw new Error(read.problem);
  return { thought: read.thought, calls: read.calls.map(({ name, arguments: json }) => [name, JSON.parse(json) as unknown]) };
};
const problemOf = (text: string): string => {
  const read = xml.readReply(text, tools);
  if (!("problem" in read)) throw new Error(`read as ${JSON.stringify(read)}`);
  return read.problem;
};
const bash = (body: string): string => `<function=execute_bash>\n${body}\n</function>`;

describe("writing", () => {
  test("a call looks as OpenHands and SWE-agent write it", () => {
    const edit = call("str_replace_editor", {
      command: "str_replace",
      path: "/a.py",
      old_str: "x",
      new_str: "x\n  y\n",
      view_range: [1, -1],
    });
    expect(xml.assistant("I edit.", [edit, call("submit", {})])).toBe(
      "I edit.\n\n<function=str_replace_editor>\n<parameter=command>str_replace</parameter>\n<parameter=path>/a.py</parameter>\n" +
        "<parameter=old_str>x</parameter>\n<parameter=new_str>\nx\n  y\n\n</parameter>\n<parameter=view_range>[1, -1]</parameter>\n</function>\n" +
        "<function=submit>\n</function>",
    );
  });

  test("text that looks like another kind of value goes on a line of its own", () => {
    for (const text of ["5", "true", "null", "[]", '{"a": 1}', " -1.5 "])
      expect(xml.assistant("", [call("f", { a: text })])).toContain(`<parameter=a>\n${text}\n</parameter>`);
    for (const text of ["ls", "", '"5"', "5 + 5", "nul"])
      expect(xml.assistant("", [call("f", { a: text })])).toContain(`<parameter=a>${text}</parameter>`);
  });

  test("only text that holds a tag of the style is changed, by one backslash", () => {
    const quoting = xml.assistant("Mind </parameter>.", [call("f", { a: "<function=x> <\\/function> <parameter> <b>" })]);
    expect(quoting).toContain("Mind <\\/parameter>.");
    expect(quoting).toContain("<parameter=a><\\function=x> <\\\\/function> <parameter> <b></parameter>");
  });

  test("results stand under SWE-smith's heading, feedback behind them as it is", () => {
    expect(xml.user(["a\nb", ""], ["Go on."])).toBe("OBSERVATION:\na\nb\n\nOBSERVATION:\n\n\nGo on.");
    expect(xml.user([], ["Go on."])).toBe("Go on.");
  });

  test("the system text says each tool in words, and what words cannot say as it is", () => {
    const odd = [
      '{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}]}}, "required": ["a"]}}}',
      '{"name": "theirs", "input_schema": {}}',
      "no json",
    ];
    const system = xml.system(null, [...tools, contextTool, ...odd]);
    expect(system).toMatch(/^You are Qwen/);
    expect(system).toContain("## execute_bash\n\nRun a command");
    expect(system).toContain("\n- command (string, required): The command line");
    expect(system).toContain('\n- command (string, one of "view", "create", "str_replace", "insert", "undo_edit", required)\n');
    expect(system).toContain("\n- view_range (array of integer): ");
    expect(system).toContain("\n- is_input (string or boolean): ");
    expect(system).toMatch(/## context\n\nCondense .*\n\nNo parameters\.\n/);
    expect(system).toContain('## f\n\nParameters:\n- a (required): {"anyOf":[{"type":"null"}]}\n');
    expect(system).toContain('\n\n{"name": "theirs", "input_schema": {}}\n\nno json\n\n');
  });
});

describe("reading what this style wrote", () => {
  test("what says the same in another way, or no call, is refused", () => {
    for (const body of ["", "ls", "<parameter=command>ls", "<parameter=command>\nls\n</parameter>", "<parameter=command>ls</parameter> "])
      expect(() => xml.read(bash(body)), body).toThrow(SyntaxError);
  });

  test("arguments that are no JSON object are shown and cannot be read back", () => {
    for (const args of ["", "[1]", "ls </function>", '{"a": ']) {
      const text = xml.assistant("", [{ name: "execute_bash", arguments: args }]);
      expect(text).toContain(args.replace("</", "<\\/"));
      expect(() => xml.read(text)).toThrow(SyntaxError);
    }
  });
});

describe("reading live replies", () => {
  test("the schema decides what is text and what is not", () => {
    const body =
      '<parameter=command>create</parameter>\n<parameter=path>/a.json</parameter>\n<parameter=file_text>{"a":1}</parameter>\n' +
      "<parameter=insert_line>\n5\n</parameter>\n<parameter=view_range>\n[1,2]\n</parameter>";
    expect(reads(`<function=str_replace_editor>\n${body}\n</function>`).calls).toEqual([
      ["str_replace_editor", { command: "create", path: "/a.json", file_text: '{"a":1}', insert_line: 5, view_range: [1, 2] }],
    ]);
    expect(reads(bash("<parameter=command>true</parameter>\n<parameter=is_input>true</parameter>")).calls).toEqual([
      ["execute_bash", { command: "true", is_input: true }],
    ]);
    expect(reads("<function=other>\n<parameter=n>5</parameter>\n</function>").calls).toEqual([["other", { n: 5 }]]);
  });

  test("line breaks that set a value off are no part of it", () => {
    for (const [written, value] of [
      ["\nls\n", "ls"],
      ["\nls", "ls"],
      ["\n", ""],
      ["\n\n", ""],
      ["\n\nls\n\n", "\nls\n"],
      ["cat <<E\na\nE\n", "cat <<E\na\nE\n"],
      ["  ls ", "  ls "],
    ])
      expect(reads(bash(`<parameter=command>${written}</parameter>`)).calls).toEqual([["execute_bash", { command: value }]]);
  });

  test("closing tags that a stop sequence or the model left out are supplied where nothing else can be meant", () => {
    const ls = [["execute_bash", { command: "ls" }]];
    for (const text of [
      "<function=execute_bash>\n<parameter=command>ls</parameter>",
      "<function=execute_bash>\n<parameter=command>\nls\n</function>",
      "<function=execute_bash><parameter=command>ls</parameter></function>",
      '<function="execute_bash">\n  <parameter=command>ls</parameter>\n  </function>\n',
    ])
      expect(reads(text).calls).toEqual(ls);
    expect(reads("Done.\n<function=submit>")).toEqual({ thought: "Done.", calls: [["submit", {}]] });
  });

  test("Qwen3-Coder's wrapping of each call is taken off", () => {
    const one = `<tool_call>\n${bash("<parameter=command>\nls\n</parameter>")}\n</tool_call>`;
    expect(reads(`I look.\n\n${one}\n${one}`)).toEqual({
      thought: "I look.",
      calls: [
        ["execute_bash", { command: "ls" }],
        ["execute_bash", { command: "ls" }],
      ],
    });
  });

  test("a value may quote a closing tag that does not end it", () => {
    const body = "<parameter=command>sed -i 's/<param>/<\\/param>/; s,</parameter>,,' a.xml</parameter>";
    expect(reads(bash(body)).calls).toEqual([["execute_bash", { command: "sed -i 's/<param>/<\\/param>/; s,</parameter>,,' a.xml" }]]);
  });

  test("tags in prose are no call", () => {
    const prose = "I would write <function=execute_bash> and then a command.";
    expect(reads(prose)).toEqual({ thought: prose, calls: [] });
    expect(reads(`${prose}\n\n${bash("<parameter=command>ls</parameter>")}`)).toEqual({
      thought: prose,
      calls: [["execute_bash", { command: "ls" }]],
    });
  });

  test("a malformed call is refused with what was expected and what came, also before or behind a good one", () => {
    const good = bash("<parameter=command>ls</parameter>");
    const none = 'expected <parameter=KEY> or </function> behind <function=execute_bash>, got "ls -la\\n</function>';
    expect(problemOf(bash("ls -la"))).toBe(`${none}"`);
    expect(problemOf(`${bash("ls -la")}\n${good}`)).toContain(none);
    expect(problemOf(`${good}\n${bash("ls -la")}`)).toContain(none);
    expect(problemOf(bash("<parameter=command>ls</parameter>\nand more"))).toBe(
      'expected <parameter=KEY> or </function> behind the parameters of execute_bash, got "and more\\n</function>"',
    );
    expect(problemOf("<function=execute_bash>\n<parameter=command>ls")).toContain(
      "expected </parameter> behind the value of <parameter=command> in the call of execute_bash, got the end of the text",
    );
    expect(problemOf(bash("<parameter=command>ls\n<parameter=timeout>5</parameter>"))).toContain("got another opening tag before it");
  });
});
