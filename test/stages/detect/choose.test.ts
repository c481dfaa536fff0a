import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DetectRecipe, WindowRecipe } from "../../../schemas/recipe.ts";
import type { InsertionPoint } from "../../../schemas/sidecars.ts";
import { type ChooseInput, choose } from "../../../stages/detect/choose.ts";
import { type Sizes, spanTokens } from "../../../stages/lib/sizes.ts";

/** Every step: an assistant message of `assistant` tokens and a user message that fills up to `step`. */
const sizesOf = (steps: readonly number[], assistant = 10, head = 100): Sizes => {
  const upTo = [0];
  for (const tokens of steps) upTo.push((upTo.at(-1) ?? 0) + tokens);
  return { head, opening: 3, assistant: steps.map(() => assistant), user: steps.map((tokens) => tokens - assistant), upTo };
};

interface Setting {
  steps: readonly number[];
  scores?: Readonly<Record<number, number>>;
  window?: Partial<WindowRecipe>;
  detect?: Partial<DetectRecipe>;
  memoryCapTokens?: number;
}
const inputOf = ({ steps, scores = {}, window = {}, detect = {}, memoryCapTokens = 100 }: Setting): ChooseInput => ({
  sizes: sizesOf(steps),
  replies: steps.map(() => 6),
  candidates: Object.entries(scores).map(([cut, score]) => ({
    cut: Number(cut),
    score,
    signals: [{ signal: "window-occupancy", score, evidence: [] }],
  })),
  window: { ...WindowRecipe.parse({ tokens: 100_000, replyTokens: 50, keepSteps: 2 }), ...window },
  detect: { ...DetectRecipe.parse({ minGapSteps: 3, minFoldTokens: 1 }), ...detect },
  memoryCapTokens,
  callTokens: 20,
  requestTokens: 40,
  requestStepTokens: sizesOf(steps.map((tokens) => tokens + 16)).upTo,
});
const equal = (count: number, tokens = 50): number[] => Array.from({ length: count }, () => tokens);
const pointsOf = (setting: Setting): readonly InsertionPoint[] | string => {
  const chosen = choose(inputOf(setting));
  return chosen.ok ? chosen.value : chosen.why;
};
const cutsOf = (setting: Setting): number[] | string => {
  const points = pointsOf(setting);
  return typeof points === "string" ? points : points.map((point) => point.cut);
};

describe("signals", () => {
  test("a cut whose score reaches the minimum is taken, one below is not", () => {
    expect(cutsOf({ steps: equal(12), scores: { 5: 0.5, 9: 0.49 } })).toEqual([5]);
    expect(pointsOf({ steps: equal(12), scores: { 5: 0.5 } })).toEqual([{ cut: 5, keptFrom: 3, reason: "signals" }]);
  });

  test("no candidate and enough room make no point, and that is fine", () => {
    expect(cutsOf({ steps: equal(12) })).toEqual([]);
    expect(cutsOf({ steps: [50] })).toEqual([]);
  });

  test("two cuts are at least the gap apart, and the first is as far from the start", () => {
    const all = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index + 1, 1]));
    expect(cutsOf({ steps: equal(12), scores: all, detect: { minGapSteps: 4 } })).toEqual([4, 8]);
    expect(cutsOf({ steps: equal(12), scores: all, detect: { minGapSteps: 1 }, window: { keepSteps: 0 } })).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
  });

  test("a fold holds at least the tokens asked for", () => {
    expect(cutsOf({ steps: equal(12), scores: { 5: 1, 6: 1 }, detect: { minFoldTokens: 151 } })).toEqual([6]);
    expect(cutsOf({ steps: equal(12), scores: { 5: 1 }, detect: { minFoldTokens: 150 } })).toEqual([5]);
  });

  test("no more calls are made than allowed", () => {
    expect(cutsOf({ steps: equal(20), scores: { 4: 1, 8: 1, 12: 1 }, detect: { maxCalls: 2 } })).toEqual([4, 8]);
    expect(cutsOf({ steps: equal(20), scores: { 4: 1, 8: 1, 12: 1 }, detect: { maxCalls: null } })).toEqual([4, 8, 12]);
  });

  test("a cut that leaves no step to fold is never taken", () => {
    expect(cutsOf({ steps: equal(12), scores: { 1: 1, 2: 1 }, detect: { minGapSteps: 1 } })).toEqual([]);
    expect(cutsOf({ steps: equal(12), scores: { 3: 1 }, detect: { minGapSteps: 1 } })).toEqual([3]);
  });

  test("scores outside of the trajectory change nothing", () => {
    expect(cutsOf({ steps: equal(4), scores: { 4: 1, 5: 1, 100: 1 } })).toEqual([]);
  });
});

