import { describe, expect, test } from "vitest";
import { verifiers } from "../../../../stages/generate/verifiers/index.ts";
import type { TestStatus } from "../../../../stages/generate/verifiers/verifier.ts";

/** What the fixtures, made by today's runners, do not hold: words of other versions, and cases that are tedious to provoke. */

function read(format: keyof typeof verifiers, lines: readonly string[], exitCode: number | null = 0): Record<string, TestStatus> | string {
  const found = verifiers[format](lines.join("\n"), exitCode);
  return found.ok ? Object.fromEntries(found.value) : found.why;
}

describe("pytest", () => {
  test("before version 5.4 the counts said seconds", () => {
    expect(read("pytest", ["a.py::test_b PASSED", "", "=========== 1 passed, 2 warnings in 0.12 seconds ==========="])).toEqual({
      "a.py::test_b": "passed",
    });
  });

  test("processes side by side put the name last", () => {
    const log = [
      "[gw0] [ 50%] PASSED a.py::test_b ",
      "[gw1] [100%] FAILED a.py::test_c ",
      "=== 1 failed, 1 passed in 62.02s (0:01:02) ===",
    ];
    expect(read("pytest", log)).toEqual({ "a.py::test_b": "passed", "a.py::test_c": "failed" });
  });

  test("a name with a space stands, too, under what comes before it, which passes only when all its like do", () => {
    const log = (last: string): string[] => ["= short test summary info =", "PASSED a.py::test_b[x y]", `${last} a.py::test_b[x z]`];
    expect(read("pytest", [...log("PASSED"), "2 passed in 0.1s"])).toMatchObject({ "a.py::test_b[x": "passed" });
    expect(read("pytest", [...log("FAILED"), "1 failed, 1 passed in 0.1s"])).toMatchObject({
      "a.py::test_b[x": "failed",
      "a.py::test_b[x y]": "passed",
    });
  });

  test("the reason of a failure is no part of its name, a dash in its parameters is", () => {
    const log = ["= short test summary info =", "FAILED a.py::test_b[x - y] - assert 1 - 2 == [0]", "1 failed in 0.1s"];
    expect(read("pytest", log)).toEqual({ "a.py::test_b[x - y]": "failed", "a.py::test_b[x": "failed" });
  });

  test("an error inside pytest itself is the run's result", () => {
    expect(
      read("pytest", ["collected 2 items", "INTERNALERROR> Traceback (most recent call last):", "INTERNALERROR> KeyError: 'x'"]),
    ).toEqual({
      "INTERNALERROR> KeyError: 'x'": "error",
    });
  });

  test("a Python that cannot even start pytest is the run's result", () => {
    expect(
      read("pytest", ["Traceback (most recent call last):", '  File "x.py", line 1, in <module>', "SyntaxError: invalid syntax"]),
    ).toEqual({
      "SyntaxError: invalid syntax": "error",
    });
  });
});

describe("unittest", () => {
  const end = (tests: number, verdict: string): string[] => ["", "-".repeat(70), `Ran ${tests} tests in 0.1s`, "", verdict];

  test("two runs in one log are both read, and a failure in either counts", () => {
    const first = ["test_a (m.C) ... ok", "test_b (m.C) ... ok", ...end(2, "OK")];
    const second = ["test_b (m.C) ... FAIL", "=".repeat(70), "FAIL: test_b (m.C)", ...end(1, "FAILED (failures=1)")];
    expect(read("unittest", [...first, ...second])).toEqual({ "test_a (m.C)": "passed", "test_b (m.C)": "failed" });
  });

  test("a test that printed `ok` and was skipped has not passed", () => {
    expect(read("unittest", ["test_a (m.C) ... ok", "skipped 'not here'", "test_b (m.C) ... ok", ...end(2, "OK (skipped=1)")])).toEqual({
      "test_a (m.C)": "skipped",
      "test_b (m.C)": "passed",
    });
  });

  test("a name as Python 3.11 and later print it stands, too, as earlier ones did", () => {
    const log = ["test_a (m.C.test_a) ... ok", "test_b (m.C.test_b) ... FAIL", "=".repeat(70), "FAIL: test_b (m.C.test_b)"];
    expect(read("unittest", [...log, ...end(2, "FAILED (failures=1)")])).toEqual({
      "test_a (m.C.test_a)": "passed",
      "test_b (m.C.test_b)": "failed",
      "test_a (m.C)": "passed",
      "test_b (m.C)": "failed",
    });
  });

  test("words of other programs between name and result are no result", () => {
    expect(read("unittest", ["test_a (m.C) ... WARNING: ERROR", "broken FAIL", "ok", ...end(1, "OK")])).toEqual({
      "test_a (m.C)": "passed",
    });
  });
});

