import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { planInputs } from "../../pipeline/import/plan.ts";
import { readUnit } from "../../pipeline/import/read.ts";
import { Trajectory } from "../../schemas/trajectory.ts";
import { render } from "../../stages/lib/render.ts";
import { exactTokens, fakePorts } from "../fakes/fake-ports.ts";
import { lenient, runChain } from "./chain.ts";
import { invariants, nothingFromTheFuture, withMarks } from "./invariants.ts";
import { legalCuts, memoryText, type Placement, personaRecipe, place } from "./placement.ts";
import { isStructurable } from "./template.ts";

const folder = join(import.meta.dirname, "../../../shared/trajectories");
const isThere = existsSync(folder);
if (!isThere) console.log("skipped: the invariants over real trajectories (there is no folder ../shared/trajectories beside the checkout)");

const personas = ["keep", "paper"] as const;
const words = (index: number) => ({ thought: index % 2 === 0 ? "Time to condense." : "", memory: memoryText(`memory ${index}`) });

interface Way {
  readonly name: (typeof personas)[number];
  readonly keepSteps: number;
  readonly cuts: readonly number[];
}

/** Ways to place blocks in `steps` steps: at thirds with k = 3, first and last legal cut with k = 0, one after the other with k = 1. */
function waysToPlace(steps: number): Way[] {
  const ends = legalCuts(steps, 0);
  const third = Math.floor(steps / 3);
  return [
    {
      name: "keep",
      keepSteps: 3,
      cuts: [third, 2 * third].filter((cut, index, all) => legalCuts(steps, 3).includes(cut) && all.indexOf(cut) === index),
    },
    { name: "keep", keepSteps: 1, cuts: legalCuts(steps, 1).slice(-12) },
    { name: "paper", keepSteps: 0, cuts: [...new Set([ends[0], ends.at(-1)])].flatMap((cut) => cut ?? []) },
  ];
}

describe.skipIf(!isThere)("real trajectories", { timeout: 120_000 }, () => {
  const trajectories: Trajectory[] = [];
  const placed: Placement[] = [];

  beforeAll(async () => {
    for (const unit of await planInputs([folder]))
      for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256_000_000 }))
        if (event.kind === "run") trajectories.push(event.trajectory);
    for (const trajectory of trajectories)
      for (const { name, keepSteps, cuts } of waysToPlace(trajectory.steps.length)) {
        const recipe = personaRecipe({ name });
        const rendering = render(trajectory, recipe);
        if (rendering.ok && rendering.value.controlTexts === 0) placed.push(place(trajectory, recipe, keepSteps, cuts, words));
      }
  }, 120_000);

  test("there are many, each parses, and most can be rendered by either persona", () => {
    expect(trajectories.length).toBeGreaterThan(50);
    for (const trajectory of trajectories) expect(Trajectory.parse(trajectory)).toEqual(trajectory);
    for (const name of personas)
      expect(new Set(placed.filter((one) => one.recipe.name === name).map((one) => one.trajectory.id)).size).toBeGreaterThan(
        trajectories.length / 3,
      );
    expect(placed.filter(isStructurable).length).toBeGreaterThan(10);
  });

  test.each(Object.entries(invariants))("%s", (_, holds) => {
    for (const placement of placed) holds(placement);
  });

  test("(2) nothing is shown before it happened", () => {
    for (const { trajectory, recipe, keepSteps, blocks } of placed) {
      const cuts = blocks.map((block) => block.cut);
      nothingFromTheFuture(place(withMarks(trajectory), recipe, keepSteps, cuts, words));
    }
  });

  test.each([
    { tokens: 65_536, replyTokens: 4_096, cap: 8_192 },
    { tokens: 16_384, replyTokens: 1_024, cap: 1_024 },
    { tokens: 8_192, replyTokens: 512, cap: 512 },
  ])(
    "(5) under a window of $tokens tokens every kept model call fits, whatever the signals choose",
    async ({ tokens, replyTokens, cap }) => {
      let calls = 0;
      const full = memoryText("w", Math.floor((cap - 80) / 8));
      expect(exactTokens(full)).toBeLessThanOrEqual(cap);
      for (const trajectory of trajectories)
        for (const name of personas) {
          const params = {
            persona: personaRecipe({ name }),
            window: { tokens, replyTokens },
            detect: { minFoldTokens: 500 },
            condense: { memoryCapTokens: cap, attempts: 1 },
            filter: lenient,
          };
          const chain = await runChain(
            trajectory,
            params,
            fakePorts(() => full, exactTokens),
          );
          const { metrics, verdict } = chain;
          // What placement lets through must fit, so that no memory is bought in vain.
          if (chain.detection.ok) expect(chain.memory.ok, `${trajectory.id}: ${chain.memory.ok ? "" : chain.memory.why}`).toBe(true);
          for (const sample of [...metrics.segments, ...metrics.condensations]) expect(sample.neededTokens).toBeLessThanOrEqual(tokens);
          if (verdict.base.keep) expect(metrics.base?.neededTokens).toBeLessThanOrEqual(tokens);
          calls += metrics.blocks.length;
        }
      expect(calls).toBeGreaterThan(20);
    },
  );
});
