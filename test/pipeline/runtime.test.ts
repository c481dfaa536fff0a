import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chatTemplate } from "../../pipeline/adapters/chat-template.ts";
import { underRuntime } from "../../pipeline/runtime.ts";
import { sha256 } from "../../pipeline/store/digest.ts";
import { Recipe } from "../../schemas/recipe.ts";
import type { RolloutTurn } from "../../schemas/rollout.ts";
import { Runtime } from "../../schemas/runtime.ts";
import type { Block } from "../../schemas/sidecars.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { runtimeOf, runtimeText } from "../../stages/export/runtime.ts";
import { openingOf } from "../../stages/generate/rollout/opening.ts";
import { contextPolicies } from "../../stages/generate/rollout/policies/index.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { withSystem } from "../../stages/lib/chatml.ts";
import { emptyNotes, renderMemory } from "../../stages/lib/memory-text.ts";
import { render } from "../../stages/lib/render.ts";
import { condensationTurns, segmentTurns } from "../../stages/lib/samples.ts";
import { measureSizes } from "../../stages/lib/sizes.ts";
import { cutSegments } from "../../stages/stitch/stitch.ts";
import { plainSandboxes } from "../fakes/plain-sandbox.ts";
import { paramsOf, ports } from "../stages/export/small-bundles.ts";
import { call, play, request } from "../stages/generate/rollout/live.ts";

const folder = mkdtempSync(join(tmpdir(), "catgen-runtime-"));
const sandboxes = plainSandboxes({ "a.txt": "a\n" });
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sandboxes.remove();
});

const digest = sha256(await chatTemplate("qwen2.5"));
const exportedBy = (changes: Record<string, unknown>): Runtime => runtimeOf(paramsOf(Recipe.parse(changes)), digest);
const put = (runtime: Runtime, change: (text: string) => string = (text) => text): string => {
  const file = join(folder, `runtime-${Math.random()}.yaml`);
  writeFileSync(file, change(runtimeText(runtime)));
  return file;
};

describe("the runtime file", () => {
  test.each([
    {},
    { persona: { callStyle: "xml", system: 'Say "no".\nAlways.' } },
    { persona: { name: "keep" } },
    { export: { training: { model: "my/own" } } },
  ])("of %j reads back as it was written", (changes) => {
    const runtime = exportedBy(changes);
    expect(Runtime.parse(parse(runtimeText(runtime)))).toEqual(runtime);
  });

  test("of the defaults states the paper's inference: temperature 0, at most 500 rounds, 65,536 tokens by YaRN", () => {
    expect(exportedBy({})).toMatchObject({
      positions: { tokens: 65_536, yarnFactor: 2 },
      sampling: { temperature: 0 },
      limits: { maxSteps: 500 },
      context: { policy: "cat", tool: "context" },
    });
  });

  test("sets persona, window, k, memory sizes, policy, temperature and rounds, and nothing else", async () => {
    const trained = {
      persona: { callStyle: "xml" },
      window: { tokens: 8_192, keepSteps: 5 },
      condense: { memoryBaseTokens: 100, memoryShare: 0.2 },
    };
    const before = Recipe.parse({ filter: { minSteps: 7 }, generate: { rollout: { maxSteps: 3, temperature: 1, samples: 2 } } });
    const after = await underRuntime(before, put(exportedBy(trained)));
    expect(after).toEqual({
      ...before,
      persona: Recipe.parse(trained).persona,
      window: Recipe.parse(trained).window,
      condense: { ...before.condense, memoryBaseTokens: 100, memoryShare: 0.2 },
      generate: { ...before.generate, rollout: { ...before.generate.rollout, policy: "cat", temperature: 0, maxSteps: 500 } },
    });
  });

  test.each([
    ["a prompt", (text: string) => text.replace("You are a software engineer", "You are an engineer"), "prompts.system"],
    ["the request", (text: string) => text.replace("requestVersion: 2", "requestVersion: 1"), "context.requestVersion"],
    ["the template", (text: string) => text.replace(digest, "0".repeat(64)), "chatTemplate"],
    ["a key", (text: string) => `${text}\nmore: 1\n`, "no runtime file of this version"],
  ])("that differs in %s is refused by name", async (_, change, named) => {
    await expect(underRuntime(Recipe.parse({}), put(exportedBy({}), change))).rejects.toThrow(named);
  });

  test("is refused where it is missing, and where each source kept its own prompts", async () => {
    await expect(underRuntime(Recipe.parse({}), join(folder, "none.yaml"))).rejects.toThrow("there is no");
    await expect(underRuntime(Recipe.parse({}), put(exportedBy({ persona: { name: "keep" } })))).rejects.toThrow(
      "keep each source's own prompts",
    );
  });
});

const task = {
  instance: "a__b-1",
  source: "tasks",
  issue: "The sum is <wrong>.",
  workdir: sandboxes.workdir,
  repository: null,
} as unknown as TaskInstance;
const memoryText = (word: string): string => renderMemory({ ...emptyNotes(), facts: [`remember \`${word}\``] });

/** Base steps and, at the cuts, context calls; the model answers a request for a memory with one. */
const script = (steps: number, cuts: readonly number[]): ("context" | number)[] =>
  Array.from({ length: steps }, (_, step) => [...(cuts.includes(step) ? (["context"] as const) : []), step]).flat();

