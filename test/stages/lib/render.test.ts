import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadTokenizer } from "../../../pipeline/adapters/tokenizer.ts";
import type { PersonaRecipe } from "../../../schemas/recipe/persona.ts";
import type { Call, Step, Trajectory } from "../../../schemas/trajectory.ts";
import { footer, header } from "../../../stages/lib/chatml.ts";
import { blockTexts, headTurns, type Rendered, render, stepTurns } from "../../../stages/lib/render.ts";
import { arbitraryText, arbitraryTrajectory } from "../../fakes/arbitrary-trajectory.ts";
import { personaRecipe } from "../../invariants/placement.ts";

const call = (set: Partial<Call> = {}): Call => ({
  id: null,
  name: "bash",
  arguments: '{"command":"ls"}',
  result: "files",
  exitCode: 0,
  failed: null,
  ...set,
});
const step = (set: Partial<Step> = {}): Step => ({
  thought: "Look.",
  reasoning: "hidden reasoning",
  calls: [call()],
  feedback: [],
  ...set,
});
const trajectory = (steps: Step[], task: Partial<Trajectory["task"]> = {}): Trajectory => ({
  format: "catgen.trajectory/1",
  id: "test/one/0123456789ab",
  source: "test",
  instance: "one",
  origin: { dialect: "test", file: "x", record: null, digest: "0".repeat(64), licence: null, model: null, callStyle: "native" },
  task: { system: null, prompt: "Fix it.", issue: null, workdir: null, repository: null, tools: [], ...task },
  steps,
  outcome: { resolved: null, evidence: null, exit: "submitted", rawExit: null, patch: null },
  marks: [],
});
const rendered = (steps: Step[], set: Partial<PersonaRecipe> = {}, task: Partial<Trajectory["task"]> = {}): Rendered => {
  const rendering = render(trajectory(steps, task), personaRecipe(set));
  if (!rendering.ok) throw new Error(rendering.reasons.join(" "));
  return rendering.value;
};
const reasons = (steps: Step[], set: Partial<PersonaRecipe> = {}, task: Partial<Trajectory["task"]> = {}): readonly string[] => {
  const rendering = render(trajectory(steps, task), personaRecipe(set));
  return rendering.ok ? [] : rendering.reasons;
};

describe("what cannot be rendered is named", () => {
  const last = step();
  test.each<[string, Step[], string[]]>([
    ["a missing result in mid-run", [step({ calls: [call({ result: null })] }), last], ["missing-result"]],
    ["one of several results missing in mid-run", [step({ calls: [call(), call({ result: null })] }), last], ["missing-result"]],
    [
      "a missing result behind which feedback comes",
      [step({ calls: [call({ result: null })], feedback: ["Go on."] }), last],
      ["missing-result"],
    ],
    ["a silent step", [step({ calls: [] }), last], ["silent-step"]],
    ["arguments that are no JSON", [step({ calls: [call({ arguments: "{" })] }), last], ["unparsable-arguments"]],
    ["arguments that are no object", [step({ calls: [call({ arguments: '["ls"]' })] }), last], ["unparsable-arguments"]],
    ["empty arguments", [step({ calls: [call({ arguments: "" })] }), last], ["unparsable-arguments"]],
    ["unparsable arguments of the last step", [step({ calls: [call({ arguments: "{" })] })], ["unparsable-arguments"]],
    ["a tool without counterpart", [step({ calls: [call({ name: "think" })] })], ["no-counterpart:think"]],
    [
      "everything at once, sorted, each once",
      [
        step({ calls: [] }),
        step({ calls: [call({ name: "think" }), call({ name: "think", result: null })] }),
        step({ calls: [call({ arguments: "x", name: "zoom" })] }),
      ],
      ["missing-result", "no-counterpart:think", "silent-step", "unparsable-arguments"],
    ],
  ])("%s", (_, steps, expected) => {
    expect(reasons(steps)).toEqual(expected);
  });

  test.each<[string, Step[]]>([
    ["a missing result at the end", [last, step({ calls: [call({ result: null }), call({ result: null })] })]],
    ["some missing results at the end", [last, step({ calls: [call(), call({ result: null })] })]],
    ["a last step without anything", [last, step({ calls: [], thought: "" })]],
    ["a step with feedback alone", [step({ calls: [], feedback: [""] }), last]],
  ])("%s is no reason", (_, steps) => {
    expect(reasons(steps)).toEqual([]);
  });

  test("a tool of the source that is called `context` cannot stand beside ours", () => {
    const taken = ["name-taken:context"];
    expect(reasons([step({ calls: [call({ name: "context" })] })], { name: "keep" })).toEqual(taken);
    expect(reasons([step({ calls: [call({ name: "fold" })] })], { name: "keep", rename: { fold: "context" } })).toEqual(taken);
    expect(
      reasons([step()], { name: "keep" }, { tools: ['{"type":"function","function":{"description":"x","name":"con\\u0074ext"}}'] }),
    ).toEqual(taken);
    expect(reasons([step()], { name: "paper" }, { tools: ['{"type":"function","function":{"name":"context"}}'] })).toEqual([]);
  });

  test("a rendering exists exactly where no reason is found, and nothing throws, whatever the defects", () => {
    fc.assert(
      fc.property(
        arbitraryTrajectory({ defects: true, controlTexts: true }),
        fc.constantFrom("paper", "keep"),
        fc.constantFrom("reject", "escape"),
        (one, name, controlTokens) => {
          const rendering = render(
            one,
            personaRecipe({ name: name === "paper" ? "paper" : "keep", controlTokens: controlTokens === "escape" ? "escape" : "reject" }),
          );
          const broken = one.marks.some((mark) => mark === "missing-result" || mark === "silent-step" || mark === "unparsable-arguments");
          const unknown = name === "paper" && one.steps.some((own) => own.calls.some((any) => any.name === "think"));
          expect(rendering.ok).toBe(!broken && !unknown);
          if (!rendering.ok) return;
          for (const own of rendering.value.steps) expect(`${own.assistant}${own.user}`.isWellFormed()).toBe(true);
          if (controlTokens === "escape") expect(rendering.value.controlTexts).toBe(0);
        },
      ),
      { seed: 41, numRuns: 300 },
    );
  });
});