describe("the window", () => {
  // 20 steps of 50 tokens: the head and all before the last step are 100 + 950 + 3, and the reply reserve 50.
  const tight = { tokens: 800, replyTokens: 50, keepSteps: 2 };

  test("forces a cut exactly when the next step would not fit", () => {
    expect(cutsOf({ steps: equal(20), window: { ...tight, tokens: 1103 } })).toEqual([]);
    expect(pointsOf({ steps: equal(20), window: { ...tight, tokens: 1102 } })).toEqual([expect.objectContaining({ reason: "window" })]);
  });

  test("takes the best-scoring cut that makes it fit, and the latest of equals", () => {
    // Step 13 would overflow; the condenser can read no more than the 8 steps before a cut.
    expect(cutsOf({ steps: equal(14), window: tight })).toEqual([8]);
    expect(cutsOf({ steps: equal(14), window: tight, scores: { 5: 0.3, 7: 0.2 } })).toEqual([5]);
    expect(cutsOf({ steps: equal(14), window: tight, scores: { 5: 0.3, 7: 0.3 } })).toEqual([7]);
    expect(cutsOf({ steps: equal(14), window: tight, scores: { 9: 0.4 } })).toEqual([8]);
  });

  test("gives up gap and fold size before it gives up the trajectory", () => {
    expect(cutsOf({ steps: equal(14), window: tight, detect: { minFoldTokens: 100_000 } })).toEqual([8]);
    expect(cutsOf({ steps: equal(14), window: tight, detect: { minGapSteps: 100 } })).toEqual([8]);
  });

  test("rejects when nothing makes a step fit", () => {
    expect(cutsOf({ steps: [50, 50, 50, 50, 900, 50, 50], window: tight })).toBe("window-exceeded");
    expect(cutsOf({ steps: [50], window: { ...tight, tokens: 1024, replyTokens: 1000 } })).toBe("window-exceeded");
  });

  test("rejects when no more calls are allowed", () => {
    expect(cutsOf({ steps: equal(40), window: tight, detect: { maxCalls: 1 } })).toBe("window-exceeded");
  });

  test("makes room for a reply that is longer than the reserve", () => {
    const input = inputOf({ steps: equal(12), window: { ...tight, tokens: 703 } });
    expect(choose(input)).toEqual({ ok: true, value: [] });
    const long = { ...input, replies: input.replies.map((tokens, index) => (index === 11 ? 51 : tokens)) };
    expect(choose(long)).toEqual({ ok: true, value: [expect.objectContaining({ reason: "window" })] });
  });
});

/** Random sizes, scores and limits, many of them too tight. */
const arbitraryInput: fc.Arbitrary<ChooseInput> = fc
  .record({
    steps: fc.array(
      fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 20, max: 120 }) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 400 }) }),
      { minLength: 1, maxLength: 30 },
    ),
    replies: fc.array(
      fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 15 }) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }) }),
      { minLength: 30, maxLength: 30 },
    ),
    scores: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(0.2, 0.5, 0.8, 1) }), {
      minLength: 30,
      maxLength: 30,
    }),
    tokens: fc.integer({ min: 500, max: 2000 }),
    replyTokens: fc.integer({ min: 1, max: 100 }),
    keepSteps: fc.nat(5),
    minGapSteps: fc.integer({ min: 1, max: 8 }),
    minFoldTokens: fc.integer({ min: 1, max: 400 }),
    maxCalls: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
    memoryCapTokens: fc.integer({ min: 20, max: 150 }),
  })
  .map(({ steps, replies, scores, tokens, replyTokens, keepSteps, minGapSteps, minFoldTokens, maxCalls, memoryCapTokens }) => ({
    ...inputOf({
      steps,
      scores: Object.fromEntries(scores.slice(1, steps.length).flatMap((score, index) => (score === 0 ? [] : [[index + 1, score]]))),
      window: { tokens, replyTokens, keepSteps },
      detect: { minGapSteps, minFoldTokens, maxCalls },
      memoryCapTokens,
    }),
    replies: replies.slice(0, steps.length),
  }));

