import type { Trajectory } from "../../../schemas/trajectory.ts";
import type { PlaceholderKind } from "../../lib/secrets/placeholder.ts";
import { type Conduct, type ConductSeen, conductOf, type Done, type Place } from "../conduct/conduct.ts";
import { noOpEdits } from "../conduct/edits.ts";
import { failedCalls, malformedPlaces, stuckPlaces } from "../conduct/failing.ts";
import { historyReaders } from "../conduct/history.ts";
import { type EditedFile, unpatchedFiles, unseenPatchFiles } from "../conduct/patch.ts";
import { longestLoop, repeatsOf } from "../conduct/repeats.ts";
import { environmentFailed, timedOut } from "../conduct/surroundings.ts";
import { changedTestFiles, type TestChange, weakenedTestFiles } from "../conduct/test-files.ts";
import { lastEdit } from "../conduct/tests.ts";
import { brokenPlaces, type Counted, controlPlaces, foreignLetters, scrubbedPlaces } from "../conduct/text.ts";
import { webReaders } from "../conduct/web.ts";
import type { LimitName } from "../filters/filter.ts";
import { countedOf, mostSteps, oneLine, wordsAt } from "./evidence-lines.ts";

/** Where the measures of conduct count: every line comes from the function that its number comes from. */

/** Characters of a call and of its answer on a line. Our choice: both fit on a wide terminal. */
const longestCall = 90;
const longestAnswer = 70;

/** The end of an answer, since errors stand last. */
const endOf = (answer: string): string => oneLine(answer.trimEnd().slice(-longestAnswer), longestAnswer).toWellFormed();
const callText = ({ call }: Pick<Done, "call">): string => `${call.name} ${oneLine(call.arguments, longestCall).toWellFormed()}`;
const answerText = ({ call }: Pick<Done, "call">): string => (call.result === null ? "no answer" : JSON.stringify(endOf(call.result)));

const callLine = (one: Done): string => `step ${one.step + 1}: ${callText(one)} -> ${answerText(one)}`;
const callLines = (calls: readonly Done[] | null): string[] => countedOf(calls ?? [], callLine);

/** A step as a whole is named by its last call, or by what it was answered. */
function placeLine({ steps }: Conduct, { step, call }: Place): string {
  const last = steps[step]?.done.at(-1);
  const shown = call ?? last?.call;
  if (shown !== undefined) return `step ${step + 1}: ${callText({ call: shown })} -> ${answerText({ call: shown })}`;
  return `step ${step + 1}: no call, answered ${JSON.stringify(oneLine(steps[step]?.feedback.join(" ") ?? "", longestAnswer).toWellFormed())}`;
}
const placeLines = (conduct: Conduct, places: readonly Place[]): string[] => countedOf(places, (place) => placeLine(conduct, place));

function loopLines(conduct: Conduct): string[] {
  const loop = longestLoop(conduct);
  if (loop === null) return [];
  const round = Array.from({ length: loop.round }, (_, index): Place => ({ step: loop.start + index, call: null }));
  return [
    `steps ${loop.start + 1}-${loop.start + loop.steps} go round, ${loop.round === 1 ? "one step" : `${loop.round} steps`} each time:`,
    ...countedOf(round, (place) => placeLine(conduct, place), mostSteps - 1),
  ];
}

function testRunLines(conduct: Conduct): string[] {
  const last = lastEdit(conduct);
  if (last === null) return [];
  return [`last change, ${callLine(last.change)}`, ...countedOf(last.testRuns, (run) => `test run, ${callLine(run)}`, mostSteps - 1)];
}

const fileLines = (files: readonly string[] | null): string[] => countedOf(files ?? [], (file) => oneLine(file));
const editedLine = (one: EditedFile): string => `${oneLine(one.file, longestCall)}, edited in step ${one.step + 1} by ${callText(one)}`;

const linesIn = (text: string): number => (text === "" ? 0 : text.split("\n").length);
const testFileLine = ({ path, deleted, removed, added }: TestChange): string =>
  `${oneLine(path, longestCall)}: ${deleted ? "deleted" : `-${linesIn(removed)} +${linesIn(added)} lines`}`;

const placeOf = (step: number | null): string => (step === null ? "task" : `step ${step + 1}`);
const textLines = (places: readonly Counted[]): string[] =>
  countedOf(places, ({ step, text, count, first }) => `${placeOf(step)}: ${count}, the first in ${wordsAt(text, first)}`);
const scrubbedLines = (trajectory: Trajectory, kind: PlaceholderKind): string[] =>
  countedOf(
    [...scrubbedPlaces(trajectory, kind)],
    ([value, step]) => `${value} first in ${step === null ? "the task or the patch" : placeOf(step)}`,
  );

/** Lines per threshold, {@link mostSteps} at most. */
const conductEvidence: { readonly [K in LimitName]?: (conduct: Conduct) => string[] } = {
  maxStuckSteps: (conduct) => placeLines(conduct, stuckPlaces(conduct)),
  maxLoopSteps: loopLines,
  maxRepeatedCallShare: (conduct) =>
    countedOf(
      repeatsOf(conduct).repeated,
      (one) => `step ${one.step + 1}, as in step ${one.first + 1}: ${callText(one)} -> ${answerText(one)}`,
    ),
  maxFailedCallShare: (conduct) => callLines(failedCalls(conduct)),
  maxMalformedCalls: (conduct) => placeLines(conduct, malformedPlaces(conduct)),
  maxNoOpEditShare: (conduct) => callLines(noOpEdits(conduct)),
  minTestRunsAfterEdit: testRunLines,
  maxPatchFilesUnseen: (conduct) => fileLines(unseenPatchFiles(conduct)),
  maxEditedFilesUnpatched: (conduct) => countedOf(unpatchedFiles(conduct) ?? [], editedLine),
  maxTestFilesChanged: (conduct) => countedOf(changedTestFiles(conduct), testFileLine),
  maxTestFilesWeakened: (conduct) => countedOf(weakenedTestFiles(conduct), testFileLine),
  maxHistoryReads: (conduct) => callLines(historyReaders(conduct)),
  maxWebReads: (conduct) => callLines(webReaders(conduct)),
  maxEnvironmentFailures: (conduct) => callLines(environmentFailed(conduct)),
  maxTimeouts: (conduct) => callLines(timedOut(conduct)),
  maxForeignScriptShare: ({ trajectory }) => textLines(foreignLetters(trajectory).places),
  maxBrokenCharacters: ({ trajectory }) => textLines(brokenPlaces(trajectory)),
  maxControlCharacters: ({ trajectory }) => textLines(controlPlaces(trajectory)),
  maxScrubbedSecrets: ({ trajectory }) => scrubbedLines(trajectory, "SECRET"),
  maxScrubbedPersonalValues: ({ trajectory }) => scrubbedLines(trajectory, "PERSONAL"),
};

/** The same case is asked for many thresholds, and its run is read once. */
const known = new WeakMap<Trajectory, ConductSeen>();

/** Steps, calls or files that the value of this threshold counts; none for thresholds on anything but conduct. */
export function conductLines(
  name: LimitName,
  { trajectory, rendered }: { readonly trajectory: Trajectory | null; readonly rendered: ConductSeen["rendered"] },
): string[] {
  const lines = conductEvidence[name];
  if (lines === undefined || trajectory === null) return [];
  const there = known.get(trajectory);
  const seen = there?.rendered === rendered ? there : { trajectory, rendered };
  known.set(trajectory, seen);
  return lines(conductOf(seen));
}
