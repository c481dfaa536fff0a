import { describe, expect, test } from "vitest";
import { editedFilesUnpatched, hasPatch, patchApplies, patchFilesUnseen } from "../../../../stages/filter/conduct/patch.ts";
import { testFilesChanged, testFilesWeakened } from "../../../../stages/filter/conduct/test-files.ts";
import { conductOfRun, conductOfSteps, shellStep } from "../../../fakes/seen.ts";
import { createStep, editStep, trajectoryOf, viewStep } from "../../../fakes/steps.ts";

const patchOf = (
  path: string,
  removed: readonly string[] = ["x = 1"],
  added: readonly string[] = ["x = 2"],
  header: readonly string[] = [],
) =>
  [
    `diff --git a/${path} b/${path}`,
    ...header,
    `--- ${header.some((line) => line.startsWith("new")) ? "/dev/null" : `a/${path}`}`,
    `+++ b/${path}`,
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");

const look = viewStep("/testbed/src/core.py", "     1\tx = 1");
const edit = editStep("/testbed/src/core.py", "x = 1", "x = 2");

describe("the patch", () => {
  test("may be there, be empty, or be unknown", () => {
    expect(hasPatch(conductOfSteps([edit], patchOf("src/core.py")))).toBe(true);
    expect(hasPatch(conductOfSteps([edit], "\n"))).toBe(false);
    expect(hasPatch(conductOfSteps([edit]))).toBeNull();
  });

  test("applies where it solves the task, and where the verifier got as far as the tests", () => {
    const run = trajectoryOf([edit], patchOf("src/core.py"));
    const judged = (resolved: boolean | null, kind: "verifier" | "report", detail: string) =>
      patchApplies(
        conductOfRun({
          ...run,
          outcome: { ...run.outcome, resolved, evidence: resolved === null ? null : { kind, detail, digest: null } },
        }),
      );
    expect(judged(true, "report", "x")).toBe(true);
    expect(judged(false, "verifier", "unresolved: fail-to-pass 0/1, pass-to-pass 3/3")).toBe(true);
    expect(judged(false, "verifier", "patch-does-not-apply: fail-to-pass 0/0, pass-to-pass 0/0")).toBe(false);
    expect(judged(false, "report", "x")).toBeNull();
    expect(judged(null, "report", "")).toBeNull();
  });

  test("is of another run when no call names its files, and says so by how many", () => {
    const both = `${patchOf("src/core.py")}${patchOf("autograd/numpy_vjps.py")}`;
    expect(patchFilesUnseen(conductOfSteps([look, edit], both))).toBe(1);
    expect(patchFilesUnseen(conductOfSteps([look, edit, shellStep("python gen.py autograd/numpy_vjps.py")], both))).toBe(0);
    expect(patchFilesUnseen(conductOfSteps([look, edit]))).toBeNull();
  });

  test("a name that every folder has needs its folder", () => {
    const patch = patchOf("other/__init__.py");
    expect(patchFilesUnseen(conductOfSteps([shellStep("cat src/__init__.py")], patch))).toBe(1);
    expect(patchFilesUnseen(conductOfSteps([shellStep("cat other/__init__.py")], patch))).toBe(0);
  });

  test("lacks work where a file that was edited, and not put back, is not in it", () => {
    const patch = patchOf("src/other.py");
    expect(editedFilesUnpatched(conductOfSteps([look, edit], patch))).toBe(1);
    expect(editedFilesUnpatched(conductOfSteps([look, edit], patchOf("src/core.py")))).toBe(0);
    expect(editedFilesUnpatched(conductOfSteps([look, edit, shellStep("git checkout src/core.py")], patch))).toBe(0);
    expect(editedFilesUnpatched(conductOfSteps([look, edit, shellStep("git stash")], patch))).toBe(0);
    expect(editedFilesUnpatched(conductOfSteps([createStep("/testbed/reproduce.py", "x")], patch))).toBe(0);
    expect(editedFilesUnpatched(conductOfSteps([look, edit]))).toBeNull();
  });
});

describe("tests of the repository", () => {
  const path = "tests/test_core.py";
  const two = ["def test_a():", "    assert run(1) == 2", "def test_b():", "    assert run(2) == 3"];
  const counts = (patch: string) => {
    const conduct = conductOfSteps([look], patch);
    return [testFilesChanged(conduct), testFilesWeakened(conduct)];
  };

  test("are only changed by a patch that adds to them or tells them anew, and not even that by a new file", () => {
    expect(counts(patchOf(path, two.slice(0, 2), two))).toEqual([1, 0]);
    expect(
      counts(
        patchOf(
          path,
          two,
          two.map((line) => line.replace("2", "4")),
        ),
      ),
    ).toEqual([1, 0]);
    expect(counts(patchOf(path, [], two, ["new file mode 100644"]))).toEqual([0, 0]);
    expect(counts(patchOf("src/core.py", two, []))).toEqual([0, 0]);
  });

  test("are weakened by fewer tests, fewer assertions, a skip, or when the file goes", () => {
    expect(counts(patchOf(path, two, two.slice(0, 2)))).toEqual([1, 1]);
    expect(
      counts(
        patchOf(
          path,
          two,
          two.map((line) => line.replace(/assert .*/, "pass")),
        ),
      ),
    ).toEqual([1, 1]);
    expect(counts(patchOf(path, two, ["@pytest.mark.skip", ...two]))).toEqual([1, 1]);
    expect(counts(patchOf(path, two, [], ["deleted file mode 100644"]))).toEqual([1, 1]);
  });

  test("are judged by the calls where there is no patch: what the run made itself is no test of the repository", () => {
    const read = viewStep("/testbed/tests/test_core.py", two.join("\n"));
    const weaker = editStep("/testbed/tests/test_core.py", two.join("\n"), two.slice(0, 2).join("\n"));
    expect(testFilesWeakened(conductOfSteps([read, weaker]))).toBe(1);
    expect(testFilesWeakened(conductOfSteps([read, shellStep("rm tests/test_core.py")]))).toBe(1);
    const own = [
      createStep("/testbed/test_fix.py", two.join("\n")),
      editStep("/testbed/test_fix.py", two.join("\n"), ""),
      shellStep("cd /testbed && rm test_fix.py"),
    ];
    expect([testFilesChanged(conductOfSteps(own)), testFilesWeakened(conductOfSteps(own))]).toEqual([0, 0]);
  });
});
