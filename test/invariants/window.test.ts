import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { judgeMetrics } from "../../stages/filter/judge.ts";
import { measure } from "../../stages/filter/measure.ts";
import { render } from "../../stages/lib/render.ts";
import { condensationTurns, segmentTurns } from "../../stages/lib/samples.ts";
import { measureSizes } from "../../stages/lib/sizes.ts";
import { ok } from "../../stages/stage.ts";
import { arbitraryTrajectory } from "../fakes/arbitrary-trajectory.ts";
import { exactTokens, fakePorts } from "../fakes/fake-ports.ts";
import { noEvaluation } from "../fakes/no-evaluation.ts";
import { lenient, runChain } from "./chain.ts";
import { neededTokens } from "./invariants.ts";
import { arbitraryPlacement, memorySize, memoryText, personaRecipe } from "./placement.ts";

/** A memory of exactly `tokens` tokens, with an end that may melt with what follows. */
function memoryOf(tokens: number, end: string): string {
  let memory = memoryText("x");
  while (exactTokens(`${memory} w${end}`) <= tokens) memory += " w";
  memory += end;
  while (exactTokens(memory) < tokens) memory += end === "" ? " w" : end;
  return memory;
}

const tight = fc.record({
  name: fc.constantFrom("paper", "keep"),
  tokens: fc.integer({ min: 2_000, max: 5_200 }),
  replyTokens: fc.constantFrom(1, 50, 200, 400),
  keepSteps: fc.nat(4),
  minGapSteps: fc.integer({ min: 1, max: 6 }),
  callPrice: fc.constantFrom(0, 0.3, 0.6),
  memoryCapTokens: fc.constantFrom(64, 65, 120, 250),
  end: fc.constantFrom("", ".", ")", "\u4e02", "  ", "\n"),
});

describe("(5) every model call fits the window, the condenser's too", () => {
  test("what placement lets through fits in truth, with every memory at its cap", async () => {
    let chosen = 0;
    let refused = 0;
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryTrajectory({ minSteps: 4, maxSteps: 20, longText: 1_500 }), tight, async (trajectory, draw) => {
        const { tokens, replyTokens, keepSteps, minGapSteps, callPrice, memoryCapTokens } = draw;
        const persona = personaRecipe({ name: draw.name === "paper" ? "paper" : "keep" });
        const memory = memoryOf(memoryCapTokens, draw.end);
        const condense = { memoryCapTokens, memoryBaseTokens: 64, attempts: 1 };
        const params = {
          persona,
          window: { tokens, replyTokens, keepSteps },
          detect: { minGapSteps, callPrice, minFoldTokens: 1 },
          condense,
          filter: lenient,
        };
        const chain = await runChain(
          trajectory,
          params,
          fakePorts(() => memory, exactTokens),
        );
        if (!chain.detection.ok) {
          refused += 1;
          expect(chain.detection.why).toMatch(/^window-exceeded at step \d+$/);
          return;
        }
        chosen += 1;
        if (!chain.memory.ok || !chain.workspace.ok)
          throw new Error(`placement let through what the condenser does not: ${chain.memory.ok ? "" : chain.memory.why}`);
        calls += chain.memory.value.blocks.length;
        for (const sample of [...chain.metrics.segments, ...chain.metrics.condensations])
          expect(sample.neededTokens).toBeLessThanOrEqual(tokens);
        expect(chain.verdict.context.keep).toBe(true);
        expect([...chain.verdict.segments, ...chain.verdict.condensations].every((decision) => decision.keep)).toBe(true);

        const rendering = render(trajectory, persona);
        if (!rendering.ok) throw new Error("cannot be rendered");
        const { blocks } = chain.memory.value;
        const size = { ...memorySize, ...condense };
        const sizes = measureSizes(rendering.value, exactTokens);
        const samples = [
          ...chain.workspace.value.segments.map((segment) => segmentTurns(rendering.value, blocks, segment, persona)),
          ...chain.workspace.value.condensations.map((one) => condensationTurns(rendering.value, sizes, blocks, one, size)),
        ];
        for (const turns of samples) expect(neededTokens(turns, replyTokens)).toBeLessThanOrEqual(tokens);
      }),
      { seed: 121, numRuns: 400, endOnFailure: true },
    );
    expect(chosen).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(20);
    expect(calls).toBeGreaterThan(100);
  });

  test("wherever blocks stand, what measure and judge keep fits, and what they drop does not", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryPlacement({ longText: 1_500 }),
        fc.integer({ min: 300, max: 3_000 }),
        fc.constantFrom(1, 100, 500),
        async (placement, window, reserve) => {
          const { trajectory, blocks, workspace, recipe } = placement;
          const { memoryBaseTokens, memoryShare, memoryCapTokens } = memorySize;
          const outcome = await measure.run(
            { trajectory, memory: ok({ blocks: [...blocks] }), workspace: ok(workspace) },
            {
              persona: recipe,
              replyTokens: reserve,
              condense: { memoryBaseTokens, memoryShare, memoryCapTokens },
              baseTools: "with-context",
              evaluation: noEvaluation,
            },
            fakePorts([], exactTokens),
          );
          if (!outcome.ok) throw new Error(outcome.why);
          const verdict = judgeMetrics(outcome.value, { ...FilterRecipe.parse(lenient), windowTokens: window });
          const kept = [...verdict.segments, ...verdict.condensations, verdict.base].map((decision) => decision.keep);
          const fits = [...placement.segments, ...placement.condensations, placement.base].map(
            (turns) => neededTokens(turns, reserve) <= window,
          );
          expect(kept).toEqual(fits);
        },
      ),
      { seed: 122, numRuns: 150, endOnFailure: true },
    );
  });
});