describe("whatever the sizes, scores and limits", () => {
  const settings = { seed: 91, numRuns: 3000 };
  const holds = (check: (input: ChooseInput, points: readonly InsertionPoint[]) => void): void =>
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const chosen = choose(input);
        if (chosen.ok) check(input, chosen.value);
        else expect(chosen.why).toBe("window-exceeded");
      }),
      settings,
    );

  test("cuts are legal", () => {
    holds((input, points) => {
      let last = { cut: 0, keptFrom: 0 };
      for (const point of points) {
        expect(point.keptFrom).toBe(point.cut - input.window.keepSteps);
        expect(point.keptFrom).toBeGreaterThan(last.keptFrom);
        expect(point.cut).toBeGreaterThan(last.cut);
        expect(point.cut).toBeLessThan(input.replies.length);
        last = point;
      }
      expect(points.length).toBeLessThanOrEqual(input.detect.maxCalls ?? points.length);
    });
  });

  test("a cut for its signals has the score, the gap and the fold asked for", () => {
    holds((input, points) => {
      for (const [index, point] of points.entries()) {
        if (point.reason !== "signals") continue;
        const last = points[index - 1] ?? { cut: 0, keptFrom: 0 };
        expect(input.candidates.find((candidate) => candidate.cut === point.cut)?.score ?? 0).toBeGreaterThanOrEqual(input.detect.minScore);
        expect(point.cut - last.cut).toBeGreaterThanOrEqual(input.detect.minGapSteps);
        expect(spanTokens(input.sizes, last.keptFrom, point.keptFrom)).toBeGreaterThanOrEqual(input.detect.minFoldTokens);
      }
    });
  });

  /** Prompt at step index `step` with `last` the latest call, memories at their cap; written down a second time. */
  const promptAt = ({ sizes, callTokens, memoryCapTokens }: ChooseInput, last: InsertionPoint | undefined, step: number): number => {
    const own = [...sizes.assistant.keys()].filter((index) => index >= (last?.keptFrom ?? 0) && index < step);
    const shown = own.reduce((sum, index) => sum + (sizes.assistant[index] ?? 0) + (sizes.user[index] ?? 0), 0);
    return sizes.head + (last === undefined ? 0 : callTokens + memoryCapTokens) + shown + sizes.opening;
  };
  const overflows = (input: ChooseInput, prompt: number, reply: number): boolean =>
    prompt + Math.max(input.window.replyTokens, reply) > input.window.tokens;

  test("every step, every context call and every condenser request fits", () => {
    holds((input, points) => {
      for (const [step, reply] of input.replies.entries())
        expect(
          overflows(
            input,
            promptAt(
              input,
              points.findLast((point) => point.cut <= step),
              step,
            ),
            reply,
          ),
          `step ${step}`,
        ).toBe(false);
      for (const [index, point] of points.entries()) {
        const last = points[index - 1];
        expect(overflows(input, promptAt(input, last, point.cut), input.callTokens), `call at ${point.cut}`).toBe(false);
        const read = spanTokens(input.sizes, last?.keptFrom ?? 0, point.cut);
        const request = input.requestTokens + input.sizes.head + (last === undefined ? 0 : input.memoryCapTokens) + read;
        expect(overflows(input, request, input.memoryCapTokens), `request at ${point.cut}`).toBe(false);
      }
    });
  });

  test("a cut for the window is made only when a later step would overflow without it", () => {
    holds((input, points) => {
      for (const [index, point] of points.entries()) {
        if (point.reason !== "window") continue;
        const needed = input.replies.some(
          (reply, step) => step >= point.cut && overflows(input, promptAt(input, points[index - 1], step), reply),
        );
        expect(needed, `cut ${point.cut}`).toBe(true);
      }
    });
  });

  test("where everything fits and nothing is asked for, nothing is cut", () => {
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const quiet = { ...input, candidates: [] };
        const whole = input.replies.every((reply, step) => !overflows(input, promptAt(input, undefined, step), reply));
        const chosen = choose(quiet);
        if (whole) expect(chosen).toEqual({ ok: true, value: [] });
        else if (chosen.ok) expect(chosen.value.length).toBeGreaterThan(0);
      }),
      settings,
    );
  });

  test("the same input gives the same points, in whatever order the candidates come, and stays unchanged", () => {
    fc.assert(
      fc.property(arbitraryInput, (input) => {
        const before = JSON.stringify(input);
        const chosen = choose(input);
        expect(choose({ ...input, candidates: input.candidates.toReversed() })).toEqual(chosen);
        expect(JSON.stringify(input)).toBe(before);
      }),
      settings,
    );
  });

  test("the future changes no cut for its signals: appending steps keeps the ones before", () => {
    fc.assert(
      fc.property(arbitraryInput, fc.nat(29), (input, shorter) => {
        const count = 1 + (shorter % input.replies.length);
        const head: Sizes = {
          ...input.sizes,
          assistant: input.sizes.assistant.slice(0, count),
          user: input.sizes.user.slice(0, count),
          upTo: input.sizes.upTo.slice(0, count + 1),
        };
        const past = choose({
          ...input,
          sizes: head,
          replies: input.replies.slice(0, count),
          candidates: input.candidates.filter((candidate) => candidate.cut < count),
        });
        const whole = choose(input);
        if (!whole.ok) return;
        if (!past.ok) throw new Error("the whole run fits, and its beginning does not");
        const signals = (points: readonly InsertionPoint[]): number[] =>
          points.filter((point) => point.reason === "signals" && point.cut < count).map((point) => point.cut);
        expect(signals(whole.value)).toEqual(signals(past.value));
      }),
      settings,
    );
  });

  test("both outcomes and both reasons occur often enough to mean something", () => {
    const outcomes = fc.sample(arbitraryInput, settings).map(choose);
    const points = outcomes.flatMap((outcome) => (outcome.ok ? outcome.value : []));
    expect(outcomes.filter((outcome) => !outcome.ok).length).toBeGreaterThan(100);
    expect(points.filter((point) => point.reason === "window").length).toBeGreaterThan(100);
    expect(points.filter((point) => point.reason === "signals").length).toBeGreaterThan(100);
  });
});
