import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallStyle } from "../../stages/lib/call-styles/call-style.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { countControlTexts } from "../../stages/lib/control-tokens.ts";
import { spacedJson } from "../../stages/lib/json-text.ts";
import { personas } from "../../stages/lib/personas/index.ts";
import { contextCall, contextTool } from "../../stages/lib/personas/persona.ts";
import { arbitraryText, arbitraryTrajectory } from "../fakes/arbitrary-trajectory.ts";
import { official } from "../invariants/template.ts";

const free = (text: string): boolean => countControlTexts(text) === 0;
const nasty = fc.constantFrom(
  "",
  "\n",
  "\n\n",
  " ",
  "{}",
  '{"name": "x", "arguments": {}}',
  "<tool_response>\nx\n</tool_response>",
  "tool_call>",
  "a\n",
  "\na",
  "```bash\nls\n```",
);
const text = fc.oneof(arbitraryText(), nasty).filter(free);
const object = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text), fc.dictionary(text, text)));
const call = fc.record({
  name: fc.oneof(
    fc.stringMatching(/^[A-Za-z_][\w.-]{0,20}$/),
    text.filter((name) => name !== ""),
  ),
  arguments: object.map((value) => spacedJson(JSON.stringify(value)) ?? "").filter(free),
});

describe.each(Object.entries<CallStyle>(callStyles))("call style %s", (_, style) => {
  test("what is written is read back: thought, calls, their order and arguments", () => {
    fc.assert(
      fc.property(text, fc.array(call, { maxLength: 4 }), (thought, calls) => {
        fc.pre(thought !== "" || calls.length > 0);
        expect(style.read(style.assistant(thought, calls))).toEqual({ thought, calls });
      }),
      { seed: 21, numRuns: 1000 },
    );
  });

  test("what real looking trajectories say is read back", () => {
    fc.assert(
      fc.property(arbitraryTrajectory(), ({ steps }) => {
        for (const { thought, calls } of steps) {
          const written = calls.map(({ name, arguments: args }) => ({ name, arguments: spacedJson(args) ?? args }));
          expect(style.read(style.assistant(thought, written))).toEqual({ thought, calls: written });
        }
      }),
      { seed: 22, numRuns: 200 },
    );
  });

  test("arguments mean the same in whatever layout they come", () => {
    const spread = { name: "x", arguments: '{"a":1.0,\n "b" : ["\\u0041",{}]}' };
    expect(style.assistant("", [spread])).toBe(style.assistant("", [{ ...spread, arguments: '{"a": 1.0, "b": ["A", {}]}' }]));
  });

  test("the context call is read back", () => {
    expect(style.read(style.assistant("Time to condense.", [contextCall]))).toEqual({ thought: "Time to condense.", calls: [contextCall] });
    expect(style.read(style.assistant("", [contextCall]))).toEqual({ thought: "", calls: [contextCall] });
  });

  test("a user turn holds every result and feedback, in order, and is never told apart by nothing", () => {
    const turn = style.user(["first\nresult", ""], ["feedback one", "feedback two"]);
    const places = ["first\nresult", "feedback one", "feedback two"].map((piece) => turn.indexOf(piece));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(style.user([""], [])).not.toBe(style.user(["", ""], []));
  });

  test("the system text names every tool and begins with the prompt", () => {
    const tools = [...personas.paper.tools({ task: emptyTask, origin: anyOrigin }), contextTool];
    const system = style.system("You are an engineer.", tools);
    expect(system.startsWith("You are an engineer.")).toBe(true);
    for (const tool of tools) expect(system).toContain((JSON.parse(tool) as { function: { name: string } }).function.name);
    expect(style.system("You are an engineer.", [])).toBe("You are an engineer.");
  });
});

const emptyTask = { system: null, prompt: "", issue: null, workdir: null, repository: null, tools: [] };
const anyOrigin = {
  dialect: "x",
  file: "x",
  record: null,
  digest: "0".repeat(64),
  licence: null,
  model: null,
  callStyle: "native",
} as const;

describe("hermes", () => {
  const { hermes } = callStyles;
  const chat = (role: string, content: string): string => `<|im_start|>${role}\n${content}<|im_end|>\n`;

  test("the system turn is the official template's, with and without prompt and tools", () => {
    const tools = [
      contextTool,
      '{"type":"function","function":{"name":"é","parameters":{"type":"object","properties":{"a":{"enum":[1,2.5,"<&>"]}}}}}',
    ];
    for (const prompt of ["You are an engineer.", "", "two\nlines\n", null])
      for (const some of [tools, tools.slice(0, 1), []]) {
        const messages = [...(prompt === null ? [] : [{ role: "system", content: prompt }]), { role: "user", content: "go" }];
        const parsed = some.map((tool) => JSON.parse(tool) as unknown);
        expect(chat("system", hermes.system(prompt, some)) + chat("user", "go")).toBe(
          official(messages, some.length === 0 ? null : parsed),
        );
      }
  });

  test("several calls with a thought, and their results, are the official template's", () => {
    const calls = [
      { name: "a", arguments: '{"x": "l1\\nl2 \\"q\\" \\\\ <b>&\'"}' },
      { name: "b", arguments: "{}" },
    ];
    const messages = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "thinking",
        tool_calls: calls.map((one) => ({ function: { name: one.name, arguments: JSON.parse(one.arguments) as unknown } })),
      },
      { role: "tool", content: "r1" },
      { role: "tool", content: "" },
      { role: "assistant", content: "", tool_calls: calls.slice(1).map((one) => ({ function: { name: one.name, arguments: {} } })) },
    ];
    const flat = [
      { role: "user", content: "go" },
      { role: "assistant", content: hermes.assistant("thinking", calls) },
      { role: "user", content: hermes.user(["r1", ""], []) },
      { role: "assistant", content: hermes.assistant("", calls.slice(1)) },
    ];
    expect(official(flat)).toBe(official(messages));
  });

  test("what is no call between the tags is refused, not guessed", () => {
    for (const body of [
      "",
      "ls",
      "{}",
      '{"name": "x"}',
      '{"arguments": {}}',
      '{"name": 1, "arguments": {}}',
      '{"name": "x", "arguments": {}',
    ])
      expect(() => hermes.read(`<tool_call>\n${body}\n</tool_call>`)).toThrow(SyntaxError);
  });
});
