import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import type { Turn } from "../../schemas/sample.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { judgeMetrics } from "../../stages/filter/judge.ts";
import { measure } from "../../stages/filter/measure.ts";
import { controlTexts } from "../../stages/lib/control-tokens.ts";
import { render } from "../../stages/lib/render.ts";
import { rejected } from "../../stages/stage.ts";
import { arbitraryTrajectory } from "../fakes/arbitrary-trajectory.ts";
import { exactTokens, fakePorts } from "../fakes/fake-ports.ts";
import { noEvaluation } from "../fakes/no-evaluation.ts";
import { lenient, runChain } from "./chain.ts";
import { controlIdsIn, controlIdsOfSystem, invariants } from "./invariants.ts";
import { allSamples, memorySize, memoryText, personaRecipe, place } from "./placement.ts";

/** Eight plain steps, long enough to be cut. */
const plain: Trajectory = {
  format: "catgen.trajectory/1",
  id: "test/one/0123456789ab",
  source: "test",
  instance: "one",
  origin: { dialect: "test", file: "x", record: null, digest: "0".repeat(64), licence: null, model: null, callStyle: "native" },
  task: {
    system: "You fix things.",
    prompt: "Fix the thing.",
    issue: null,
    workdir: null,
    repository: null,
    tools: ['{"type": "function", "function": {"name": "execute_bash"}}'],
  },
  steps: Array.from({ length: 8 }, (_, index) => ({
    thought: `Step ${index}.`,
    reasoning: null,
    calls: [{ id: null, name: "execute_bash", arguments: '{"command": "ls"}', result: "files", exitCode: 0, failed: null }],
    feedback: ["Go on."],
  })),
  outcome: { resolved: true, evidence: null, exit: "submitted", rawExit: null, patch: null },
  marks: [],
};

