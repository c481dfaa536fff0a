import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Call, Task } from "../../schemas/trajectory.ts";
import { agentTools } from "../../stages/generate/tools/index.ts";
import { jsonMembers, spacedJson } from "../../stages/lib/json-text.ts";
import { personas } from "../../stages/lib/personas/index.ts";
import { contextTool, type MappedCall, type Persona } from "../../stages/lib/personas/persona.ts";
import { arbitraryText, arbitraryTrajectory } from "../fakes/arbitrary-trajectory.ts";

const call = (name: string, args: unknown): Call => ({
  id: null,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
  result: "",
  exitCode: null,
  failed: null,
});
const task = (set: Partial<Task> = {}): Task => ({
  system: null,
  prompt: "the prompt",
  issue: null,
  workdir: null,
  repository: null,
  tools: [],
  ...set,
});
const from = (set: Partial<Task>, callStyle: "native" | "bash-block" = "native") =>
  ({
    task: task(set),
    origin: { dialect: "x", file: "x", record: null, digest: "0".repeat(64), licence: null, model: null, callStyle },
  }) as const;

interface Schema {
  type: string;
  function: { name: string; description: string; parameters: { type: string; properties: Record<string, unknown>; required?: string[] } };
}
const schema = (tool: string): Schema => JSON.parse(tool) as Schema;
const mapOf = (persona: Persona, one: Call): MappedCall => persona.map(one, jsonMembers(one.arguments) ?? []);
const maps = (persona: Persona, name: string, args: unknown): MappedCall => mapOf(persona, call(name, args));
const mapped = (name: string, args: string, words: string | null = null): MappedCall => ({
  ok: true,
  call: { name, arguments: args },
  words,
});

describe.each(Object.entries<Persona>(personas))("persona %s", (name, persona) => {
  test("is a pure function of the task and of one call", () => {
    fc.assert(
      fc.property(arbitraryTrajectory({ defects: true }), (trajectory) => {
        const before = JSON.stringify(trajectory);
        const draw = () => [
          persona.system(trajectory.task, true),
          persona.system(trajectory.task, false),
          persona.prompt(trajectory.task),
          persona.tools(trajectory),
          trajectory.steps.flatMap((step) => step.calls.map((one) => mapOf(persona, one))),
        ];
        expect(draw()).toEqual(draw());
        expect(JSON.stringify(trajectory)).toBe(before);
      }),
      { seed: 31, numRuns: 100 },
    );
  });

  test("leaves the `context` tool to the renderer", () => {
    expect(persona.tools(from({})).map((tool) => schema(tool).function.name)).not.toContain("context");
  });

  test("offers tools as function schemas whose required arguments exist", () => {
    for (const tool of [...persona.tools(from({}, "bash-block")), contextTool]) {
      const { type, function: own } = schema(tool);
      expect(type).toBe("function");
      expect(own.description.length).toBeGreaterThan(10);
      expect(own.parameters.type).toBe("object");
      for (const required of own.parameters.required ?? []) expect(own.parameters.properties).toHaveProperty(required);
    }
  });

  test("writes only calls of tools it offers, with arguments that their schema has", () => {
    fc.assert(
      fc.property(arbitraryTrajectory({ defects: true }), (trajectory) => {
        const offered = new Map(
          persona.tools(trajectory).map((tool) => [schema(tool).function.name, schema(tool).function.parameters.properties]),
        );
        for (const one of trajectory.steps.flatMap((step) => step.calls)) {
          const made = mapOf(persona, one);
          if (!made.ok || name === "keep" || jsonMembers(one.arguments) === null) continue;
          expect([...offered.keys()]).toContain(made.call.name);
          for (const { key } of jsonMembers(made.call.arguments) ?? [])
            expect(Object.keys(offered.get(made.call.name) ?? {})).toContain(key);
        }
      }),
      { seed: 32, numRuns: 200 },
    );
  });

  test("says by name what has no counterpart", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (tool) => {
        const made = maps(persona, tool, {});
        if (!made.ok) expect(made.lacks).toBe(tool);
      }),
      { seed: 33 },
    );
  });
});

