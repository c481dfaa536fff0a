import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BlockMetrics, Metrics, SampleMetrics, SetMetrics, TrajectoryMetrics } from "../../schemas/metrics.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { measure } from "../../stages/filter/measure.ts";
import { MeasureParams } from "../../stages/filter/measure-outline.ts";
import { measures } from "../../stages/filter/measures/index.ts";
import { chatText } from "../../stages/lib/chatml.ts";
import { checks } from "../../stages/lib/checks/index.ts";
import { metricsWithoutLast } from "../../stages/lib/last-call.ts";
import { type Outcome, ok, rejected } from "../../stages/stage.ts";
import { arbitraryTrajectory } from "../fakes/arbitrary-trajectory.ts";
import { exactTokens, fakePorts } from "../fakes/fake-ports.ts";
import { noEvaluation, uncontaminated } from "../fakes/no-evaluation.ts";
import { neededTokens } from "../invariants/invariants.ts";
import { arbitraryPlacement, defaults, type Placement, place } from "../invariants/placement.ts";

const ports = fakePorts([], exactTokens);
const reserve = 300;
const paramsFor = (
  placement: Pick<Placement, "recipe">,
  baseTools: "with-context" | "without-context" = "with-context",
): MeasureParams => ({
  persona: placement.recipe,
  replyTokens: reserve,
  condense: {
    memoryBaseTokens: defaults.condense.memoryBaseTokens,
    memoryShare: defaults.condense.memoryShare,
    memoryCapTokens: defaults.condense.memoryCapTokens,
  },
  baseTools,
  evaluation: noEvaluation,
});

async function measured(placement: Placement, baseTools: "with-context" | "without-context" = "with-context"): Promise<Metrics> {
  const { trajectory, blocks, workspace } = placement;
  const outcome = await measure.run(
    { trajectory, memory: ok({ blocks: [...blocks] }), workspace: ok(workspace) },
    MeasureParams.parse(paramsFor(placement, baseTools)),
    ports,
  );
  if (!outcome.ok) throw new Error(outcome.why);
  return Metrics.parse(outcome.value);
}

test("each registry has exactly one measure per field of its metrics, named like it", () => {
  expect(Object.keys(measures.trajectory)).toEqual(Object.keys(TrajectoryMetrics.shape));
  expect(Object.keys(measures.blocks)).toEqual(Object.keys(BlockMetrics.shape));
  expect(Object.keys(measures.samples)).toEqual(Object.keys(SampleMetrics.shape));
  expect(Object.keys(measures.set)).toEqual(Object.keys(SetMetrics.shape));
});

describe("every measure", () => {
  test("of a sample is what counting its whole text says", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPlacement({ longText: 200 }),
        fc.constantFrom("with-context", "without-context"),
        async (placement, tools) => {
          const baseTools = tools === "with-context" ? "with-context" : "without-context";
          const metrics = await measured(placement, baseTools);
          const base = baseTools === "with-context" ? placement.base : placement.baseWithoutContext;
          const samples = [...placement.segments, ...placement.condensations, base];
          const found = [...metrics.segments, ...metrics.condensations, ...(metrics.base === null ? [] : [metrics.base])];
          expect(found).toHaveLength(samples.length);
          for (const [index, turns] of samples.entries())
            expect(found[index]).toEqual({
              tokens: exactTokens(chatText(turns)),
              trainedTokens: turns.reduce((sum, turn) => sum + (turn.train ? exactTokens(`${turn.content}<|im_end|>`) : 0), 0),
              neededTokens: neededTokens(turns, reserve),
            });
        },
      ),
      { seed: 111, numRuns: 100, endOnFailure: true },
    );
  });

  test("of a trajectory is what can be seen of it", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlacement({ longText: 100 }), async (placement) => {
        const { trajectory } = await measured(placement);
        const prompts = placement.segments.flatMap((turns) =>
          turns.flatMap((turn, index) => (turn.train ? [exactTokens(`${chatText(turns.slice(0, index))}<|im_start|>assistant\n`)] : [])),
        );
        expect(trajectory).toMatchObject({
          resolved: placement.trajectory.outcome.resolved,
          exit: placement.trajectory.outcome.exit,
          steps: placement.trajectory.steps.length,
          callLessSteps: placement.trajectory.steps.slice(0, -1).filter((step) => step.calls.length === 0).length,
          unrenderable: [],
          preCondensed: false,
          controlTokenTexts: 0,
          baseTokens: exactTokens(chatText(placement.base)),
          rejectedBy: null,
          promptTokens: {
            calls: placement.trajectory.steps.length + placement.blocks.length,
            sum: prompts.reduce((a, b) => a + b, 0),
            max: Math.max(...prompts),
          },
          promptTokensPerCall: prompts,
          contamination: uncontaminated,
        });
      }),
      { seed: 112, numRuns: 100, endOnFailure: true },
    );
  });

  test("of a block is the size of the window before and after its call", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlacement({ longText: 100 }), async (placement) => {
        const { blocks, trajectory } = await measured(placement);
        for (const [index, found] of blocks.entries()) {
          const block = placement.blocks[index];
          const previous = placement.blocks[index - 1];
          const closing = placement.segments[index] ?? [];
          const opening = placement.segments[index + 1] ?? [];
          const before = exactTokens(`${chatText(closing.slice(0, -1))}<|im_start|>assistant\n`);
          const after = exactTokens(
            `${chatText(
              opening.slice(
                0,
                opening.findIndex((turn) => turn.train),
              ),
            )}<|im_start|>assistant\n`,
          );
          const pair = previous === undefined ? 0 : exactTokens(chatText(closing.slice(0, 4))) - exactTokens(chatText(closing.slice(0, 2)));
          const fold = (placement.sizes.upTo[block?.keptFrom ?? 0] ?? 0) - (placement.sizes.upTo[previous?.keptFrom ?? 0] ?? 0);
          const memory = exactTokens(block?.memory ?? "");
          expect(found).toEqual({
            cut: block?.cut,
            gapSteps: (block?.cut ?? 0) - (previous?.cut ?? 0),
            foldTokens: fold,
            previousMemoryTokens: pair,
            memoryTokens: memory,
            foldRatio: Math.round((memory / (pair + fold)) * 1e6) / 1e6,
            windowTokensBefore: before,
            windowTokensAfter: after,
            windowRatio: Math.round((after / before) * 1e6) / 1e6,
            checks: Object.fromEntries(Object.keys(checks).map((check) => [check, [expect.any(Number), expect.any(Number)]])),
            findings: expect.any(Array),
            previousFacts: expect.any(Number),
            keptFacts: expect.any(Number),
            informationGain: found.informationGain,
            repeatedMemoryShare: previous === undefined ? null : expect.any(Number),
            judgedFindings: null,
          });
          expect(found.informationGain ?? 0).toBeLessThanOrEqual(1_000 / Math.max(1, memory));
          expect(found.repeatedMemoryShare ?? 0).toBeLessThanOrEqual(1);
          expect(found.keptFacts).toBeLessThanOrEqual(found.previousFacts);
          // The saw-tooth: the call sees what the step after it would have seen without it.
          expect(trajectory.promptTokensPerCall).toContain(before);
        }
        expect(blocks).toHaveLength(placement.blocks.length);
      }),
      { seed: 113, numRuns: 100, endOnFailure: true },
    );
  });
});

