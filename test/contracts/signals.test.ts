import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { planInputs } from "../../pipeline/import/plan.ts";
import { readUnit } from "../../pipeline/import/read.ts";
import { DetectRecipe } from "../../schemas/recipe/detect.ts";
import { type Step, Trajectory } from "../../schemas/trajectory.ts";
import { factsOf, type StepFacts } from "../../stages/detect/facts.ts";
import { saidBy } from "../../stages/detect/score-cuts.ts";
import { signals } from "../../stages/detect/signals/index.ts";
import type { Said, Signal } from "../../stages/detect/signals/signal.ts";
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

const realFolder = join(import.meta.dirname, "../../../shared/trajectories");
const isThere = existsSync(realFolder);
if (!isThere) console.log("skipped: signals over real trajectories (there is no folder ../shared/trajectories beside the checkout)");

const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
};

const readSteps = (steps: readonly Step[]): StepFacts[] =>
  factsOf(
    steps,
    steps.map((step) => Math.ceil(JSON.stringify(step).length / 4)),
  );
const said = (signal: Signal, facts: readonly StepFacts[], windowTokens = 65_536): (Said | undefined)[] => [
  ...saidBy(signal, { headTokens: 1_000, windowTokens }, facts),
];

/** Every answer in range, with evidence exactly when it speaks, one line each. */
function checked(signal: Signal, facts: readonly StepFacts[], windowTokens?: number): (Said | undefined)[] {
  const all = said(signal, facts, windowTokens);
  expect(all).toHaveLength(facts.length + 1);
  for (const one of all.slice(1)) {
    expect(one?.score).toBeGreaterThanOrEqual(0);
    expect(one?.score).toBeLessThanOrEqual(1);
    expect((one?.evidence.length ?? 0) > 0).toBe((one?.score ?? 0) > 0);
    for (const line of one?.evidence ?? []) {
      expect(line.trim()).not.toBe("");
      expect(line).not.toMatch(/[\n\r]/);
    }
  }
  return all;
}

const arbitrarySteps = fc.array(arbitraryStep({ defects: true, controlTexts: true }), { maxLength: 12 });
const arbitraryWindow = fc.constantFrom(1_024, 4_096, 65_536, 1_000_000);

test("the registry holds the signals that the recipe weighs", () => {
  expect(Object.keys(signals).sort()).toEqual(Object.keys(DetectRecipe.parse({}).weights).sort());
});

test("every family of the paper has signals that see the past alone", () => {
  const all = Object.values(signals) as Signal[];
  for (const family of ["growth", "boundary", "error-correction"])
    expect(all.filter((signal) => signal.family === family && signal.sees === "past").length).toBeGreaterThan(0);
});

describe("facts of a step", () => {
  test("follow from it and those before it", () => {
    fc.assert(
      fc.property(arbitrarySteps, arbitrarySteps, (steps, more) => {
        const longer = readSteps([...structuredClone(steps), ...more]);
        expect(readSteps(steps)).toEqual(longer.slice(0, steps.length));
      }),
      { numRuns: 200, seed: 24 },
    );
  });
});

