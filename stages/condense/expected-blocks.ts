import type { Detection, InsertionPoint } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { targetTokens } from "../lib/condense-input.ts";
import { requestOverhead, requestStepTokens } from "../lib/condense-request.ts";
import { longestThought } from "../lib/context-thought.ts";
import { type Rendered, render } from "../lib/render.ts";
import { type CountTokens, conversationTokens, measureSizes, openingTokens } from "../lib/sizes.ts";
import { thoughtRequest } from "./ask/thought.ts";
import { thoughtSources } from "./condense.ts";
import { pieceShare, windowOf } from "./condensers/llm.ts";
import type { CondenseParams } from "./params.ts";

/** `expected`: every first reply is accepted and of its target size. `atMost`: every attempt is used up, every reply as long as its limit. */
export interface Bounds {
  readonly expected: number;
  readonly atMost: number;
}

/** Requests of one kind and their tokens, all together. */
export interface ExpectedCalls {
  readonly calls: Bounds;
  readonly prompt: Bounds;
  readonly reply: Bounds;
}

/** What one block takes before it is written. */
export interface ExpectedBlock {
  readonly cut: number;
  readonly memory: ExpectedCalls;
  readonly thought: ExpectedCalls;
}

const none: ExpectedCalls = {
  calls: { expected: 0, atMost: 0 },
  prompt: { expected: 0, atMost: 0 },
  reply: { expected: 0, atMost: 0 },
};

/** A thought is asked for once. */
function thoughtCalls(
  rendered: Rendered,
  point: InsertionPoint,
  detection: Detection,
  { window }: CondenseParams,
  count: CountTokens,
): ExpectedCalls {
  const content = thoughtRequest(thoughtSources(rendered, point, detection));
  const tokens = conversationTokens([{ role: "user", content, train: false, step: -1 }], count) + openingTokens(count);
  return {
    calls: { expected: 1, atMost: 1 },
    prompt: { expected: tokens, atMost: tokens },
    reply: { expected: count(longestThought), atMost: window.replyTokens },
  };
}

interface Fold {
  /** Of every request: instructions and task. */
  readonly fixed: number;
  readonly steps: number;
  readonly before: Bounds;
  readonly target: number;
}

/** The requests for one memory: one per candidate and attempt, and as many pieces as the condenser's window asks for. */
function memoryCalls({ fixed, steps, before, target }: Fold, params: CondenseParams): ExpectedCalls {
  const { candidates, attempts, memoryCapTokens } = params.condense;
  const window = windowOf(params);
  const sum = (of: "expected" | "atMost"): { calls: number; prompt: number; reply: number } => {
    const most = of === "atMost";
    const whole = fixed + before[of] + steps;
    const fits = whole + Math.max(params.window.replyTokens, memoryCapTokens + 1) <= window;
    const cap = fits ? memoryCapTokens : Math.min(memoryCapTokens, Math.floor(window * pieceShare));
    const room = Math.max(1, window - cap - Math.max(cap, before[of]) - fixed);
    const pieces = fits ? 1 : Math.ceil(steps / room);
    const asked = candidates * (most ? attempts : 1);
    const prompt = fits ? whole : steps + pieces * (fixed + Math.max(cap, before[of]));
    return { calls: asked * pieces, prompt: asked * prompt, reply: asked * pieces * (most ? cap : Math.min(target, cap)) };
  };
  const [expected, atMost] = [sum("expected"), sum("atMost")];
  const both = (key: "calls" | "prompt" | "reply"): Bounds => ({ expected: expected[key], atMost: atMost[key] });
  return { calls: both("calls"), prompt: both("prompt"), reply: both("reply") };
}

/**
 * The blocks of a detection by the arithmetic that placement reckons with: what every request has, the task, the memory before, and the
 * steps since it with the recent ones. null: the persona cannot render the trajectory, so none is asked for.
 */
export function expectedBlocks(
  trajectory: Trajectory,
  detection: Detection,
  params: CondenseParams,
  count: CountTokens,
): ExpectedBlock[] | null {
  const rendering = render(trajectory, params.persona);
  if (!rendering.ok) return null;
  const { condense } = params;
  const sizes = measureSizes(rendering.value, count);
  const upTo = requestStepTokens(rendering.value.steps, count);
  const fixed = requestOverhead(count) + count(rendering.value.prompt);
  return detection.points.map((point, index) => {
    const earlier = detection.points[index - 1];
    const before =
      earlier === undefined
        ? { expected: 0, atMost: 0 }
        : { expected: targetTokens(sizes, earlier.keptFrom, condense), atMost: condense.memoryCapTokens };
    const steps = (upTo[point.cut] ?? 0) - (upTo[earlier?.keptFrom ?? 0] ?? 0);
    return {
      cut: point.cut,
      memory: memoryCalls({ fixed, steps, before, target: targetTokens(sizes, point.keptFrom, condense) }, params),
      thought: condense.thought === "llm" ? thoughtCalls(rendering.value, point, detection, params, count) : none,
    };
  });
}
