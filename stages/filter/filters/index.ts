import { badExit } from "./bad-exit.ts";
import { brokenCharacters } from "./broken-characters.ts";
import { brokenEnvironment } from "./broken-environment.ts";
import { callLessSteps } from "./call-less-steps.ts";
import { contaminatedInstance } from "./contaminated-instance.ts";
import { contaminatedPatch } from "./contaminated-patch.ts";
import { contaminatedRepository } from "./contaminated-repository.ts";
import { contaminatedText } from "./contaminated-text.ts";
import { controlCharacters } from "./control-characters.ts";
import { controlTokenText } from "./control-token-text.ts";
import { drifting } from "./drifting.ts";
import { emptyPatch } from "./empty-patch.ts";
import { fabricatedTurns } from "./fabricated-turns.ts";
import { failingCalls } from "./failing-calls.ts";
import { failureLost } from "./failure-lost.ts";
import type { Filter } from "./filter.ts";
import { foldRatioTooHigh } from "./fold-ratio-too-high.ts";
import { foldRatioTooLow } from "./fold-ratio-too-low.ts";
import { foldTooSmall } from "./fold-too-small.ts";
import { foreignScript } from "./foreign-script.ts";
import { gainsTooLittle } from "./gains-too-little.ts";
import { historyRead } from "./history-read.ts";
import { insufficient } from "./insufficient.ts";
import { judgedUnsupported } from "./judged-unsupported.ts";
import { leaking } from "./leaking.ts";
import { looping } from "./looping.ts";
import { malformedCalls } from "./malformed-calls.ts";
import { noOpEdits } from "./no-op-edits.ts";
import { patchMismatch } from "./patch-mismatch.ts";
import { patchNotApplied } from "./patch-not-applied.ts";
import { preCondensed } from "./pre-condensed.ts";
import { rejectedUpstream } from "./rejected-upstream.ts";
import { repeatingCalls } from "./repeating-calls.ts";
import { repeatingMemory } from "./repeating-memory.ts";
import { scrubbedPersonal } from "./scrubbed-personal.ts";
import { scrubbedSecrets } from "./scrubbed-secrets.ts";
import { stuck } from "./stuck.ts";
import { testsChanged } from "./tests-changed.ts";
import { testsWeakened } from "./tests-weakened.ts";
import { timingOut } from "./timing-out.ts";
import { tooFewCalls } from "./too-few-calls.ts";
import { tooFewSteps } from "./too-few-steps.ts";
import { tooManyCalls } from "./too-many-calls.ts";
import { tooManySteps } from "./too-many-steps.ts";
import { ungrounded } from "./ungrounded.ts";
import { unrenderable } from "./unrenderable.ts";
import { unresolved } from "./unresolved.ts";
import { untested } from "./untested.ts";
import { untrueState } from "./untrue-state.ts";
import { webRead } from "./web-read.ts";
import { windowExceeded } from "./window-exceeded.ts";
import { workLeftOut } from "./work-left-out.ts";

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

  stuck,
  looping,
  "repeating-calls": repeatingCalls,
  "failing-calls": failingCalls,
  "malformed-calls": malformedCalls,
  "no-op-edits": noOpEdits,
  untested,
  "empty-patch": emptyPatch,
  "patch-not-applied": patchNotApplied,
  "patch-mismatch": patchMismatch,
  "work-left-out": workLeftOut,
  "tests-changed": testsChanged,
  "tests-weakened": testsWeakened,
  "history-read": historyRead,
  "web-read": webRead,
  "broken-environment": brokenEnvironment,
  "timing-out": timingOut,
  "foreign-script": foreignScript,
  "broken-characters": brokenCharacters,
  "control-characters": controlCharacters,
  "scrubbed-secrets": scrubbedSecrets,
  "scrubbed-personal": scrubbedPersonal,
  "fabricated-turns": fabricatedTurns,
  "gains-too-little": gainsTooLittle,
  "repeating-memory": repeatingMemory,
} satisfies Record<string, Filter>;
export type FilterName = keyof typeof filters;