test("of a trajectory without its last context call is what measuring it so would say, prompt sizes included", async () => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryPlacement({ longText: 200 }), async (placement) => {
      const metrics = await measured(placement);
      const { trajectory, recipe, keepSteps, blocks } = placement;
      expect(metrics.dropLast === null).toBe(blocks.length === 0);
      const rest = metricsWithoutLast(metrics);
      if (rest === null) return;
      checked += 1;
      const cuts = blocks.slice(0, -1).map((block) => block.cut);
      const without = place(trajectory, recipe, keepSteps, cuts, (index) => blocks[index] ?? { thought: "", memory: "" });
      expect({ ...rest, dropLast: null }).toEqual({ ...(await measured(without)), dropLast: null });
    }),
    { seed: 116, numRuns: 100, endOnFailure: true },
  );
  expect(checked).toBeGreaterThan(50);
});

describe("a trajectory that an earlier stage rejected", () => {
  const run = async (trajectory: Trajectory, why: Outcome<never>): Promise<Metrics> => {
    const outcome = await measure.run({ trajectory, memory: why, workspace: why }, paramsFor({ recipe: defaults.persona }), ports);
    if (!outcome.ok) throw new Error(outcome.why);
    return Metrics.parse(outcome.value);
  };

  test("is measured without segments, base sample included, and says why", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTrajectory({ longText: 50 }), async (trajectory) => {
        const metrics = await run(trajectory, rejected("detect: window-exceeded"));
        expect(metrics).toMatchObject({
          blocks: [],
          segments: [],
          condensations: [],
          base: expect.objectContaining({ tokens: expect.any(Number) }),
        });
        expect(metrics.trajectory).toMatchObject({
          rejectedBy: "detect: window-exceeded",
          promptTokens: null,
          promptTokensPerCall: null,
          controlTokenTexts: 0,
        });
      }),
      { seed: 114, numRuns: 50, endOnFailure: true },
    );
  });

  test("is measured even where nothing can be rendered, whatever its defects", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTrajectory({ longText: 50, defects: true, controlTexts: true }), async (trajectory) => {
        const metrics = await run(trajectory, rejected("detect: no"));
        const broken = metrics.trajectory.unrenderable.length > 0;
        expect(metrics.base === null).toBe(broken);
        expect(metrics.trajectory.baseTokens === null).toBe(broken);
        expect(metrics.trajectory.controlTokenTexts === null).toBe(broken);
        expect(metrics.trajectory.unrenderable).toEqual([...metrics.trajectory.unrenderable].sort());
      }),
      { seed: 115, numRuns: 200, endOnFailure: true },
    );
  });
});