describe("keep", () => {
  test("keeps every name, and every argument but for the spacing", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary" }), fc.dictionary(fc.string(), fc.jsonValue()), (name, args) => {
        const text = JSON.stringify(args, null, 1);
        expect(maps(personas.keep, name, text)).toEqual(mapped(name, spacedJson(text) ?? ""));
      }),
      { seed: 34 },
    );
  });

  test("keeps prompt, system prompt and tools, and states `bash` where the source wrote bash blocks", () => {
    const tools = [contextTool.replace('"context"', '"ls"')];
    expect(personas.keep.system(task({ system: "sys" }), true)).toBe("sys");
    expect(personas.keep.system(task(), true)).toBeNull();
    expect(personas.keep.prompt(task({ issue: "the issue" }))).toBe("the prompt");
    expect(personas.keep.tools(from({ tools }))).toEqual(tools);
    expect(personas.keep.tools(from({ tools }, "bash-block"))).toEqual(tools);
    expect(personas.keep.tools(from({}))).toEqual([]);
    expect(personas.keep.tools(from({}, "bash-block")).map((tool) => schema(tool).function.name)).toEqual(["bash"]);
  });
});

describe("paper", () => {
  const { paper } = personas;

  test("offers the four tools of CAT, `context` among them by the renderer", () => {
    expect(paper.tools(from({ tools: [contextTool] })).map((tool) => schema(tool).function.name)).toEqual([
      "execute_bash",
      "str_replace_editor",
      "submit",
    ]);
    expect(schema(contextTool).function.parameters).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  test("what samples show is what the live agent has", () => {
    expect([...agentTools].map(([name, tool]) => [name, tool.schema])).toEqual(
      paper.tools(from({})).map((tool) => [schema(tool).function.name, tool]),
    );
  });

  test("a call that the live agent's tools take has a counterpart in samples", () => {
    const taken = fc.dictionary(
      fc.constantFrom(
        "command",
        "path",
        "old_str",
        "new_str",
        "insert_line",
        "view_range",
        "timeout",
        "is_input",
        "security_risk",
        "summary",
      ),
      fc.constantFrom("view", "str_replace", "insert", "/a", "3", 3, true, null, [1, 2]),
      { maxKeys: 3 },
    );
    const start = fc.constantFrom({}, { command: "ls" }, { command: "view", path: "/a" });
    let count = 0;
    fc.assert(
      fc.property(fc.constantFrom(...agentTools.values()), start, taken, (tool, some, more) => {
        const args = { ...some, ...more };
        if (!tool.parse(JSON.stringify(args)).ok) return;
        count += 1;
        expect(maps(paper, tool.name, args)).toMatchObject({ ok: true, call: { name: tool.name } });
      }),
      { seed: 35, numRuns: 2000 },
    );
    expect(count).toBeGreaterThan(200);
  });

  test.each(["bash", "execute_bash", "terminal"])("%s is execute_bash", (name) => {
    expect(maps(paper, name, '{"command":"ls  -l","timeout":1.50,"is_input":"false"}')).toEqual(
      mapped("execute_bash", '{"command": "ls  -l", "timeout": 1.50, "is_input": "false"}'),
    );
  });

  test.each(["str_replace_editor", "file_editor"])("%s is str_replace_editor", (name) => {
    const args = '{"command":"view","path":"/a","view_range":[1,2]}';
    expect(maps(paper, name, args)).toEqual(mapped("str_replace_editor", spacedJson(args) ?? ""));
  });

  test("arguments keep their order, number lexemes and text, whatever is in them", () => {
    fc.assert(
      fc.property(arbitraryText(), arbitraryText(), (command, old) => {
        const bash = JSON.stringify({ timeout: 10, command });
        const edit = JSON.stringify({ path: "/a", command: "str_replace", old_str: old, new_str: command });
        fc.pre(!command.includes("FINAL_OUTPUT"));
        expect(maps(paper, "bash", bash)).toEqual(mapped("execute_bash", spacedJson(bash) ?? ""));
        expect(maps(paper, "file_editor", edit)).toEqual(mapped("str_replace_editor", spacedJson(edit) ?? ""));
      }),
      { seed: 35 },
    );
  });

  test("only what no environment reads is dropped: nulls, `security_risk` and `summary`", () => {
    expect(maps(paper, "terminal", { command: "ls", is_input: null, security_risk: "LOW", summary: "lists" })).toEqual(
      mapped("execute_bash", '{"command": "ls"}'),
    );
    expect(maps(paper, "terminal", { command: "null", timeout: null })).toEqual(mapped("execute_bash", '{"command": "null"}'));
  });

  test.each([
    ["think", { thought: "hm" }, "think"],
    ["browser", {}, "browser"],
    ["context", {}, "context"],
    ["terminal", { command: "ls", reset: true }, "execute_bash.reset"],
    ["file_editor", { command: "view", path: "/a", concise: true }, "str_replace_editor.concise"],
    ["__proto__", {}, "__proto__"],
    ["submit", { command: "submit 'flag{42}'" }, "submit.command"],
    ["submit", { answer: 42 }, "submit.answer"],
    ["finish", { message: "done", outputs: { a: 1 } }, "finish.outputs"],
    ["finish", { message: ["done"] }, "finish.message"],
  ])("%s %j rejects by the name %s", (name, args, lacks) => {
    expect(maps(paper, name, args)).toEqual({ ok: false, lacks });
  });

  test.each([
    ["submit", {}, null],
    ["submit", { command: "submit" }, null], // SWE-agent repeats the command line
    ["submit", { command: " submit\n", security_risk: "LOW" }, null],
    ["finish", {}, null],
    ["finish", { message: "All tests pass.", task_completed: "true" }, "All tests pass."],
    ["finish", { message: null, task_completed: "false" }, null],
    ["bash", { command: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached" }, null],
    ["bash", { command: "  echo 'MINI_SWE_AGENT_FINAL_OUTPUT'" }, null],
  ])("%s %j hands in", (name, args, words) => {
    expect(maps(paper, name, args)).toEqual(mapped("submit", "{}", words));
  });

  test("a command that only mentions the words of handing in is a command", () => {
    for (const command of [
      "grep -r COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT .",
      "echo x; echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
      "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUTS",
    ])
      expect(maps(paper, "bash", { command })).toEqual(mapped("execute_bash", `{"command": ${JSON.stringify(command)}}`));
  });

  test("headings that a source's protocol asks for in front of a thought are left out", () => {
    expect(paper.thought("THOUGHT: I look.")).toBe("I look.");
    expect(paper.thought("DISCUSSION\nI look.")).toBe("I look.");
    expect(paper.thought("My THOUGHT: stays.")).toBe("My THOUGHT: stays.");
    expect(personas.keep.thought("THOUGHT: I look.")).toBe("THOUGHT: I look.");
  });

  test("only an agent that may call `context` is told to", () => {
    expect(paper.system(task(), true)).toContain("call `context`");
    expect(paper.system(task(), false)).not.toContain("context`");
  });

  test("the issue alone is asked for where it is known, with the folder; else the source's prompt", () => {
    expect(paper.prompt(task())).toBe("the prompt");
    expect(paper.prompt(task({ issue: "It breaks." }))).toMatch(/^Solve .*\n\n<issue>\nIt breaks\.\n<\/issue>$/);
    expect(paper.prompt(task({ issue: "It breaks.", workdir: "/testbed" }))).toMatch(/^The repository is in \/testbed\. Solve /);
    expect(paper.system(task({ system: "theirs" }), true)).not.toContain("theirs");
  });
});
