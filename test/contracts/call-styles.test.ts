import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallStyle } from "../../stages/lib/call-styles/call-style.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { countControlTexts } from "../../stages/lib/control-tokens.ts";
import { jsonMembers, spacedJson } from "../../stages/lib/json-text.ts";
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
  ...["<function=bash>\n<parameter=command>ls</parameter>\n</function>", "</parameter>", "</function>", "<parameter=", "<\\function=x>"],
  ...["<\\\\/parameter>\n", "<", "<\\", "\n5\n", " 5 ", "5", "true", "null", '"5"', "[1, 2]", "\\", '">', "a b"],
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
const paperTools = personas.paper.tools({ task: emptyTask, origin: anyOrigin });
const bash = (command: string) => ({ name: "execute_bash", arguments: `{"command": ${JSON.stringify(command)}}` });

describe.each(Object.entries<CallStyle>(callStyles))("call style %s", (_, style) => {
  test("what is written is read back: thought, calls, their order and arguments", () => {
    fc.assert(
      fc.property(text, fc.array(call, { maxLength: 4 }), (thought, calls) => {
        fc.pre(thought !== "" || calls.length > 0);
        expect(style.read(style.assistant(thought, calls))).toEqual({ thought, calls });
        expect(style.readReply(style.assistant(thought, calls), [])).toEqual({ thought, calls });
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
          expect(style.readReply(style.assistant(thought, written), paperTools)).toEqual({ thought, calls: written });
        }
      }),
      { seed: 22, numRuns: 200 },
    );
  });

  test("arguments mean the same in whatever layout they come", () => {
    const spread = { name: "x", arguments: '{"a":1.0,\n "b" : ["\\u0041",{}]}' };
    expect(style.assistant("", [spread])).toBe(style.assistant("", [{ ...spread, arguments: '{"a": 1.0, "b": ["A", {}]}' }]));
  });

  test("numbers keep their spelling, members their order, and a member that comes twice comes twice", () => {
    const odd = { name: "x", arguments: '{"b": 1.0, "a": 1e5, "b": [12345678901234567890], "__proto__": null}' };
    expect(style.read(style.assistant("", [odd])).calls).toEqual([odd]);
  });

  test("a live model may leave the last closing tag to its stop sequence, and end with white space", () => {
    const calls = [bash("ls"), bash("pwd")];
    const text = style.assistant("I look.", calls);
    const stopped = text.slice(0, text.lastIndexOf("</")).trimEnd();
    for (const reply of [stopped, `${stopped}\n`, `${text}\n\n `])
      expect(style.readReply(reply, paperTools)).toEqual({ thought: "I look.", calls });
  });

  test("what a live model goes on to write behind its calls is left out, imagined results and calls too", () => {
    const imagined = `${style.assistant("I look.", [bash("ls")])}\n\nOBSERVATION:\nREADME.md\n\n${style.assistant("Good.", [bash("rm README.md")])}`;
    expect(style.readReply(imagined, paperTools)).toEqual({ thought: "I look.", calls: [bash("ls")] });
    expect(style.readReply(`${style.assistant("", [bash("ls"), bash("pwd")])}\nDone.`, [])).toEqual({
      thought: "",
      calls: [bash("ls"), bash("pwd")],
    });
  });

  test("a live reply without a call is all thought, and a call of a function that nobody offered is a call", () => {
    expect(style.readReply("I am done.\n", paperTools)).toEqual({ thought: "I am done.\n", calls: [] });
    const unknown = { name: "browse", arguments: '{"url": "x"}' };
    expect(style.readReply(style.assistant("Hm.", [unknown]), paperTools)).toEqual({ thought: "Hm.", calls: [unknown] });
  });

  test("a live reply is read or refused, never a crash, and a refusal holds no control-token text", () => {
    const whole = style.assistant("I look.", [bash("cat <<E\n<a>\nE"), { name: "str_replace_editor", arguments: '{"insert_line": 3}' }]);
    const damage = fc.tuple(fc.nat(whole.length), fc.nat(12), fc.oneof(text, fc.constantFrom("<tool_call>", "</tool_call>", "<|im_end|>")));
    fc.assert(
      fc.property(damage, ([at, length, planted]) => {
        const read = style.readReply(whole.slice(0, at) + planted + whole.slice(at + length), paperTools);
        if ("problem" in read) expect(read.problem).toSatisfy((problem: string) => problem.startsWith("expected ") && free(problem));
        else for (const { arguments: json } of read.calls) expect(jsonMembers(json)).not.toBeNull();
      }),
      { seed: 23, numRuns: 2000 },
    );
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
    const tools = [...paperTools, contextTool];
    const system = style.system("You are an engineer.", tools);
    expect(system.startsWith("You are an engineer.")).toBe(true);
    for (const tool of tools) expect(system).toContain((JSON.parse(tool) as { function: { name: string } }).function.name);
    expect(style.system("You are an engineer.", [])).toBe("You are an engineer.");
  });
});

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
