import type { TrajectoryMetrics } from "../../../schemas/metrics.ts";
import { conductOf } from "../conduct/conduct.ts";
import { noOpEditShare } from "../conduct/edits.ts";
import { failedCallShare, malformedCalls, stuckSteps } from "../conduct/failing.ts";
import { historyReads } from "../conduct/history.ts";
import { editedFilesUnpatched, hasPatch, patchApplies, patchFilesUnseen } from "../conduct/patch.ts";
import { longestLoopSteps, repeatedCallShare } from "../conduct/repeats.ts";
import { environmentFailures, timeouts } from "../conduct/surroundings.ts";
import { testFilesChanged, testFilesWeakened } from "../conduct/test-files.ts";
import { testRunsAfterEdit } from "../conduct/tests.ts";
import { brokenCharacters, controlCharacters, foreignScriptShare, scrubbedPersonalValues, scrubbedSecrets } from "../conduct/text.ts";
import { webReads } from "../conduct/web.ts";
import { type Measure, promptTokens, type Seen } from "./measure.ts";

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const allPrompts = (seen: Seen): number[] | null => seen.segments?.flatMap(promptTokens) ?? null;

function promptDistribution(seen: Seen): TrajectoryMetrics["promptTokens"] {
  const prompts = allPrompts(seen);
  return prompts === null ? null : { calls: prompts.length, sum: total(prompts), max: prompts.reduce((a, b) => Math.max(a, b), 0) };
}

/** Per trajectory. Units and sources stand at the fields of `TrajectoryMetrics`. */
export const trajectoryMeasures: { readonly [K in keyof TrajectoryMetrics]: Measure<Seen, TrajectoryMetrics[K]> } = {
  resolved: (seen) => seen.trajectory.outcome.resolved,
  exit: (seen) => seen.trajectory.outcome.exit,
  steps: (seen) => seen.trajectory.steps.length,
  callLessSteps: (seen) => seen.trajectory.steps.slice(0, -1).filter((step) => step.calls.length === 0).length,
  unrenderable: (seen) => [...seen.reasons],
  preCondensed: (seen) => seen.trajectory.marks.includes("pre-condensed"),
  controlTokenTexts: (seen) => seen.rendered?.controlTexts ?? null,
  baseTokens: (seen) => (seen.base === null ? null : total(seen.base.turns.map((turn) => turn.tokens))),
  rejectedBy: (seen) => seen.rejectedBy,
  promptTokens: promptDistribution,
  promptTokensPerCall: allPrompts,
  stuckSteps: (seen) => stuckSteps(conductOf(seen)),
  longestLoopSteps: (seen) => longestLoopSteps(conductOf(seen)),
  repeatedCallShare: (seen) => repeatedCallShare(conductOf(seen)),
  failedCallShare: (seen) => failedCallShare(conductOf(seen)),
  malformedCalls: (seen) => malformedCalls(conductOf(seen)),
  noOpEditShare: (seen) => noOpEditShare(conductOf(seen)),
  testRunsAfterEdit: (seen) => testRunsAfterEdit(conductOf(seen)),
  hasPatch: (seen) => hasPatch(conductOf(seen)),
  patchApplies: (seen) => patchApplies(conductOf(seen)),
  patchFilesUnseen: (seen) => patchFilesUnseen(conductOf(seen)),
  editedFilesUnpatched: (seen) => editedFilesUnpatched(conductOf(seen)),
  testFilesChanged: (seen) => testFilesChanged(conductOf(seen)),
  testFilesWeakened: (seen) => testFilesWeakened(conductOf(seen)),
  historyReads: (seen) => historyReads(conductOf(seen)),
  webReads: (seen) => webReads(conductOf(seen)),
  environmentFailures: (seen) => environmentFailures(conductOf(seen)),
  timeouts: (seen) => timeouts(conductOf(seen)),
  foreignScriptShare: (seen) => foreignScriptShare(seen.trajectory),
  brokenCharacters: (seen) => brokenCharacters(seen.trajectory),
  controlCharacters: (seen) => controlCharacters(seen.trajectory),
  scrubbedSecrets: (seen) => scrubbedSecrets(seen.trajectory),
  scrubbedPersonalValues: (seen) => scrubbedPersonalValues(seen.trajectory),
  fabricatedTurns: (seen) => seen.trajectory.marks.includes("fabricated-turns"),
  contamination: (seen) => seen.contamination,
};
