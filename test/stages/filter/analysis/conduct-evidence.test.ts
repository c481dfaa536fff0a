import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrajectoryMetrics } from "../../../../schemas/metrics.ts";
import type { Step, Trajectory } from "../../../../schemas/trajectory.ts";
import { conductLines } from "../../../../stages/filter/analysis/conduct-evidence.ts";
import type { LimitName } from "../../../../stages/filter/filters/filter.ts";
import { trajectoryMeasures } from "../../../../stages/filter/measures/trajectory-measures.ts";
import { arbitraryTrajectory } from "../../../fakes/arbitrary-trajectory.ts";
import { uncontaminated } from "../../../fakes/no-evaluation.ts";
import { realRuns, realRunsAreThere } from "../../../fakes/real-runs.ts";
import { callStep, shellStep } from "../../../fakes/seen.ts";
import { bashStep, trajectoryOf, wordStep } from "../../../fakes/steps.ts";

if (!realRunsAreThere) console.log("skipped: evidence of real runs (there is no folder ../shared/trajectories beside the checkout)");

const linesOf = (name: LimitName, trajectory: Trajectory): string[] => conductLines(name, { trajectory, rendered: null });
const linesOfSteps = (name: LimitName, steps: readonly Step[], patch: string | null = null): string[] =>
  linesOf(name, trajectoryOf([...steps], patch));

const edit = (path: string, result = "The file has been edited."): Step =>
  callStep("str_replace_editor", { command: "str_replace", path, old_str: "a", new_str: "b" }, result);