describe.each(Object.entries(signals) as [string, Signal][])("%s", (_name, signal) => {
  test.each(runs)("scores every cut of %s within 0..1, with evidence exactly when it speaks", (_id, steps) => {
    expect(checked(signal, readSteps(steps))).toEqual(checked(signal, readSteps(structuredClone(steps))));
  });

  test("scores random runs within 0..1, twice alike, and changes nothing", () => {
    fc.assert(
      fc.property(arbitrarySteps, arbitraryWindow, (steps, window) => {
        const facts = frozen(readSteps(frozen(steps)));
        expect(checked(signal, facts, window)).toEqual(checked(signal, facts, window));
        expect(checked(signal, readSteps(structuredClone(steps)), window)).toEqual(checked(signal, facts, window));
      }),
      { numRuns: 200, seed: 24 },
    );
  });

  test.runIf(signal.sees === "past")("is never handed more than one step, so that it cannot look ahead", () => {
    if (signal.sees !== "past") return;
    const given: unknown[][] = [];
    const spied: Signal = {
      ...signal,
      watch: (...setting) => {
        const next = signal.watch(...setting);
        expect(next.length).toBeLessThanOrEqual(1);
        return (...args) => {
          given.push(args);
          return next(...args);
        };
      },
    };
    const facts = readSteps(shortRun);
    said(spied, facts);
    expect(given).toEqual(facts.map((one) => [one]));
  });

  test.runIf(signal.sees === "past")("appended and changed later steps never change an earlier score", () => {
    fc.assert(
      fc.property(arbitrarySteps, arbitrarySteps, arbitrarySteps, (steps, more, others) => {
        const before = checked(signal, readSteps(steps));
        for (const rest of [more, others])
          expect(checked(signal, readSteps(structuredClone([...steps, ...rest]))).slice(0, steps.length + 1)).toEqual(before);
      }),
      { numRuns: 100, seed: 24 },
    );
  });

  test("two runs that are scored in turn do not disturb each other", () => {
    const facts = readSteps(shortRun);
    const alone = said(signal, facts);
    if (signal.sees !== "past") return expect(said(signal, facts)).toEqual(alone);
    const setting = { headTokens: 1_000, windowTokens: 65_536 };
    const [one, two] = [signal.watch(setting), signal.watch(setting)];
    const turns = facts.map((step) => [one(step), two(step)]);
    expect(turns.map(([first]) => first)).toEqual(alone.slice(1));
    expect(turns.map(([, second]) => second)).toEqual(alone.slice(1));
  });

  test("the work for a run grows about as its length does", () => {
    const long = (steps: number): StepFacts[] =>
      readSteps(
        Array.from({ length: steps }, (_, index) => structuredClone(shortRun[index % shortRun.length])).flatMap((step, index) =>
          step === undefined
            ? []
            : { ...step, calls: step.calls.map((call) => ({ ...call, result: `${"word ".repeat(400)}${index}\n${call.result}` })) },
        ),
      );
    const cpu = (facts: readonly StepFacts[]): number => {
      const start = process.cpuUsage();
      for (let round = 0; round < 3; round += 1) said(signal, facts);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const [short, eight] = [long(250), long(2_000)];
    cpu(short);
    expect(cpu(eight)).toBeLessThan(24 * Math.max(cpu(short), 5)); // 8 times the steps; quadratic work would take 64 times as long
  });
});

describe.skipIf(!isThere)("real trajectories", { timeout: 120_000 }, () => {
  const real: { readonly id: string; readonly facts: StepFacts[] }[] = [];
  const texts = new Map<string, string>();
  beforeAll(async () => {
    for (const unit of await planInputs([realFolder]))
      for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256_000_000 }))
        if (event.kind === "run") {
          texts.set(event.trajectory.id, JSON.stringify(event.trajectory.steps));
          real.push({ id: event.trajectory.id, facts: readSteps(event.trajectory.steps) });
        }
  }, 120_000);

  test.each(Object.entries(signals) as [string, Signal][])("%s is total, in range, deterministic and changes nothing", (_, signal) => {
    expect(real.length).toBeGreaterThan(100);
    for (const { id, facts } of real) {
      expect(checked(signal, facts), id).toEqual(said(signal, facts));
      expect(JSON.stringify(facts.map((one) => one.step))).toBe(texts.get(id));
    }
  });

  test.each(Object.entries(signals) as [string, Signal][])(
    "%s says the same of the past when the run ends there, if that is all it sees",
    (_, signal) => {
      if (signal.sees !== "past") return;
      for (const { id, facts } of real) {
        const half = Math.floor(facts.length / 2);
        expect(said(signal, facts.slice(0, half)), id).toEqual(said(signal, facts).slice(0, half + 1));
      }
    },
  );

  test.each(Object.entries(signals) as [string, Signal][])("%s speaks somewhere, and is silent at most cuts", (_, signal) => {
    const scores = real.flatMap(({ facts }) => said(signal, facts, 16_384).slice(1, -1));
    const speaks = scores.filter((one) => (one?.score ?? 0) > 0).length;
    expect(speaks).toBeGreaterThan(0);
    expect(speaks).toBeLessThan(scores.length / 2);
  });
});
