import type { Detection, InsertionPoint } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { targetTokens } from "../lib/condense-input.ts";
import { requestOverhead, requestStepTokens } from "../lib/condense-request.ts";
import { longestThought } from "../lib/context-thought.ts";
import { type Rendered, render } from "../lib/render.ts";
import { type CountTokens, conversationTokens, measureSizes, openingTokens } from "../lib/sizes.ts";
import { opinionRequest, opinionTokens } from "./ask/second-opinion.ts";
import { thoughtRequest } from "./ask/thought.ts";
import { windowOf } from "./ask/window.ts";
import { thoughtSources } from "./condense.ts";
import { pieceShare } from "./condensers/llm.ts";
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

/** What one block takes before it is written, and for the second opinion on it. */
export interface ExpectedBlock {
  readonly cut: number;
  readonly memory: ExpectedCalls;
  readonly thought: ExpectedCalls;
  readonly judge: ExpectedCalls;
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

/** A second opinion names one thing, at length. Our guess: no judge has been measured yet. */
const opinionReplyTokens = 120;

/** A second opinion is asked for once, where it fits; a smaller memory may fit where the expected one does not. */
function opinionCalls({ fixed, steps, before, target }: Fold, params: CondenseParams): ExpectedCalls {
  const { replyTokens } = params.window;
  const room = windowOf(params) - replyTokens;
  const expected = fixed + before.expected + steps + target;
  const atMost = Math.min(room, fixed + before.atMost + steps + params.condense.memoryCapTokens);
  const [asked, perhaps] = [expected <= room ? 1 : 0, fixed + steps < room ? 1 : 0];
  return {
    calls: { expected: asked, atMost: perhaps },
    prompt: { expected: asked * expected, atMost: perhaps * atMost },
    reply: { expected: asked * Math.min(opinionReplyTokens, replyTokens), atMost: perhaps * replyTokens },
  };
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
  const task = count(rendering.value.prompt);
  const fixed = requestOverhead(count) + task;
  const judgeFixed = opinionTokens(opinionRequest({ task: "", previousMemory: null, fold: [], first: 1, recent: [] }, ""), count) + task;
  return detection.points.map((point, index) => {
    const earlier = detection.points[index - 1];
    const before =
      earlier === undefined
        ? { expected: 0, atMost: 0 }
        : { expected: targetTokens(sizes, earlier.keptFrom, condense), atMost: condense.memoryCapTokens };
    const steps = (upTo[point.cut] ?? 0) - (upTo[earlier?.keptFrom ?? 0] ?? 0);
    const target = targetTokens(sizes, point.keptFrom, condense);
    return {
      cut: point.cut,
      memory: condense.condenser === "llm" ? memoryCalls({ fixed, steps, before, target }, params) : none,
      thought: condense.thought === "llm" ? thoughtCalls(rendering.value, point, detection, params, count) : none,
      judge: condense.judge ? opinionCalls({ fixed: judgeFixed, steps, before, target }, params) : none,
    };
  });
}