describe.each(["hermes", "xml"] as const)("a live agent under the runtime file, calls in %s,", (callStyle) => {
  const style = callStyles[callStyle];

  test("sees before every turn exactly the context that the samples train, and is asked for memories as they are", async () => {
    const recipe = await underRuntime(Recipe.parse({}), put(exportedBy({ persona: { callStyle }, window: { keepSteps: 2 } })));
    const policy = contextPolicies[recipe.generate.rollout.policy];
    const opening = openingOf(task, recipe.persona, policy);
    const { countTokens } = ports;
    const conversation = policy.open({
      opening,
      persona: recipe.persona,
      keepSteps: recipe.window.keepSteps,
      memory: recipe.condense,
      countTokens,
    });
    const plan = script(9, [4, 7]);
    const said = (index: number): string => {
      const what = plan[index];
      if (what === undefined) return style.assistant("Done.", [call("submit", {})]);
      if (what === "context") return style.assistant("I make room.", [{ name: "context", arguments: "{}" }]);
      return style.assistant(`Step ${what}.`, [call("execute_bash", { command: `echo '${what} <b>"é' && false` })]);
    };
    let turn = 0;
    let memories = 0;
    const { asked, turns, end } = await play(await sandboxes.open(), { ...request(sandboxes.workdir), conversation }, () => "", {
      countTokens,
      complete: async (completion) => {
        seen.push(completion.messages.map(({ role, content }) => ({ role, content })));
        const text = completion.label.endsWith(":memory") ? memoryText(`memory ${++memories}`) : said(turn++);
        return { text, reasoning: null, calls: [], model: "fake", tokensIn: null, tokensOut: null, cached: false };
      },
    });
    expect([end.exit, asked.length, memories]).toEqual(["submitted", 0, 2]);

    const { trajectory, blocks } = trained(turns, recipe);
    const rendering = render(trajectory, recipe.persona);
    if (!rendering.ok) throw new Error(rendering.reasons.join(" "));
    const { segments, condensations } = cutSegments(trajectory.steps.length, { blocks });
    const contexts = segments.flatMap((segment) => contextsOf(segmentTurns(rendering.value, blocks, segment, recipe.persona)));
    const sizes = measureSizes(rendering.value, countTokens);
    const requests = condensations.flatMap((one) =>
      contextsOf(withSystem(condensationTurns(rendering.value, sizes, blocks, one, recipe.condense))),
    );
    expect(blocks.map(({ cut, keptFrom }) => [cut, keptFrom])).toEqual([
      [4, 2],
      [7, 5],
    ]);
    expect(seen.filter((messages) => !isRequest(messages))).toEqual(contexts);
    expect(seen.filter(isRequest)).toEqual(requests);
  });

  const seen: { role: string; content: string }[][] = [];
  const isRequest = (messages: readonly { content: string }[]): boolean =>
    messages[1]?.content.startsWith("You keep the long-term memory") === true;
});

/** What stands before each trained turn. */
const contextsOf = (turns: readonly { role: string; content: string; train: boolean }[]) =>
  turns.flatMap(({ train }, index) => (train ? [turns.slice(0, index).map(({ role, content }) => ({ role, content }))] : []));

/** The run as the pipeline would have it: base steps, and a block per context call. */
function trained(turns: readonly RolloutTurn[], { window }: Recipe): { trajectory: Trajectory; blocks: Block[] } {
  const blocks: Block[] = [];
  const steps: Trajectory["steps"] = [];
  for (const { thought, calls, feedback } of turns) {
    if (calls[0]?.name === "context") {
      const block = { cut: steps.length, keptFrom: steps.length - window.keepSteps, thought, memory: calls[0].result };
      blocks.push(block as Block);
    } else {
      const found = calls.map((one) => ({
        id: null,
        name: one.name,
        arguments: one.arguments,
        result: one.result,
        exitCode: one.exitCode,
        failed: one.failed,
      }));
      steps.push({ thought, reasoning: null, calls: found, feedback });
    }
  }
  const ownTask = { system: null, prompt: task.issue, issue: task.issue, workdir: task.workdir, repository: null, tools: [] };
  const trajectory = { id: "tasks/a__b-1/0", instance: "a__b-1", task: ownTask, steps, origin: { callStyle: "native" } };
  return { trajectory: trajectory as unknown as Trajectory, blocks };
}

describe("a context call that cannot be answered", () => {
  const open = async () => {
    const recipe = await underRuntime(Recipe.parse({}), put(exportedBy({ window: { keepSteps: 2 } })));
    const policy = contextPolicies.cat;
    const setup = { persona: recipe.persona, keepSteps: 2, memory: recipe.condense, countTokens: ports.countTokens };
    return policy.open({ ...setup, opening: openingOf(task, recipe.persona, policy) });
  };
  const context = { name: "context", arguments: "{}" };
  const echo = call("execute_bash", { command: "echo on" });
  const written = callStyles.hermes.assistant;

  test("before there is anything to fold is told so, and asks for no memory", async () => {
    const said = [written("", [context]), written("Go.", [echo]), written("", [call("submit", {})])];
    const { turns, asked } = await play(await sandboxes.open(), { ...request(sandboxes.workdir), conversation: await open() }, said);
    expect(asked).toHaveLength(3);
    expect(turns[0]?.calls[0]).toMatchObject({ malformed: true, result: expect.stringContaining("nothing to condense yet") as string });
    expect(asked[1]?.messages.at(-1)?.content).toContain("nothing to condense yet");
  });

  test("beside other calls runs nothing", async () => {
    const said = [written("", [context, echo]), written("", [call("submit", {})])];
    const { turns } = await play(await sandboxes.open(), { ...request(sandboxes.workdir), conversation: await open() }, said);
    expect(turns[0]?.calls.map(({ malformed, result }) => [malformed, result.includes("only call of its turn")])).toEqual([
      [true, true],
      [true, true],
    ]);
  });
});