describe("a turn", () => {
  const tokenizer = loadTokenizer("qwen2.5");
  const joint = (content: string): string => [...tokenizer.encode(header("assistant") + content + footer)].join();
  const apart = (content: string): string => [...tokenizer.encode(header("assistant")), ...tokenizer.encode(content + footer)].join();
  const space = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\u200b";
  const blank = fc.string({ unit: fc.constantFrom(...space), maxLength: 4 });

  test("of the agent has the same tokens whether its header is tokenized with it or apart, whatever blanks it starts with", () => {
    fc.assert(
      fc.property(blank, fc.constantFrom("", "x", "Look.", "\u0301", "1", "..."), fc.constantFrom(0, 1), (lead, rest, calls) => {
        const own = step({ thought: lead + rest, calls: calls === 0 ? [] : [call()] });
        const { assistant } = rendered([own]).steps[0] ?? { assistant: "" };
        expect(joint(assistant)).toBe(apart(assistant));
        const block = blockTexts({ thought: lead + rest, memory: "m" }, personaRecipe());
        expect(joint(block.call)).toBe(apart(block.call));
      }),
      { seed: 42, numRuns: 2000 },
    );
  });

  test("loses blank lines at its start and nothing else", () => {
    const thought = (text: string): string | undefined => rendered([step({ thought: text })]).steps[0]?.thought;
    expect(thought("\n \n  indented\n\nmore  \n")).toBe("  indented\n\nmore  \n");
    expect(thought("  indented")).toBe("  indented");
    expect(thought("  ")).toBe("");
    expect(thought("a\n\nb")).toBe("a\n\nb");
  });

  test("never shows hidden reasoning", () => {
    expect(JSON.stringify(rendered([step(), step({ reasoning: "hidden reasoning" })]))).not.toContain("hidden reasoning");
  });

  test("of the user holds results in call order and then feedback, empty ones too", () => {
    const own = rendered([step({ calls: [call({ result: "one" }), call({ result: "" })], feedback: ["F1", ""] }), step()]).steps[0];
    expect(own?.user).toBe("<tool_response>\none\n</tool_response>\n<tool_response>\n\n</tool_response>\nF1\n");
  });

  test("of the user is missing only at the last step", () => {
    const { steps } = rendered([step({ calls: [], feedback: [""] }), step({ calls: [call({ result: null })] })]);
    expect(steps.map((own) => own.user)).toEqual(["", null]);
  });

  test("takes the words of a `finish` call into its thought, once", () => {
    const finish = (thought: string, message: string): string | undefined =>
      rendered([step({ thought, calls: [call({ name: "finish", arguments: JSON.stringify({ message }) })] })]).steps[0]?.thought;
    expect(finish("", "Done.")).toBe("Done.");
    expect(finish("I am done.", "Done.")).toBe("I am done.\n\nDone.");
    expect(finish("Done.", "Done.")).toBe("Done.");
    expect(finish("I am done.", "")).toBe("I am done.");
  });

  test("is written with the persona's names, after the recipe's own renaming", () => {
    const own = rendered([step({ calls: [call({ name: "run_shell" })] })], { rename: { run_shell: "execute_bash" } }).steps[0];
    expect(own?.assistant).toBe('Look.\n<tool_call>\n{"name": "execute_bash", "arguments": {"command": "ls"}}\n</tool_call>');
    expect(reasons([step({ calls: [call({ name: "toString" })] })])).toEqual(["no-counterpart:toString"]);
  });
});

