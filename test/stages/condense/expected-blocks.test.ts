import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Recipe } from "../../../schemas/recipe.ts";
import type { Detection, InsertionPoint } from "../../../schemas/sidecars.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { opinionRequest, opinionTokens } from "../../../stages/condense/ask/second-opinion.ts";
import { type ExpectedBlock, expectedBlocks } from "../../../stages/condense/expected-blocks.ts";
import { CondenseParams } from "../../../stages/condense/params.ts";
import { condenseInput } from "../../../stages/lib/condense-input.ts";
import { condenseRequest, promptTokens } from "../../../stages/lib/condense-request.ts";
import { render } from "../../../stages/lib/render.ts";
import { requestVersion } from "../../../stages/lib/request-version.ts";
import { measureSizes } from "../../../stages/lib/sizes.ts";
import { exactTokens } from "../../fakes/fake-ports.ts";
import { noPlacement } from "../../fakes/no-placement.ts";
import { importAll } from "../../pipeline/import/import-folder.ts";

const folder = join(import.meta.dirname, "../../../../shared/trajectories");
const there = existsSync(join(folder, "manifest.jsonl"));
if (!there) console.log(`skipped: the collection of real runs is not at ${folder}`);

const paramsWith = (changes: Record<string, unknown> = {}): CondenseParams => {
  const { persona, window, condense } = Recipe.parse({ persona: { name: "keep" } });
  const { tokens, replyTokens } = window;
  const settled = { ...condense, condenser: "llm", thought: "llm", ...changes };
  return CondenseParams.parse({ persona, window: { tokens, replyTokens }, condense: settled, endpoint: null, requestVersion });
};
const params = paramsWith();

const detectionOf = (trajectory: Trajectory): Detection => ({ candidates: [], points: pointsOf(trajectory), placement: noPlacement });

/** Every tenth cut that leaves three steps. */
const pointsOf = ({ steps }: Trajectory): InsertionPoint[] =>
  Array.from({ length: Math.floor((steps.length - 1) / 10) }, (_, index) => ({
    cut: 10 * (index + 1),
    keptFrom: 10 * (index + 1) - 3,
    reason: "signals" as const,
  }));

describe.skipIf(!there)("on real runs", () => {
  let trajectories: readonly Trajectory[];
  beforeAll(async () => {
    trajectories = (await importAll([folder])).runs.filter(({ steps }) => steps.length > 10);
  }, 60_000);

  test("a request is never larger than expected with a memory of the size reckoned with, and at most 2 % smaller in sum", () => {
    let [expected, exact] = [0, 0];
    for (const trajectory of trajectories) {
      const rendering = render(trajectory, params.persona);
      const points = pointsOf(trajectory);
      const blocks = expectedBlocks(trajectory, detectionOf(trajectory), params, exactTokens);
      if (!rendering.ok) {
        expect(blocks).toBeNull();
        continue;
      }
      const sizes = measureSizes(rendering.value, exactTokens);
      let before: { keptFrom: number; memory: string } | null = null;
      for (const [index, point] of points.entries()) {
        const input = condenseInput(rendering.value, sizes, point, before, params.condense);
        const tokens = promptTokens(condenseRequest(input), exactTokens);
        const block = blocks?.[index]?.memory;
        expect(tokens, `${trajectory.id}@${point.cut}`).toBeLessThanOrEqual(block?.prompt.expected ?? 0);
        expect(block?.prompt.atMost).toBeGreaterThanOrEqual(block?.prompt.expected ?? Number.POSITIVE_INFINITY);
        expect(block?.reply).toEqual({ expected: input.targetTokens, atMost: params.condense.attempts * input.capTokens });
        expected += block?.prompt.expected ?? 0;
        exact += tokens;
        before = { keptFrom: point.keptFrom, memory: " a".repeat(input.targetTokens) };
      }
    }
    expect(exact).toBeGreaterThan(100_000);
    expect(exact / expected).toBeGreaterThan(0.98);
  }, 120_000);

  const sumOf = (blocks: readonly ExpectedBlock[] | null, of: "expected" | "atMost") =>
    (blocks ?? []).reduce(
      (sum, { memory, thought }) => ({
        calls: sum.calls + memory.calls[of],
        thoughts: sum.thoughts + thought.calls[of],
        prompt: sum.prompt + memory.prompt[of],
      }),
      {
        calls: 0,
        thoughts: 0,
        prompt: 0,
      },
    );
  const longest = () =>
    trajectories
      .toSorted((a, b) => b.steps.length - a.steps.length)
      .find((one) => expectedBlocks(one, detectionOf(one), params, exactTokens) !== null) as Trajectory;
  const blocksWith = (changes: Record<string, unknown>) =>
    expectedBlocks(longest(), detectionOf(longest()), paramsWith(changes), exactTokens);

  test("candidates and, at most, attempts multiply the calls for memories; a thought is one call, or none by a template", () => {
    const blocks = pointsOf(longest()).length;
    expect(sumOf(blocksWith({}), "expected")).toMatchObject({ calls: blocks, thoughts: blocks });
    expect(sumOf(blocksWith({ candidates: 4 }), "expected").calls).toBe(4 * blocks);
    expect(sumOf(blocksWith({ candidates: 4, attempts: 5 }), "atMost")).toMatchObject({ calls: 20 * blocks, thoughts: blocks });
    expect(sumOf(blocksWith({ thought: "template" }), "expected").thoughts).toBe(0);
  });

  test("a second opinion is one call per memory, never larger than expected with memories of their size, and none where it is not wanted", () => {
    const trajectory = longest();
    const rendering = render(trajectory, params.persona);
    if (!rendering.ok) throw new Error(rendering.reasons.join(" "));
    const sizes = measureSizes(rendering.value, exactTokens);
    const blocks = blocksWith({ judge: true }) ?? [];
    let before: { keptFrom: number; memory: string } | null = null;
    for (const [index, point] of pointsOf(trajectory).entries()) {
      const input = condenseInput(rendering.value, sizes, point, before, params.condense);
      const memory = " a".repeat(input.targetTokens);
      const exact = opinionTokens(opinionRequest(input, memory), exactTokens);
      const judge = blocks[index]?.judge;
      expect(judge?.calls).toEqual({ expected: 1, atMost: 1 });
      expect(exact).toBeLessThanOrEqual(judge?.prompt.expected ?? 0);
      expect(exact / (judge?.prompt.expected ?? 1)).toBeGreaterThan(0.9);
      before = { keptFrom: point.keptFrom, memory };
    }
    expect((blocksWith({}) ?? []).every(({ judge }) => judge.calls.atMost === 0)).toBe(true);
    expect((blocksWith({ judge: true, windowTokens: 4_200 }) ?? []).every(({ judge }) => judge.calls.atMost === 0)).toBe(true);
    const builtIn = blocksWith({ judge: true, condenser: "extractive", thought: "template" }) ?? [];
    expect(builtIn.map(({ memory, judge }) => [memory.calls.atMost, judge.calls.expected])).toEqual(builtIn.map(() => [0, 1]));
  });

  test("a fold that the condenser's window does not hold is planned in pieces, which together are more than the whole", () => {
    const small = sumOf(blocksWith({ windowTokens: 8_192 }), "expected");
    const whole = sumOf(blocksWith({}), "expected");
    expect(small.calls).toBeGreaterThan(whole.calls);
    expect(small.prompt).toBeGreaterThan(whole.prompt);
  });
});
