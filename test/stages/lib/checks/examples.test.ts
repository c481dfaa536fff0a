import { describe, expect, test } from "vitest";
import type { CheckView } from "../../../../stages/lib/checks/check.ts";
import { survivalOf } from "../../../../stages/lib/checks/drift.ts";
import { type CheckName, checks } from "../../../../stages/lib/checks/index.ts";
import type { RenderedStep } from "../../../../stages/lib/render.ts";

/** One small run, and what each check says of sentences about it. */

const step = (thought: string, command: string, result: string, exitCode: number | null = null): RenderedStep => ({
  thought,
  calls: [{ name: "execute_bash", arguments: JSON.stringify({ command }), result, exitCode, failed: null }],
  feedback: [],
  assistant: thought,
  user: result,
});

const look = step(
  "Let me look at the packer.",
  "grep -n 'class HPacker' /testbed/lib/offsetbox.py",
  "459:class HPacker(PackerBase):\n460:    pad = 1,234\n",
);
const edit = step("I add a guard.", "sed -i '460s/1/2/' /testbed/lib/offsetbox.py", "", 0);
const failing = step(
  "",
  "cd /testbed && python -m pytest tests/test_offsetbox.py",
  "E   ValueError: bad align\nFAILED tests/test_offsetbox.py::test_align - ValueError: bad align\n==== 1 failed, 3 passed in 0.2s ====",
  1,
);
const passing = step("", "cd /testbed && python -m pytest tests/test_offsetbox.py", "==== 4 passed in 0.2s ====", 0);
const later = step(
  "The helper is in `_get_packed_offsets`, as offsetbox.py says.",
  "cat /testbed/lib/later_seen.py",
  "def _get_packed_offsets(): ...",
);

const view = (memory: string, fold: readonly RenderedStep[] = [look, edit, failing], more: Partial<CheckView> = {}): CheckView => ({
  task: "Fix HPacker in /testbed. Do not modify the tests. Python 3.8 must stay supported.",
  previousMemory: null,
  fold,
  recent: [],
  later: [later],
  memory,
  ...more,
});
const words = (check: CheckName, seen: CheckView): string[] => checks[check](seen).findings.map((finding) => finding.words);

describe("grounded", () => {
  test.each([
    "`HPacker` is in `offsetbox.py` (line 459), also written ./lib/offsetbox.py and lib.offsetbox.",
    "Ran `pytest tests/test_offsetbox.py`: ValueError. Three HPackers with 1234 rows.",
    "test_align fails; there is no `missing_helper`.",
    "The cause is probably `_guess_where` in lib/other.py.",
    "Should the tests in lib/unknown.py change?",
  ])("has nothing to say of: %s", (memory) => {
    expect(words("grounded", view(memory))).toEqual([]);
  });

  test.each([
    ["`HPacker` is in `lib/offsetcase.py`.", "lib/offsetcase.py"],
    ["The guard is in `_layout_children`.", "_layout_children"],
    ["`HPacker` (line 512) needs a guard.", "512"],
    ["Ran `pytest tests/test_offsetbox.py --lf`.", "pytest tests/test_offsetbox.py --lf"],
    ["It raised a KeyMissingError.", "KeyMissingError"],
    ["Built with Python 3.12.", "3.12"],
    ["tests/test_offsetbox.py::test_other was run.", "tests/test_offsetbox.py::test_other"],
  ])("minds what was never shown: %s", (memory, offending) => {
    expect(words("grounded", view(memory))).toEqual([offending]);
  });

  test("lets a plan create files, and minds when it takes one for granted", () => {
    expect(words("grounded", view("## Next steps\n- Create tests/test_guard.py and run `pytest tests/test_guard.py`."))).toEqual([]);
    expect(words("grounded", view("## Next steps\n- Read lib/transforms.py."))).toEqual(["lib/transforms.py"]);
  });
});

describe("no-leak and sufficient", () => {
  test("a name that only later steps show is a leak, and nobody can say so while condensing", () => {
    const memory = "The helper is `_get_packed_offsets`.";
    expect(words("no-leak", view(memory))).toEqual(["_get_packed_offsets"]);
    expect(words("no-leak", view(memory, undefined, { later: null }))).toEqual([]);
  });

  test("what later steps use and only the fold had shown must still be told", () => {
    expect(words("sufficient", view("Nothing."))).toEqual(["offsetbox.py"]);
    expect(words("sufficient", view("See offsetbox.py."))).toEqual([]);
  });
});

describe("state-true", () => {
  test.each([
    "Tests: 1 failed, 3 passed.",
    "`pytest tests/test_offsetbox.py` failed with ValueError.",
    "Modified `lib/offsetbox.py`.",
    "Initially all tests passed.",
  ])("agrees: %s", (memory) => {
    expect(words("state-true", view(memory))).toEqual([]);
  });

  test.each([
    "All tests pass.",
    "`pytest tests/test_offsetbox.py` passed.",
    "Tests: 0 failed, 9 passed.",
    "CHANGES: None yet",
    "Created `lib/brand_new.py`.",
  ])("contradicts: %s", (memory) => {
    expect(words("state-true", view(memory))).toHaveLength(1);
  });

  test("what is told of now is told of the last run", () => {
    const memory = "`pytest tests/test_offsetbox.py` currently fails.";
    expect(words("state-true", view(memory, [look, failing]))).toEqual([]);
    expect(words("state-true", view(memory, [failing, passing]))).toEqual([memory]);
  });

  test("what was not run again is told as the previous memory told it", () => {
    const before = "- `make docs` failed: no rule";
    expect(words("state-true", view("- `make docs` failed: no rule", [look], { previousMemory: before }))).toEqual([]);
    expect(words("state-true", view("- `make docs` passed: no rule", [look], { previousMemory: before }))).toHaveLength(1);
  });
});

describe("failure-keeping", () => {
  test("a run that failed last is told, or it is a finding; once it works, nobody asks", () => {
    expect(words("failure-keeping", view("test_align fails with a ValueError."))).toEqual([]);
    expect(words("failure-keeping", view("A guard was added; good progress."))).toHaveLength(1);
    expect(words("failure-keeping", view("A guard was added.", [failing, passing]))).toEqual([]);
    expect(words("failure-keeping", view("A guard was added.", [failing], { recent: [passing] }))).toEqual([]);
  });
});

describe("drift", () => {
  test("a rule of Q may be told, not turned round or altered", () => {
    expect(words("drift", view("Do not modify the tests; Python 3.8 must stay supported."))).toEqual([]);
    expect(words("drift", view("The tests may be modified."))).toHaveLength(1);
    expect(words("drift", view("Python 3.6 must stay supported."))).toHaveLength(1);
  });

  test("a rule that only the previous memory held may not be lost", () => {
    const previousMemory = "## Facts and constraints\n- Migrations must never touch the billing schema directly.";
    expect(words("drift", view(previousMemory, [look], { previousMemory }))).toEqual([]);
    expect(words("drift", view("Nothing.", [look], { previousMemory }))).toHaveLength(1);
  });

  test("facts that survive a hop are counted", () => {
    const previousMemory = "`alpha_one` in lib/a.py, `beta_two` in lib/b.py";
    expect(survivalOf({ previousMemory, memory: "`alpha_one` is in lib/a.py." })).toEqual({ facts: 4, kept: 2 });
    expect(survivalOf({ previousMemory: null, memory: "x" })).toEqual({ facts: 0, kept: 0 });
  });
});
