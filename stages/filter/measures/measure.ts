import type { Contamination } from "../../../schemas/contamination.ts";
import type { Block, Workspace } from "../../../schemas/sidecars.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import type { CheckView } from "../../lib/checks/check.ts";
import type { checkMemory } from "../../lib/checks/index.ts";
import type { Rendered } from "../../lib/render.ts";
import type { Sizes } from "../../lib/sizes.ts";

/** A rendered sample with the exact tokens of each message: what most measures look at. */
export interface SizedTurn {
  readonly role: "system" | "user" | "assistant";
  readonly train: boolean;
  /** Whole chat message, closing newline included. */
  readonly tokens: number;
  /** The same for a reply: without header and closing newline. 0 for other roles. */
  readonly replyTokens: number;
}
export interface SizedSample {
  readonly turns: readonly SizedTurn[];
  /** Tokens of `<|im_start|>assistant\n`. */
  readonly openingTokens: number;
  /** Tokens every call keeps free for its reply. */
  readonly reserveTokens: number;
}

/** What trajectory measures see. `rendered` is null when the persona cannot render the run; `reasons` says why. */
export interface Seen {
  readonly trajectory: Trajectory;
  readonly reasons: readonly string[];
  readonly rendered: Rendered | null;
  readonly base: SizedSample | null;
  /** Sized `segment` samples in order; null without a workspace. */
  readonly segments: readonly SizedSample[] | null;
  readonly rejectedBy: string | null;
  readonly contamination: Contamination;
}

/** What block measures see. */
export interface SeenBlock {
  readonly block: Block;
  readonly previous: Block | null;
  readonly sizes: Sizes;
  /** Tokens of the call and memory messages of this block, and of the previous one (0 without). */
  readonly blockTokens: number;
  readonly previousTokens: number;
  readonly memoryTokens: number;
  /** What the checks are shown; the steps after the cut are known by now. */
  readonly view: CheckView;
  /** What each check says of it. */
  readonly results: ReturnType<typeof checkMemory>;
}

export interface SeenWorkspace {
  readonly blocks: readonly Block[];
  readonly workspace: Workspace;
}

/** One metric from what is seen; the registry's key is the metric's field name. No opinion: filters judge. */
export type Measure<S, T> = (seen: S) => T;

/** Prompt tokens of each trained call of a sample, in order. */
export function promptTokens(sample: SizedSample): number[] {
  const prompts: number[] = [];
  let before = 0;
  for (const turn of sample.turns) {
    if (turn.train) prompts.push(before + sample.openingTokens);
    before += turn.tokens;
  }
  return prompts;
}