const diff = (path: string, removed = "x", added = "y"): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${removed}\n+${added}\n`;

test("stuck steps are named in the order they were taken, with how each ended", () => {
  const steps = [shellStep("make", "ok"), shellStep("make a", "no rule\nexit 2", 2), shellStep("make b", "no rule b", 2)];
  expect(linesOfSteps("maxStuckSteps", steps)).toEqual([
    'step 2: execute_bash {"command":"make a"} -> "no rule exit 2"',
    'step 3: execute_bash {"command":"make b"} -> "no rule b"',
  ]);
});

test("a loop is named by its steps and by one round of them", () => {
  const steps = [shellStep("pwd"), ...[0, 1, 2].flatMap(() => [shellStep("ls", "a"), shellStep("cat a", "b")])];
  expect(linesOfSteps("maxLoopSteps", steps)).toEqual([
    "steps 2-7 go round, 2 steps each time:",
    'step 2: execute_bash {"command":"ls"} -> "a"',
    'step 3: execute_bash {"command":"cat a"} -> "b"',
  ]);
});

test("a repeated call is named with the step that made it first", () => {
  expect(linesOfSteps("maxRepeatedCallShare", [shellStep("ls", "a"), shellStep("pwd", "/"), shellStep("ls", "a")])).toEqual([
    'step 3, as in step 1: execute_bash {"command":"ls"} -> "a"',
  ]);
});

test("where more count than are shown, the last of four lines says how many", () => {
  const failing = Array.from({ length: 6 }, (_, index) => shellStep(`false ${index}`, `no ${index}`, 1));
  const lines = linesOfSteps("maxFailedCallShare", [shellStep("ls"), ...failing]);
  expect(lines).toEqual([2, 3, 4].map((step) => expect.stringContaining(`step ${step}: `)).concat("and 3 more"));
});

test("a call that nobody could take is named, and a turn that a format error answers", () => {
  const complaint = "Please always provide EXACTLY ONE action in triple backticks, found 0 actions.";
  expect(linesOfSteps("maxMalformedCalls", [callStep("bash", "no json", "?"), wordStep("Hm.", complaint), bashStep("ls", "a")])).toEqual([
    'step 1: bash no json -> "?"',
    expect.stringMatching(/^step 2: no call, answered "Please always provide/),
  ]);
});

test("an edit that changes nothing is named", () => {
  expect(linesOfSteps("maxNoOpEditShare", [edit("/a/b.py"), edit("/a/c.py", "No replacement was performed.")])).toEqual([
    expect.stringMatching(/^step 2: str_replace_editor .*c\.py.* -> "No replacement was performed\."$/),
  ]);
});

test("the last change is named, and the test runs after it", () => {
  const submit = callStep("submit", {}, null);
  const steps = [bashStep("cat src/b.py", "x"), edit("src/b.py"), shellStep("pytest tests", "== 3 passed in 1s =="), submit];
  expect(linesOfSteps("minTestRunsAfterEdit", steps)).toEqual([
    expect.stringMatching(/^last change, step 2: str_replace_editor/),
    'test run, step 3: execute_bash {"command":"pytest tests"} -> "== 3 passed in 1s =="',
  ]);
  expect(linesOfSteps("minTestRunsAfterEdit", [steps[0], steps[1], submit] as Step[])).toHaveLength(1);
});

test("files of the patch are named: those never seen, those left out, tests that change or weaken", () => {
  const steps = [bashStep("cat src/b.py", "x"), edit("src/b.py")];
  const patch = `${diff("lib/ghost_file.py")}${diff("tests/test_b.py", "def test_x(): assert f()", "pass")}`;
  expect(linesOfSteps("maxPatchFilesUnseen", steps, patch)).toEqual(["lib/ghost_file.py", "tests/test_b.py"]);
  expect(linesOfSteps("maxEditedFilesUnpatched", steps, patch)).toEqual([
    expect.stringMatching(/^src\/b\.py, edited in step 2 by str_replace_editor/),
  ]);
  for (const name of ["maxTestFilesChanged", "maxTestFilesWeakened"] as const)
    expect(linesOfSteps(name, steps, patch)).toEqual(["tests/test_b.py: -1 +1 lines"]);
});

test("calls that read history, reach out, run out of time or find their machine broken are named", () => {
  const run: Trajectory = {
    ...trajectoryOf([
      shellStep("git log --all", "commit 0123456789"),
      shellStep("curl https://github.com/acme/web/pull/1", "the fix"),
      shellStep("touch a", "touch: No space left on device", 1),
      shellStep("sleep 99", "", 124),
    ]),
    instance: "acme__web-1",
  };
  expect(linesOf("maxHistoryReads", run)).toEqual([expect.stringMatching(/^step 1: .*git log --all/)]);
  expect(linesOf("maxWebReads", run)).toEqual([expect.stringMatching(/^step 2: .*pull\/1/)]);
  expect(linesOf("maxEnvironmentFailures", run)).toEqual([expect.stringMatching(/^step 3: .*No space left on device"$/)]);
  expect(linesOf("maxTimeouts", run)).toEqual([expect.stringMatching(/^step 4: .*sleep 99/)]);
});

test("characters are named by their step, their number and the words around the first", () => {
  const run = trajectoryOf([bashStep("ls", "a \ufffd b \ufffd"), wordStep("Ну вот", ""), bashStep("ls", "\u001b[31mred\u001b[0m")]);
  expect(linesOf("maxBrokenCharacters", run)).toEqual(['step 1: 2, the first in "a \ufffd b \ufffd"']);
  expect(linesOf("maxForeignScriptShare", run)).toEqual(['step 2: 5, the first in "Ну вот"']);
  expect(linesOf("maxControlCharacters", run)).toEqual([expect.stringMatching(/^step 3: 2, the first in /)]);
});

test("scrubbed values are named by their placeholder and where it comes first", () => {
  const run = trajectoryOf([bashStep("cat k", "[SECRET:github-token:1]"), bashStep("echo [SECRET:github-token:1] [PERSONAL:email:2]", "")]);
  expect(linesOf("maxScrubbedSecrets", run)).toEqual(["[SECRET:github-token:1] first in step 1"]);
  expect(linesOf("maxScrubbedPersonalValues", run)).toEqual(["[PERSONAL:email:2] first in step 2"]);
});

/** Measures that count places one by one, with the threshold whose evidence names them. */
const counts = {
  maxStuckSteps: "stuckSteps",
  maxMalformedCalls: "malformedCalls",
  maxPatchFilesUnseen: "patchFilesUnseen",
  maxEditedFilesUnpatched: "editedFilesUnpatched",
  maxTestFilesChanged: "testFilesChanged",
  maxTestFilesWeakened: "testFilesWeakened",
  maxHistoryReads: "historyReads",
  maxWebReads: "webReads",
  maxEnvironmentFailures: "environmentFailures",
  maxTimeouts: "timeouts",
  maxScrubbedSecrets: "scrubbedSecrets",
  maxScrubbedPersonalValues: "scrubbedPersonalValues",
} as const satisfies { [K in LimitName]?: keyof TrajectoryMetrics };
/** Measures that are a share, or count characters: there is a line exactly where they are not 0. */
const shares = {
  maxLoopSteps: "longestLoopSteps",
  maxRepeatedCallShare: "repeatedCallShare",
  maxFailedCallShare: "failedCallShare",
  maxNoOpEditShare: "noOpEditShare",
  maxForeignScriptShare: "foreignScriptShare",
  maxBrokenCharacters: "brokenCharacters",
  maxControlCharacters: "controlCharacters",
} as const satisfies { [K in LimitName]?: keyof TrajectoryMetrics };

/** How many the lines stand for. */
const said = (lines: readonly string[]): number => {
  const more = /^and (\d+) more$/.exec(lines.at(-1) ?? "")?.[1];
  return more === undefined ? lines.length : lines.length - 1 + Number(more);
};

function isTrueOf(trajectory: Trajectory): void {
  const seen = { trajectory, reasons: [], rendered: null, base: null, segments: null, rejectedBy: null, contamination: uncontaminated };
  for (const [limit, measure] of Object.entries({ ...counts, ...shares })) {
    const value = trajectoryMeasures[measure](seen) ?? 0;
    const lines = linesOf(limit as LimitName, trajectory);
    expect(lines.length, limit).toBeLessThanOrEqual(4);
    expect(
      lines.every((line) => !line.includes("\n") && line.length < 260 && line.isWellFormed()),
      lines.join("\n"),
    ).toBe(true);
    if (limit in counts) expect(said(lines), limit).toBe(value);
    else expect(lines.length > 0, limit).toBe(value > 0);
  }
  const tested = linesOf("minTestRunsAfterEdit", trajectory);
  expect(Math.max(0, said(tested) - 1)).toBe(trajectoryMeasures.testRunsAfterEdit(seen) ?? 0);
}

test("whatever the run, the lines stand for as many as the measure counts", () => {
  fc.assert(fc.property(arbitraryTrajectory({ defects: true, controlTexts: true, longText: 2_000 }), isTrueOf), {
    seed: 733,
    numRuns: 200,
  });
});

describe.skipIf(!realRunsAreThere)("real runs", () => {
  test("the lines stand for as many as the measure counts, in every public run", async () => {
    for (const run of await realRuns()) isTrueOf(run);
  });
});