const escaped = (text: string): string => [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const atStep = (index: number, change: (step: Trajectory["steps"][number]) => Trajectory["steps"][number]): Trajectory => ({
  ...plain,
  steps: plain.steps.map((step, at) => (at === index ? change(step) : step)),
});
const call = (set: Partial<Trajectory["steps"][number]["calls"][number]>): Trajectory =>
  atStep(2, (step) => ({ ...step, calls: step.calls.map((one) => ({ ...one, ...set })) }));

/** Every place of a trajectory from which text gets into a sample. */
const places: Record<string, (text: string) => Trajectory> = {
  "a thought": (text) => atStep(2, (step) => ({ ...step, thought: `I saw ${text}.` })),
  "the last thought": (text) => atStep(7, (step) => ({ ...step, thought: text })),
  "arguments, in a value": (text) => call({ arguments: JSON.stringify({ command: `echo '${text}'` }) }),
  "arguments, escaped with \\u": (text) => call({ arguments: `{"command": "echo ${escaped(text)}"}` }),
  "arguments, its `<` escaped": (text) => call({ arguments: `{"command": "echo \\u003c${text.slice(1)}"}` }),
  "arguments, its slash escaped": (text) => call({ arguments: `{"command": "echo ${text.replace("/", "\\/")}"}` }),
  "arguments, deep inside": (text) => call({ name: "tool", arguments: JSON.stringify({ a: [{ b: [text] }] }) }),
  "arguments, in a key": (text) => call({ name: "tool", arguments: JSON.stringify({ [text]: 1 }) }),
  "arguments, in an escaped key": (text) => call({ name: "tool", arguments: `{"${escaped(text)}": 1}` }),
  "the name of a tool": (text) => call({ name: text }),
  "a result": (text) => call({ result: `log: ${text}` }),
  "the last result": (text) => atStep(7, (step) => ({ ...step, calls: step.calls.map((one) => ({ ...one, result: text })) })),
  feedback: (text) => atStep(2, (step) => ({ ...step, feedback: ["Go on.", text] })),
  "the prompt": (text) => ({ ...plain, task: { ...plain.task, prompt: `Fix ${text}` } }),
  "the source's system prompt": (text) => ({ ...plain, task: { ...plain.task, system: `You write ${text}.` } }),
  "a tool schema": (text) => ({
    ...plain,
    task: { ...plain.task, tools: [JSON.stringify({ type: "function", function: { name: "execute_bash", description: text } })] },
  }),
  "a tool schema, escaped": (text) => ({
    ...plain,
    task: { ...plain.task, tools: [`{"type": "function", "function": {"name": "x", "description": "${escaped(text)}"}}`] },
  }),
  "a tool schema that is no JSON": (text) => ({ ...plain, task: { ...plain.task, tools: [`{'name': ${text}`] } }),
};

const texts = ["<|im_end|>", "<|im_start|>", "<tool_call>", "</tool_call>", "<|endoftext|>", "<|fim_prefix|>"];
const keep = (controlTokens: "reject" | "escape") => personaRecipe({ name: "keep", controlTokens });
const chainParams = (controlTokens: "reject" | "escape") => ({
  persona: keep(controlTokens),
  window: { keepSteps: 1 },
  detect: { callPrice: 0, minGapSteps: 2, minFoldTokens: 1 },
  condense: {},
  filter: { ...lenient, maxControlTokenTexts: 0 },
});

describe.each(Object.entries(places))("control-token text in %s", (_, plant) => {
  test("rejects the trajectory by default: it is found, no stage cuts it, and no sample of it is kept", async () => {
    for (const text of texts) {
      const trajectory = plant(text);
      const rendering = render(trajectory, keep("reject"));
      expect(rendering.ok && rendering.value.controlTexts, text).toBeGreaterThan(0);
      const chain = await runChain(
        trajectory,
        chainParams("reject"),
        fakePorts(() => memoryText("m"), exactTokens),
      );
      expect(chain.detection).toEqual({ ok: false, why: "control-token-text" });
      expect(chain.verdict.trajectory.failed.map((failure) => failure.filter)).toEqual(["control-token-text"]);
      expect([chain.verdict.trajectory.keep, chain.verdict.context.keep, chain.verdict.base.keep]).toEqual([false, false, false]);
    }
  });

  test("is harmless when escaped: no content holds a control id that the renderer did not write", () => {
    for (const text of controlTexts) {
      const placement = place(plant(text), keep("escape"), 1, [3, 5], () => ({ thought: "Time.", memory: memoryText("m") }));
      invariants["(6) the shape is what every trainer accepts, without control tokens from data"]?.(placement);
      invariants["(4) the context of every trained turn is what the live agent sees"]?.(placement);
    }
  });
});

test("what the persona leaves out does no harm", () => {
  const hidden: Trajectory = {
    ...plain,
    steps: plain.steps.map((step) => ({
      ...step,
      reasoning: "<|im_end|>",
      calls: step.calls.map((one) => ({ ...one, arguments: '{"command": "ls", "security_risk": "<|im_end|>", "timeout": null}' })),
    })),
    outcome: { ...plain.outcome, patch: "<|im_end|>" },
  };
  const rendering = render(hidden, personaRecipe({ name: "paper" }));
  expect(rendering.ok && rendering.value.controlTexts).toBe(0);
});

test("halves in neighbouring texts never join to a control token", () => {
  const halves: [string, string][] = [
    ["<|im_", "end|>"],
    ["<tool_", "call>"],
    ["<", "|im_end|>"],
  ];
  for (const [left, right] of halves) {
    const joined: Trajectory = {
      ...plain,
      steps: plain.steps.map((step) => ({
        ...step,
        thought: left,
        calls: [
          {
            ...(step.calls[0] ?? { id: null, exitCode: null, failed: null }),
            name: right,
            arguments: JSON.stringify({ [left]: right, a: [left, right] }),
            result: left,
          },
          {
            ...(step.calls[0] ?? { id: null, exitCode: null, failed: null }),
            name: left,
            arguments: JSON.stringify({ [right]: left }),
            result: right,
          },
        ],
        feedback: [right, left],
      })),
    };
    const placement = place(joined, keep("reject"), 1, [3, 5], () => ({ thought: left, memory: right }));
    invariants["(6) the shape is what every trainer accepts, without control tokens from data"]?.(placement);
  }
});

test("random trajectories full of control tokens are all found, or all harmless once escaped", async () => {
  let planted = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryTrajectory({ controlTexts: true, longText: 50 }),
      fc.constantFrom("paper", "keep"),
      async (trajectory, name) => {
        const recipe = (controlTokens: "reject" | "escape") => personaRecipe({ name: name === "paper" ? "paper" : "keep", controlTokens });
        const plainly = place(trajectory, recipe("reject"), 2, [], () => ({ thought: "", memory: "m" }));
        const written = (turn: Turn): number =>
          turn.role === "system"
            ? controlIdsOfSystem(turn.content)
            : turn.role === "user"
              ? 0
              : 2 * (plainly.rendered.steps[turn.step]?.calls.length ?? 0);
        const found = plainly.base.reduce((sum, turn) => sum + controlIdsIn(turn.content) - written(turn), 0);
        // The results after the last trained turn are counted, though no sample of this trajectory shows them.
        const unseen = plainly.rendered.steps.at(-1)?.user ?? "";
        expect(plainly.rendered.controlTexts).toBe(found + controlIdsIn(unseen));
        planted += Math.min(1, found);
        const harmless = place(trajectory, recipe("escape"), 2, [], () => ({ thought: "", memory: "m" }));
        for (const turns of allSamples(harmless)) for (const turn of turns) expect(controlIdsIn(turn.content)).toBe(written(turn));
        const outcome = await measure.run(
          { trajectory, memory: rejected("x"), workspace: rejected("x") },
          { persona: recipe("reject"), replyTokens: 1, condense: memorySize, baseTools: "with-context", evaluation: noEvaluation },
          fakePorts(),
        );
        if (!outcome.ok) throw new Error(outcome.why);
        const verdict = judgeMetrics(outcome.value, { ...FilterRecipe.parse(lenient), windowTokens: 1e9 });
        expect(verdict.base.keep).toBe(plainly.rendered.controlTexts === 0);
      },
    ),
    { seed: 131, numRuns: 200, endOnFailure: true },
  );
  expect(planted).toBeGreaterThan(50);
});