describe("text that cannot be stored", () => {
  test("lone surrogates become the replacement character wherever they stand", () => {
    const broken = "\ud800x";
    const value = rendered(
      [
        step({
          thought: broken,
          calls: [call({ name: `t${broken}`, arguments: `{"k${broken}": "${broken}", "e": "\\ud800"}`, result: broken })],
          feedback: [broken],
        }),
        step(),
      ],
      { name: "keep" },
      { system: broken, prompt: broken, tools: [`{"type": "function", "function": {"name": "${broken}"}}`] },
    );
    const texts = [
      value.system,
      ...Object.values(value.baseSystem),
      value.prompt,
      ...value.tools,
      ...value.steps.flatMap((own) => [own.assistant, own.user ?? ""]),
    ];
    for (const text of texts) expect(text.isWellFormed()).toBe(true);
    expect(value.steps[0]?.assistant.match(/\ufffd/g)).toHaveLength(5);
  });
});

describe("head", () => {
  test("the recipe's system prompt rules over the persona's, and a missing one is the template's default", () => {
    expect(rendered([step()], { system: "Mine." }).system).toMatch(/^Mine\.\n\n# Tools/);
    expect(rendered([step()], { name: "keep" }).baseSystem["without-context"]).toBe(
      "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    );
    expect(rendered([step()], { name: "keep" }, { system: "Theirs." }).system).toMatch(/^Theirs\.\n\n# Tools/);
  });

  test("`context` is the last tool, and can be left out for base samples", () => {
    const value = rendered([step()]);
    expect(value.tools.map((tool) => /"name": "([^"]+)"/.exec(tool)?.[1])).toEqual([
      "execute_bash",
      "str_replace_editor",
      "submit",
      "context",
    ]);
    expect(headTurns(value)[0]?.content).toContain('"name": "context"');
    const base = value.baseSystem;
    expect(headTurns(value, base["with-context"])[0]?.content).toContain('"name": "context"');
    expect(headTurns(value, base["without-context"])[0]?.content).not.toContain('"name": "context"');
    expect(value.system).toContain("call `context`");
    for (const text of Object.values(base)) expect(text).not.toContain("call `context`");
  });
});

test("only the results after the very last step of an open span are left out", () => {
  const value = rendered([step(), step(), step()]);
  const roles = (start: number, end: number, open: boolean): string[] =>
    stepTurns(value, { start, end }, true, open).map((turn) => `${turn.role}${turn.step}${turn.train ? "*" : ""}`);
  expect(roles(0, 3, true)).toEqual(["assistant0*", "user0", "assistant1*", "user1", "assistant2*"]);
  expect(roles(1, 3, false)).toEqual(["assistant1*", "user1", "assistant2*", "user2"]);
});

test("a block is a context call alone in its turn and its memory as the result", () => {
  fc.assert(
    fc.property(arbitraryText(), arbitraryText(), (thought, memory) => {
      const texts = blockTexts({ thought, memory }, personaRecipe());
      expect(texts.call.endsWith('<tool_call>\n{"name": "context", "arguments": {}}\n</tool_call>')).toBe(true);
      expect(texts.call.match(/<tool_call>\n/g)).toHaveLength(1);
      expect(texts.result).toBe(`<tool_response>\n${memory}\n</tool_response>`);
    }),
    { seed: 43 },
  );
});
