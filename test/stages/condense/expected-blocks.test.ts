import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Recipe } from "../../../schemas/recipe.ts";
import type { InsertionPoint } from "../../../schemas/sidecars.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { callsPerBlock, expectedBlocks, mostCallsPerBlock } from "../../../stages/condense/expected-blocks.ts";
import { condenseInput } from "../../../stages/lib/condense-input.ts";
import { condenseRequest, promptTokens } from "../../../stages/lib/condense-request.ts";
import { render } from "../../../stages/lib/render.ts";
import { measureSizes } from "../../../stages/lib/sizes.ts";
import { exactTokens } from "../../fakes/fake-ports.ts";
import { importAll } from "../../pipeline/import/import-folder.ts";

const folder = join(import.meta.dirname, "../../../../shared/trajectories");
const there = existsSync(join(folder, "manifest.jsonl"));
if (!there) console.log(`skipped: the collection of real runs is not at ${folder}`);

const params = Recipe.parse({ persona: { name: "keep" } });

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
      const blocks = expectedBlocks(trajectory, { points }, params, exactTokens);
      if (!rendering.ok) {
        expect(blocks).toBeNull();
        continue;
      }
      const sizes = measureSizes(rendering.value, exactTokens);
      let before: { keptFrom: number; memory: string } | null = null;
      for (const [index, point] of points.entries()) {
        const input = condenseInput(rendering.value, sizes, point, before, params.condense);
        const tokens = promptTokens(condenseRequest(input), exactTokens);
        const block = blocks?.[index];
        expect(tokens, `${trajectory.id}@${point.cut}`).toBeLessThanOrEqual(block?.prompt.expected ?? 0);
        expect(block?.prompt.atMost).toBeGreaterThanOrEqual(block?.prompt.expected ?? Number.POSITIVE_INFINITY);
        expect(block?.reply).toEqual({ expected: input.targetTokens, atMost: input.capTokens });
        expected += block?.prompt.expected ?? 0;
        exact += tokens;
        before = { keptFrom: point.keptFrom, memory: " a".repeat(input.targetTokens) };
      }
    }
    expect(exact).toBeGreaterThan(100_000);
    expect(exact / expected).toBeGreaterThan(0.98);
  }, 120_000);
});

test("at most, every attempt is used up for every block", () => {
  const { condense } = Recipe.parse({ condense: { attempts: 5 } });
  expect(mostCallsPerBlock(condense)).toBe(5 * callsPerBlock(condense));
});
