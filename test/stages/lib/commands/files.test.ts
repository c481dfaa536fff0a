import { describe, expect, test } from "vitest";
import { fileSet, folderOf, isTestFile, looksPassing } from "../../../../stages/lib/commands/files.ts";

test.each([
  "tests/a.py",
  "/repo/src/test/java/A.java",
  "test_a.py",
  "src/a_test.go",
  "a.spec.ts",
  "src/ATest.java",
  "spec/a_spec.rb",
  "__tests__/a.js",
])("%s holds tests", (path) => {
  expect(isTestFile(path)).toBe(true);
});

test.each(["src/a.py", "contest.py", "src/latest/a.py", "attest.go", "Latest.java.txt", "protester/a.py"])("%s holds none", (path) => {
  expect(isTestFile(path)).toBe(false);
});

test.each(["reproduce_issue.py", "/testbed/debug.py", "test_fix.py", "/tmp/x.py", "verify_fix.js", "a.py.orig", "run.log"])(
  "%s looks like a script that passes, if the agent added it",
  (path) => {
    expect(looksPassing(path)).toBe(true);
  },
);

test.each(["src/core.py", "/tmp/checkout/src/core.py", "tests/test_core.py", "README.md", "Makefile"])("%s looks meant to stay", (path) => {
  expect(looksPassing(path)).toBe(false);
});

test("folders are as written, without a dot in front", () => {
  expect(["a.py", "./src/a.py", "/x/y/a.py", "src/"].map(folderOf)).toEqual(["", "src", "/x/y", "src"]);
});

describe("a set of files", () => {
  test("knows a file by each of its spellings and no other of the same name", () => {
    const files = fileSet();
    files.add("/testbed/src/a.py");
    expect([files.has("src/a.py"), files.has("./src/a.py"), files.has("a.py"), files.has("lib/a.py"), files.has("b.py")]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("takes any number of files of one name in linear time", () => {
    const files = fileSet();
    const start = performance.now();
    for (let index = 0; index < 20_000; index += 1) files.add(`/p${index}/__init__.py`);
    expect(files.has("/p19999/__init__.py")).toBe(true);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
