import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { planInputs } from "../../../../pipeline/import/plan.ts";
import { readUnit } from "../../../../pipeline/import/read.ts";
import { extractive } from "../../../../stages/condense/condensers/extractive.ts";
import { CondenseParams } from "../../../../stages/condense/params.ts";
import { type CondenseInput, condenseInput } from "../../../../stages/lib/condense-input.ts";
import { render } from "../../../../stages/lib/render.ts";
import { requestVersion } from "../../../../stages/lib/request-version.ts";
import { measureSizes } from "../../../../stages/lib/sizes.ts";
import { exactTokens, fakePorts } from "../../../fakes/fake-ports.ts";
import { invented } from "../../../fakes/invented.ts";
import { defaults, memorySize, personaRecipe } from "../../../invariants/placement.ts";

const folder = join(import.meta.dirname, "../../../../../shared/trajectories");
const isThere = existsSync(folder);
if (!isThere)
  console.log("skipped: the extractive condenser on real trajectories (there is no folder ../shared/trajectories beside the checkout)");

const ports = fakePorts([], exactTokens);
const params = CondenseParams.parse({
  persona: personaRecipe({ name: "keep" }),
  window: { tokens: 65_536, replyTokens: 4_096 },
  condense: { ...defaults.condense, condenser: "extractive", thought: "template" },
  endpoint: null,
  requestVersion,
});
const thought = { cut: 1, reason: "signals" as const, signals: [], lastSteps: [], pick: 0 };

/** Folds as placement makes them: about 8,000 tokens each, 3 steps kept. */
const foldTokens = 8_000;

describe.skipIf(!isThere)("the extractive condenser on real trajectories", { timeout: 240_000 }, () => {
  const written: { readonly input: CondenseInput; readonly memory: string; readonly ratio: number }[] = [];

  beforeAll(async () => {
    let nth = 0;
    for (const unit of await planInputs([folder]))
      for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256_000_000 })) {
        if (event.kind !== "run" || nth++ % 2 === 1) continue; // every second: enough, at half the time
        const rendering = render(event.trajectory, params.persona);
        if (!rendering.ok || rendering.value.controlTexts > 0) continue;
        const sizes = measureSizes(rendering.value, exactTokens);
        let earlier: { cut: number; keptFrom: number; memory: string } | null = null;
        for (let keptFrom = 1; keptFrom + 3 < event.trajectory.steps.length; keptFrom += 1) {
          const fold = (sizes.upTo[keptFrom] ?? 0) - (sizes.upTo[earlier?.keptFrom ?? 0] ?? 0);
          if (fold < foldTokens) continue;
          const point = { cut: keptFrom + 3, keptFrom };
          const input = condenseInput(rendering.value, sizes, point, earlier, memorySize);
          const outcome = await extractive({ input, label: "real", params, thought }, ports);
          if (!outcome.ok) throw new Error(`${event.trajectory.id}: ${outcome.why}`);
          const { memory } = outcome.value;
          written.push({ input, memory, ratio: exactTokens(memory) / (fold + exactTokens(earlier?.memory ?? "")) });
          earlier = { ...point, memory };
        }
      }
  }, 240_000);

  test("invents no path and no number", () => {
    expect(written.length).toBeGreaterThan(30);
    for (const { input, memory } of written) expect(invented(memory, input)).toEqual([]);
  });

  test("fills its target without passing it, and so reaches the paper's ratio of about 0.30", () => {
    const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    for (const { input, memory } of written) expect(exactTokens(memory)).toBeLessThanOrEqual(input.targetTokens);
    expect(mean(written.map(({ input, memory }) => exactTokens(memory) / input.targetTokens))).toBeGreaterThan(0.75);
    const ratio = mean(written.map((one) => one.ratio));
    expect(ratio).toBeGreaterThan(0.2);
    expect(ratio).toBeLessThan(0.4);
  });
});
