import { beforeAll, describe, expect, test } from "vitest";
import type { TrajectoryMetrics } from "../../../../schemas/metrics.ts";
import type { Trajectory } from "../../../../schemas/trajectory.ts";
import { trajectoryMeasures } from "../../../../stages/filter/measures/trajectory-measures.ts";
import { render } from "../../../../stages/lib/render.ts";
import { uncontaminated } from "../../../fakes/no-evaluation.ts";
import { realRuns, realRunsAreThere } from "../../../fakes/real-runs.ts";
import { personaRecipe } from "../../../invariants/placement.ts";

/** Public runs whose steps a person has read for what is claimed here. */

if (!realRunsAreThere) console.log("skipped: conduct of real runs (there is no folder ../shared/trajectories beside the checkout)");

const files = [
  "openhands-v0-events/multi_swe_bench__examples__output.jsonl",
  "mini-swe-agent/pr854/example_trajectories__astropy__astropy-12907.traj.json",
  "mini-swe-agent/deepseek/deepseek_chat_dev_rerun/pvlib__pvlib-python-1854.traj.json",
  "mini-swe-agent-gemini3/trajs/sphinx-doc__sphinx-9229.traj.json",
  "mini-swe-agent-gemini3/trajs/astropy__astropy-14369.traj.json",
  "openhands-v1-events/a27a4099cb54426485720e4ea3d965f1.events.jsonl",
  "openhands-v1-events/0cf772fbb5534270948762c03f91a259.events.jsonl",
  "openhands-v1-events/d1aff777f21d49b1a21a47f1a1c3b9fd.events.jsonl",
  "openhands-v0-completions/last/django__django-11179.json",
  "cli-sessions/agentcmd__gemini__session-2025-10-27T19-55-981c87cb.json",
  "adp/swe-smith/sample_raw.json",
  "adp/nebius_SWE-agent-trajectories/sample_raw.json",
  "openhands-v1-events/de0bf9a0a218485e85cb5a80c8e3bacc.events.jsonl",
  "mini-swe-agent/deepseek/deepseek_chat_test_1-100/django__django-11179.traj.json",
  "openhands-v1-events/2fede959a09e489bb4c97f4f81c5830a.events.jsonl",
];

type Name = keyof TrajectoryMetrics;
const seen: readonly (readonly [run: string, measure: Name, value: TrajectoryMetrics[Name], why: string])[] = [
  ["ponyc-4588", "stuckSteps", 4, "make, cmake, cmake and apt-get fail at the end, one after the other, and the run stops at its limit"],
  ["ponyc-4593", "stuckSteps", 2, "two replacements that do not match, then it hands in that it could not do it"],
  ["pvlib__pvlib-python-1854", "stuckSteps", 0, "ends with a diff, and hands it in"],
  ["ponyc-4593", "noOpEditShare", 0.9091, "10 of 11 replacements and insertions are refused"],
  ["ponyc-4593", "malformedCalls", 5, "old_str is left out four times, and one command is none of the editor's"],
  ["sphinx-doc__sphinx-9229", "malformedCalls", 10, "ten turns with two to four actions are refused"],
  ["treon-25", "longestLoopSteps", 3, "the same edit three times, with the same syntax error"],
  ["django__django-11179", "repeatedCallShare", 0.125, "of 32 calls four remove the reproduction once more, with the same answer"],
  ["pvlib__pvlib-python-1854", "longestLoopSteps", 0, "no turn is repeated at once"],
  [
    "astropy__astropy-12907/a18508a72a0e",
    "webReads",
    1,
    "pip install --no-deps astropy downloads release 7.2.0, in which the bug is mended",
  ],
  ["d1aff777f21d49b1a21a47f1a1c3b9fd", "historyReads", 0, "git log and git show of commits that HEAD stands on"],
  ["981c87cb-90ef-4c7f-948d-23173ff43e4e", "environmentFailures", 1, "pip: command not found"],
  ["ponyc-4588", "environmentFailures", 1, "apt-get cannot resolve its proxy"],
  [
    "astropy__astropy-12907/a18508a72a0e",
    "environmentFailures",
    0,
    "modules are missing, and a package of that name does not exist; the network works",
  ],
  ["a27a4099cb54426485720e4ea3d965f1", "timeouts", 1, "pip install -e . runs into its 60 seconds"],
  ["arrow-py__arrow.1d70d009", "patchFilesUnseen", 2, "the row's patch is for autograd, the run is on arrow"],
  ["astropy__astropy-14369", "patchFilesUnseen", 1, "pyproject.toml, which the image had changed"],
  ["arrow-py__arrow.1d70d009", "editedFilesUnpatched", 1, "arrow/arrow.py is edited and not in the patch"],
  ["pvlib__pvlib-python-1854", "editedFilesUnpatched", 1, "singlediode.py is made to run with a newer numpy, and left out of the patch"],
  ["pvlib__pvlib-python-1854", "testFilesChanged", 1, "the patch changes pvlib/tests/test_pvsystem.py"],
  ["0cf772fbb5534270948762c03f91a259", "testFilesChanged", 0, "five test scripts, all made by the run and removed by it"],
  ["getmoto__moto", "hasPatch", false, "the row has an empty patch"],
  ["astropy__astropy-14369", "controlCharacters", 1550, "pytest prints in colour"],
  [
    "de0bf9a0a218485e85cb5a80c8e3bacc",
    "testRunsAfterEdit",
    0,
    "pytest stops at its configuration, scripts cannot import astropy or read its text",
  ],
  ["django__django-11179/15195e64d52f", "testRunsAfterEdit", 0, "test_fix.py makes the change, two scripts read its text or try a mock"],
  ["d1aff777f21d49b1a21a47f1a1c3b9fd", "testRunsAfterEdit", 0, "four runs of scripts that try a copy of the function"],
  ["2fede959a09e489bb4c97f4f81c5830a", "testRunsAfterEdit", 0, "three scripts that try copies of the function"],
  [
    "astropy__astropy-14369",
    "testRunsAfterEdit",
    3,
    "three test runs after the last edit of cds.py; what is removed behind them is scratch",
  ],
];

describe.skipIf(!realRunsAreThere)("real runs", () => {
  let runs: Trajectory[] = [];
  beforeAll(async () => {
    runs = await realRuns(files);
  }, 60_000);

  const measured = (run: string, measure: Name, rendered = false): unknown => {
    const found = runs.filter(({ id }) => id.includes(run));
    const [trajectory] = found;
    if (trajectory === undefined) throw new Error(`${run} is not there`);
    const rendering = render(trajectory, personaRecipe({ name: "keep" }));
    const parts = { reasons: [], base: null, segments: null, rejectedBy: null, contamination: uncontaminated };
    return trajectoryMeasures[measure]({ ...parts, trajectory, rendered: rendered && rendering.ok ? rendering.value : null });
  };

  test.each(seen)("%s: %s is %j, since %s", (run, measure, value) => {
    expect(measured(run, measure)).toBe(value);
    expect(measured(run, measure, true)).toBe(value);
  });
});
