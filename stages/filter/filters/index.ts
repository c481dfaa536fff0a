import { badExit } from "./bad-exit.ts";
import { callLessSteps } from "./call-less-steps.ts";
import { contaminatedInstance } from "./contaminated-instance.ts";
import { contaminatedPatch } from "./contaminated-patch.ts";
import { contaminatedRepository } from "./contaminated-repository.ts";
import { contaminatedText } from "./contaminated-text.ts";
import { controlTokenText } from "./control-token-text.ts";
import { drifting } from "./drifting.ts";
import { failureLost } from "./failure-lost.ts";
import type { Filter } from "./filter.ts";
import { foldRatioTooHigh } from "./fold-ratio-too-high.ts";
import { foldRatioTooLow } from "./fold-ratio-too-low.ts";
import { foldTooSmall } from "./fold-too-small.ts";
import { insufficient } from "./insufficient.ts";
import { judgedUnsupported } from "./judged-unsupported.ts";
import { leaking } from "./leaking.ts";
import { preCondensed } from "./pre-condensed.ts";
import { rejectedUpstream } from "./rejected-upstream.ts";
import { tooFewCalls } from "./too-few-calls.ts";
import { tooFewSteps } from "./too-few-steps.ts";
import { tooManyCalls } from "./too-many-calls.ts";
import { tooManySteps } from "./too-many-steps.ts";
import { ungrounded } from "./ungrounded.ts";
import { unrenderable } from "./unrenderable.ts";
import { unresolved } from "./unresolved.ts";
import { untrueState } from "./untrue-state.ts";
import { windowExceeded } from "./window-exceeded.ts";

export const filters = {
  "contaminated-instance": contaminatedInstance,
  "contaminated-text": contaminatedText,
  "contaminated-patch": contaminatedPatch,
  "contaminated-repository": contaminatedRepository,

  unresolved,
  "bad-exit": badExit,
  "pre-condensed": preCondensed,
  unrenderable,
  "control-token-text": controlTokenText,
  "call-less-steps": callLessSteps,
  "too-few-steps": tooFewSteps,
  "too-many-steps": tooManySteps,
  "rejected-upstream": rejectedUpstream,
  "too-few-calls": tooFewCalls,
  "too-many-calls": tooManyCalls,
  "fold-too-small": foldTooSmall,
  "fold-ratio-too-low": foldRatioTooLow,
  "fold-ratio-too-high": foldRatioTooHigh,
  ungrounded,
  insufficient,
  leaking,
  "untrue-state": untrueState,
  "failure-lost": failureLost,
  drifting,
  "judged-unsupported": judgedUnsupported,
  "window-exceeded": windowExceeded,
} satisfies Record<string, Filter>;
export type FilterName = keyof typeof filters;
