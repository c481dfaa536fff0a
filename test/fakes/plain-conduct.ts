import type { BlockMetrics, TrajectoryMetrics } from "../../schemas/metrics.ts";

/** Measures of a run whose conduct is beyond reproach: every filter passes it. */
export const plainConduct = {
  stuckSteps: 0,
  longestLoopSteps: 0,
  repeatedCallShare: 0,
  failedCallShare: 0.1,
  malformedCalls: 0,
  noOpEditShare: 0,
  testRunsAfterEdit: 2,
  hasPatch: true,
  patchApplies: true,
  patchFilesUnseen: 0,
  editedFilesUnpatched: 0,
  testFilesChanged: 0,
  testFilesWeakened: 0,
  historyReads: 0,
  webReads: 0,
  environmentFailures: 0,
  timeouts: 0,
  foreignScriptShare: 0,
  brokenCharacters: 0,
  controlCharacters: 0,
  scrubbedSecrets: 0,
  scrubbedPersonalValues: 0,
  fabricatedTurns: false,
} satisfies Partial<TrajectoryMetrics>;

/** The same of a context call. */
export const plainMemory = { informationGain: 0.5, repeatedMemoryShare: 0.2 } satisfies Partial<BlockMetrics>;
