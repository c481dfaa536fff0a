import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { cutSegments } from "../../stages/stitch/stitch.ts";
import { invariants, nothingFromTheFuture, withMarks } from "./invariants.ts";
import { arbitraryPlacement, type Placement, place, withoutLastCall } from "./placement.ts";
import { isStructurable } from "./template.ts";

const numRuns = 250;

describe("random trajectories under random legal placements, both personas, k = 0..5", () => {
  test.each(Object.entries(invariants))("%s", (_, holds) => {
    fc.assert(fc.property(arbitraryPlacement({ longText: 400 }), holds), { seed: 20250601, numRuns });
  });

  test("(2) nothing is shown before it happened", () => {
    const marked = arbitraryPlacement({ longText: 100 }, withMarks);
    fc.assert(
      fc.property(marked, (placement) => {
        fc.pre(placement.blocks.every((block) => !/\u00a7/.test(block.thought + block.memory)));
        nothingFromTheFuture(placement);
      }),
      { seed: 20250602, numRuns },
    );
  });

  describe("with the last call dropped", () => {
    const dropped = arbitraryPlacement({ longText: 400 })
      .filter((placement) => placement.blocks.length > 0)
      .map(withoutLastCall);

    test.each(Object.entries(invariants))("%s", (_, holds) => {
      fc.assert(fc.property(dropped, holds), { seed: 20250603, numRuns: 100 });
    });

    test("(2) nothing is shown before it happened", () => {
      const marked = arbitraryPlacement({ longText: 100 }, withMarks).filter((placement) => placement.blocks.length > 0);
      fc.assert(
        fc.property(marked, (placement) => {
          fc.pre(placement.blocks.every((block) => !/\u00a7/.test(block.thought + block.memory)));
          nothingFromTheFuture(withoutLastCall(placement));
        }),
        { seed: 20250604, numRuns: 100 },
      );
    });

    test("it is as stitched without that call, and every sample but the last segment is as it was", () => {
      fc.assert(
        fc.property(
          arbitraryPlacement({ longText: 50 }).filter((placement) => placement.blocks.length > 0),
          (placement) => {
            const without = withoutLastCall(placement);
            expect(without.workspace).toEqual(cutSegments(placement.trajectory.steps.length, { blocks: [...without.blocks] }));
            expect(without.segments.slice(0, -1)).toEqual(placement.segments.slice(0, -2));
            expect(without.condensations).toEqual(placement.condensations.slice(0, -1));
          },
        ),
        { seed: 20250605, numRuns: 100 },
      );
    });
  });

  test("the random placements cover what they are meant to", () => {
    const seen = fc.sample(arbitraryPlacement({ longText: 50 }), { seed: 20250601, numRuns });
    const count = (holds: (placement: Placement) => boolean): number => seen.filter(holds).length;
    const gaps = ({ blocks }: Placement): number[] => blocks.slice(1).map((block, index) => block.cut - (blocks[index]?.cut ?? 0));
    const covered: Record<string, number> = {
      "adjacent cuts": count((one) => gaps(one).includes(1)),
      "a cut at the first legal place": count((one) => one.blocks[0]?.keptFrom === 1),
      "a cut before the last step": count((one) => one.blocks.at(-1)?.cut === one.trajectory.steps.length - 1),
      "k = 0 with a block": count((one) => one.keepSteps === 0 && one.blocks.length > 0),
      "k = 5 with a block": count((one) => one.keepSteps === 5 && one.blocks.length > 0),
      "no block": count((one) => one.blocks.length === 0),
      "parallel calls": count((one) => one.trajectory.steps.some((step) => step.calls.length > 1)),
      "feedback behind results": count((one) => one.trajectory.steps.some((step) => step.calls.length > 0 && step.feedback.length > 0)),
      "steps without calls": count((one) => one.trajectory.steps.some((step) => step.calls.length === 0)),
      "empty thoughts": count((one) => one.trajectory.steps.some((step) => step.thought === "")),
      "a missing last result": count((one) => one.trajectory.steps.at(-1)?.calls.some((call) => call.result === null) ?? false),
    };
    for (const [what, times] of Object.entries(covered)) expect(times, what).toBeGreaterThan(5);
  });
});

/** Steps that structured messages can say too: results, or one user message, never both. */
const structurable = (trajectory: Trajectory): Trajectory => ({
  ...trajectory,
  steps: trajectory.steps.map((step) =>
    step.calls.length > 0 ? { ...step, feedback: [] } : { ...step, feedback: step.feedback.slice(0, 1) },
  ),
});

/** Any JSON object that survives JavaScript's numbers and key order, as a template written in JavaScript needs it. */
const arbitraryArguments: fc.Arbitrary<string> = fc
  .dictionary(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).map((key) => `k${key}`),
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.maxSafeInteger().map((number) => number + 0),
      fc.constantFrom(1.5, -0.25, true, false, null),
      fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.nat())),
      fc.dictionary(
        fc.string({ maxLength: 5 }).map((key) => `n${key}`),
        fc.string(),
      ),
    ),
    { maxKeys: 4, noNullPrototype: true },
  )
  .map((value) => JSON.stringify(value));

describe("(7) structured messages with tools, calls and tool results", () => {
  const structured = arbitraryPlacement({ longText: 100, maxSteps: 8 }, structurable);

  test("give the same text under the official template", () => {
    fc.assert(
      fc.property(structured, (placement) => {
        expect(isStructurable(placement)).toBe(true);
        invariants["(7) the text is the official template's, and the calls can be read back"]?.(placement);
      }),
      { seed: 7, numRuns },
    );
  });

  test("whatever the arguments and the tool are", () => {
    const withAnyCall = fc
      .tuple(
        arbitraryPlacement({ longText: 20, minSteps: 2, maxSteps: 3 }, structurable),
        fc.array(arbitraryArguments, { minLength: 1, maxLength: 3 }),
      )
      .filter(([placement]) => placement.recipe.name === "keep");
    fc.assert(
      fc.property(withAnyCall, ([{ trajectory, recipe, blocks, keepSteps }, all]) => {
        const calls = all.map((args, index) => ({
          id: null,
          name: `tool_${index}`,
          arguments: args,
          result: "ok",
          exitCode: null,
          failed: null,
        }));
        const steps = trajectory.steps.map((step, index) => (index === 0 ? { ...step, calls, feedback: [] } : step));
        const cuts = blocks.map((block) => block.cut);
        const again = place({ ...trajectory, steps }, recipe, keepSteps, cuts, (index) => ({
          thought: "",
          memory: blocks[index]?.memory ?? "",
        }));
        invariants["(7) the text is the official template's, and the calls can be read back"]?.(again);
      }),
      { seed: 8, numRuns },
    );
  });
});
