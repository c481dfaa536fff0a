import fc from "fast-check";
import type { Contamination, Overlap } from "../../schemas/contamination.ts";
import type { BlockMetrics, Metrics, SampleMetrics, TrajectoryMetrics } from "../../schemas/metrics.ts";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { allowedActions } from "../../stages/filter/actions.ts";
import type { Filter, Limits } from "../../stages/filter/filters/filter.ts";
import { filters } from "../../stages/filter/filters/index.ts";
import { uncontaminated } from "./no-evaluation.ts";
import { nothingToCompare } from "./set-metrics.ts";

/** Metrics of any trajectory, near the default thresholds on both sides, and any recipe of filters. */

const count = fc.nat(30);
const sample: fc.Arbitrary<SampleMetrics> = fc.record({ tokens: count, trainedTokens: count, neededTokens: fc.nat(2000) });
const measuredBlock: fc.Arbitrary<Omit<BlockMetrics, "judgedFindings">> = fc.record({
  cut: count,
  gapSteps: count,
  foldTokens: fc.nat(3000),
  previousMemoryTokens: count,
  memoryTokens: count,
  foldRatio: fc.constantFrom(0, 0.01, 0.02, 0.3, 0.7, 0.9),
  windowTokensBefore: count,
  windowTokensAfter: count,
  windowRatio: fc.constant(0.5),
  checks: fc.constantFrom<BlockMetrics["checks"]>({}, { grounded: [10, 1] }, { "no-leak": [9, 3] }),
  findings: fc.constantFrom([], [{ check: "no-leak", words: "later.py", why: "first seen in step 12" }]),
  previousFacts: count,
  keptFacts: count,
  informationGain: fc.constantFrom(null, 0, 0.4),
  repeatedMemoryShare: fc.constantFrom(null, 0, 0.9),
});
const block: fc.Arbitrary<BlockMetrics> = measuredBlock.map((one) => ({ ...one, judgedFindings: [null, 0, 3][one.cut % 3] ?? null }));
const unknownOr = (...values: number[]): fc.Arbitrary<number | null> => fc.constantFrom(null, ...values);
const anyConduct = {
  stuckSteps: count,
  longestLoopSteps: count,
  repeatedCallShare: unknownOr(0, 0.1, 0.5),
  failedCallShare: unknownOr(0, 0.1, 0.5),
  malformedCalls: count,
  noOpEditShare: unknownOr(0, 0.1, 0.5),
  testRunsAfterEdit: unknownOr(0, 1, 5),
  hasPatch: fc.constantFrom(null, true, false),
  patchApplies: fc.constantFrom(null, true, false),
  patchFilesUnseen: unknownOr(0, 1),
  editedFilesUnpatched: unknownOr(0, 1),
  testFilesChanged: fc.nat(2),
  testFilesWeakened: fc.nat(2),
  historyReads: fc.nat(2),
  webReads: unknownOr(0, 1),
  environmentFailures: fc.nat(2),
  timeouts: fc.nat(2),
  foreignScriptShare: unknownOr(0, 0.1),
  brokenCharacters: count,
  controlCharacters: count,
  scrubbedSecrets: count,
  scrubbedPersonalValues: count,
  fabricatedTurns: fc.boolean(),
};
const overlaps: fc.Arbitrary<Overlap[]> = fc
  .constantFrom(null, null, 0.4, 1)
  .map((share) => (share === null ? [] : [{ list: "a", instance: "x__y-1", share }]));
const contamination: fc.Arbitrary<Contamination> = fc.record({
  instance: fc.constantFrom([], [], [], ["a"]),
  repository: fc.constantFrom([], [], [], ["a", "b"]),
  text: overlaps,
  patch: overlaps,
});
const anyTrajectory: fc.Arbitrary<TrajectoryMetrics> = fc.record({
  ...anyConduct,
  resolved: fc.constantFrom(true, true, false, null),
  exit: fc.constantFrom("submitted", "submitted", "error"),
  steps: fc.nat(600),
  callLessSteps: fc.constantFrom(0, 0, 3),
  unrenderable: fc.constantFrom([], [], ["missing-result"]),
  preCondensed: fc.constantFrom(false, false, true),
  controlTokenTexts: fc.constantFrom(0, 0, 2, null),
  baseTokens: fc.option(count, { nil: null }),
  rejectedBy: fc.constantFrom(null, null, "detect: window-exceeded"),
  promptTokens: fc.constant(null),
  promptTokensPerCall: fc.constant(null),
  contamination,
});
/** Half of them fine, or hardly any would get as far as their last call. */
const trajectory = fc.oneof(
  anyTrajectory,
  anyTrajectory.map((any) => ({
    ...any,
    resolved: true,
    exit: "submitted" as const,
    steps: 400,
    unrenderable: [],
    preCondensed: false,
    controlTokenTexts: 0,
    rejectedBy: null,
    contamination: uncontaminated,
  })),
);
export const arbitraryMetrics: fc.Arbitrary<Metrics> = fc.nat(3).chain((calls) =>
  fc.record({
    trajectory,
    blocks: fc.array(block, { minLength: calls, maxLength: calls }),
    segments: fc.array(sample, { minLength: calls + 1, maxLength: calls + 1 }),
    condensations: fc.array(sample, { minLength: calls, maxLength: calls }),
    base: fc.option(sample, { nil: null }),
    dropLast: calls === 0 ? fc.constant(null) : sample,
    set: fc.constant(nothingToCompare),
  }),
);
export const arbitraryLimits: fc.Arbitrary<Limits> = fc
  .record({
    outcome: fc.constantFrom(null, "resolved" as const, "not-failed" as const),
    minSteps: fc.constantFrom(null, 5, 300),
    minContextCalls: fc.constantFrom(null, 0, 1, 2),
    minFoldTokens: fc.constantFrom(null, 1000),
    maxUngroundedShare: fc.constantFrom(null, 0.05, 0.2),
    maxLeaks: fc.constantFrom(null, 2),
    maxJudged: fc.constantFrom(null, 2),
    actions: fc.record(
      Object.fromEntries(
        Object.entries<Filter>(filters).map(([name, filter]) => [
          name,
          fc.constantFrom(...allowedActions(filter), ...allowedActions(filter).filter((one) => one === "drop-last")),
        ]),
      ),
      { requiredKeys: [] },
    ),
    windowTokens: fc.constantFrom(1024, 1900, 2500),
  })
  .map(({ windowTokens, ...set }) => ({ ...FilterRecipe.parse(set), windowTokens }));