describe("go", () => {
  test("results that go remembers count like others", () => {
    expect(read("go-test", ["=== RUN   TestA", "--- PASS: TestA (0.00s)", "PASS", "ok  \tm/a\t(cached)"])).toEqual({ TestA: "passed" });
  });

  test("a package that panicked has no passes, and stands as broken", () => {
    const log = ["=== RUN   TestA", "--- PASS: TestA (0.00s)", "=== RUN   TestB", "panic: no", "FAIL\tm/a\t0.01s", "FAIL"];
    expect(read("go-test", log)).toEqual({ "m/a": "error" });
  });

  test("a package that a time-out ended has no passes either", () => {
    const log = ["=== RUN   TestA", "--- PASS: TestA (0.00s)", "panic: test timed out after 1s", "FAIL\tm/a\t1.00s"];
    expect(read("go-test", log)).toEqual({ "m/a": "error" });
  });
});

test("lines that were printed break the runner's own count, and then nothing is believed", () => {
  const end = ["", "-".repeat(70), "Ran 1 tests in 0.1s", "", "OK"];
  expect(read("unittest", ["test_a (m.C) ... ok", "test_z (m.C) ... ok", ...end])).toMatch(
    /^expected the 1 tests .* found 2 named .* something else printed/,
  );

  const node = (lines: readonly string[]): string[] => [
    "TAP version 13",
    ...lines,
    "1..1",
    "# tests 1",
    "# suites 0",
    "# pass 1",
    "# duration_ms 1",
  ];
  expect(read("node-test", node(["ok 1 - a"]))).toEqual({ a: "passed" });
  expect(read("node-test", node(["ok 1 - a", "ok 2 - z"]))).toMatch(/^node counts 1 tests, 1 passed; the log names 2, 2 passed/);
  expect(read("node-test", node(["ok 2 - z"]))).toMatch(/^expected TAP result 1 on its level, got "ok 2 - z"/);

  const result = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
  expect(
    read("cargo-test", [
      "running 1 test",
      "test z ... ok",
      result,
      "test a ... FAILED",
      result.replace("ok. 1 passed; 0", "FAILED. 0 passed; 1"),
    ]),
  ).toMatch(/^cargo's "test result: FAILED/);

  expect(read("go-test", ["=== RUN   TestZ", "--- PASS: TestZ (0.00s)", "ok  \tm/z\t0.1s", "FAIL\tm/a\t0.01s"])).toEqual({
    "m/a": "error",
  });
});

describe("maven", () => {
  test("surefire 2 writes the method first", () => {
    const log = [
      "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec <<< FAILURE! - in acme.ATest",
      "adds(acme.ATest)  Time elapsed: 0.01 sec  <<< FAILURE!",
      "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0",
    ];
    expect(read("maven", log)).toMatchObject({ "acme.ATest": "failed", "acme.ATest.adds": "failed", "ATest#adds": "failed" });
  });

  test("a test run alone passes with its build, and not without a test", () => {
    const one = (name: string, tests: number, build: string): string[] => [
      `+ mvn test -Dtest=${name} -q`,
      `[INFO] Tests run: ${tests}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in acme.ATest`,
      `[INFO] Tests run: ${tests}, Failures: 0, Errors: 0, Skipped: 0`,
      `[INFO] BUILD ${build}`,
    ];
    expect(
      read("maven", [...one("ATest#a", 1, "SUCCESS"), ...one("ATest#b", 0, "SUCCESS"), ...one("ATest#c", 1, "FAILURE")]),
    ).toMatchObject({
      "ATest#a": "passed",
      "ATest#b": "skipped",
      "ATest#c": "failed",
    });
  });
});

describe("jest and vitest", () => {
  test("of two tests with one title, one that fails speaks for the title", () => {
    const log = [
      "PASS ./a.test.js",
      "  ✓ adds",
      "FAIL ./b.test.js",
      "  outer",
      "    ✕ adds (2 ms)",
      "",
      "Tests:       1 failed, 1 passed, 2 total",
    ];
    expect(read("jest", log)).toEqual({ adds: "failed", "outer › adds": "failed" });
  });

  test("vitest's names go with and without their file", () => {
    expect(read("vitest", [" ✓ a.test.ts > outer > adds 5ms", "      Tests  1 passed (1)"])).toEqual({
      "a.test.ts > outer > adds": "passed",
      "outer > adds": "passed",
    });
  });
});

test("an exit code is the result of the whole command, unless the shell could not run it", () => {
  expect(read("exit-code", ["FAILED"], 0)).toEqual({ "exit-code": "passed" });
  expect(read("exit-code", ["PASSED"], 1)).toEqual({ "exit-code": "failed" });
  for (const none of [126, 127, null]) expect(read("exit-code", ["PASSED"], none)).toMatch(/^expected the exit code/);
});
