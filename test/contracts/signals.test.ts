import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DetectRecipe } from "../../schemas/recipe.ts";
import { type Step, Trajectory } from "../../schemas/trajectory.ts";
import { signals } from "../../stages/detect/signals/index.ts";
import type { Past, Signal } from "../../stages/detect/signals/signal.ts";
import { arbitraryStep } from "../fakes/arbitrary-trajectory.ts";
import { shortRun } from "../fakes/steps.ts";

/** What every signal promises, whatever it looks at. A new one is covered as soon as it is in the registry. */

const demo = new URL("../fixtures/demo-trajectories/", import.meta.url);
const demoRuns: (readonly [string, readonly Step[]])[] = existsSync(demo)
  ? readdirSync(demo)
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) =>
        readFileSync(new URL(name, demo), "utf8")
          .split("\n")
          .filter((line) => line !== ""),
      )
      .flatMap((line) => {
        const run = Trajectory.safeParse(JSON.parse(line));
        return run.success ? [[run.data.id, run.data.steps] as const] : [];
      })
  : [];
const runs: (readonly [string, readonly Step[]])[] = [["a short run", shortRun], ["no step", []], ...demoRuns];

const pastOf = (steps: readonly Step[], cut: number, windowTokens = 65_536): Past => ({
  steps: steps.slice(0, cut),
  stepTokens: steps.slice(0, cut).map((step) => Math.ceil(JSON.stringify(step).length / 4)),
  headTokens: 1_000,
  windowTokens,
});

const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
};

const arbitrarySteps = fc.array(arbitraryStep({ defects: true, controlTexts: true }), { maxLength: 12 });
const arbitraryWindow = fc.constantFrom(1_024, 4_096, 65_536, 1_000_000);

test("the registry holds the signals that the recipe weighs", () => {
  expect(Object.keys(signals).sort()).toEqual(Object.keys(DetectRecipe.parse({}).weights).sort());
});

describe.each(Object.entries(signals) as [string, Signal][])("%s", (_name, signal) => {
  const checked = (past: Past): ReturnType<Signal> => {
    const found = signal(past);
    expect(found.score).toBeGreaterThanOrEqual(0);
    expect(found.score).toBeLessThanOrEqual(1);
    expect(found.evidence.length > 0).toBe(found.score > 0);
    for (const line of found.evidence) expect(line).not.toMatch(/[\n\r]/);
    return found;
  };

  test.each(runs)("scores every cut of %s within 0..1, with evidence exactly when it speaks", (_id, steps) => {
    for (let cut = 0; cut <= steps.length; cut += 1)
      expect(checked(pastOf(steps, cut))).toEqual(checked(pastOf(structuredClone(steps), cut)));
  });

  test("scores random runs within 0..1, twice alike, and changes nothing", () => {
    fc.assert(
      fc.property(arbitrarySteps, arbitraryWindow, (steps, window) => {
        const past = frozen(pastOf(steps, steps.length, window));
        expect(checked(past)).toEqual(checked(past));
        expect(checked(structuredClone(past))).toEqual(checked(past));
      }),
      { numRuns: 300, seed: 24 },
    );
  });

  test("a later step never changes an earlier score", () => {
    fc.assert(
      fc.property(arbitrarySteps, arbitrarySteps, (steps, more) => {
        const before = steps.map((_, cut) => checked(pastOf(steps, cut)));
        const longer = structuredClone([...steps, ...more]);
        for (let cut = longer.length; cut >= 0; cut -= 1) checked(pastOf(longer, cut));
        expect(steps.map((_, cut) => checked(pastOf(longer, cut)))).toEqual(before);
      }),
      { numRuns: 100, seed: 24 },
    );
  });

  test("reads a run of 500 steps with long results at every cut in reasonable time", () => {
    const steps = Array.from({ length: 500 }, (_, index) => shortRun[index % shortRun.length] ?? shortRun[0]).flatMap((step) =>
      step === undefined ? [] : [structuredClone(step)],
    );
    const long = steps.map((step) => ({
      ...step,
      calls: step.calls.map((call) => ({ ...call, result: `${"x ".repeat(5_000)}\n${call.result ?? ""}` })),
    }));
    const sizes = long.map(() => 3_000);
    const start = performance.now();
    for (let cut = 1; cut <= long.length; cut += 1)
      signal({ steps: long.slice(0, cut), stepTokens: sizes.slice(0, cut), headTokens: 0, windowTokens: 65_536 });
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
