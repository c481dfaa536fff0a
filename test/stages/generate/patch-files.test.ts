import { describe, expect, test } from "vitest";
import { forbiddenPaths, pathsIn, runnerConfigIn } from "../../../stages/generate/patch-files.ts";

const edit = (path: string): string =>
  `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n keep\n-old\n+new\n`;

describe("paths that a patch names", () => {
  test("of edits, deletions, additions, renames and changes of mode, with spaces and letters beyond ASCII", () => {
    const patch = [
      edit("src/a b.py"),
      'diff --git "a/gr\\303\\266\\303\\237e.txt" "b/gr\\303\\266\\303\\237e.txt"\nold mode 100644\nnew mode 100755\n',
      "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n",
      "diff --git a/from.py b/to.py\nsimilarity index 100%\nrename from from.py\nrename to to.py\n",
      "diff --git a/logo.png b/logo.png\nindex 1..2\nGIT binary patch\nliteral 0\nHcmV?d00001\n",
      "--- a/plain.c\t2024-01-01 00:00:00\n+++ b/plain.c\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n",
    ].join("");
    expect(pathsIn(patch)).toEqual(["from.py", "größe.txt", "logo.png", "old.py", "plain.c", "src/a b.py", "to.py"]);
  });

  test("not of lines inside hunks that look like headers", () => {
    const patch = "--- a/list.sql\n+++ b/list.sql\n@@ -1,3 +1,3 @@\n keep\n--- a/../comment\n+++ b/../comment\n keep\n";
    expect(pathsIn(patch)).toEqual(["list.sql"]);
  });
});

test("paths out of the repository and of git itself are forbidden, names that only resemble them are not", () => {
  for (const path of ["../x", "a/../../x", ".git/config", "sub/.Git/hooks/x", ".git /x", ".git./x"])
    expect(forbiddenPaths(edit(path)), path).toEqual([path]);
  expect(forbiddenPaths("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n")).toEqual(["/etc/passwd"]);
  expect(forbiddenPaths("diff --git a/x b/x\nrename from x\nrename to ../x\n")).toEqual(["../x"]);
  for (const path of [".github/workflows/a.yml", ".gitignore", "a..b/c", "git/x"]) expect(forbiddenPaths(edit(path)), path).toEqual([]);
});

test("files that steer test runners are known by name, in any folder", () => {
  const steering = [
    "conftest.py",
    "tests/conftest.py",
    "pytest.ini",
    "setup.cfg",
    "tox.ini",
    "pyproject.toml",
    "package.json",
    "web/jest.config.ts",
    "vitest.config.mts",
    "sitecustomize.py",
    "lib/x.pth",
  ];
  for (const path of steering) expect(runnerConfigIn(edit(path)), path).toEqual([path]);
  for (const path of ["src/conftest.pyx", "my-package.json", "src/config.py"]) expect(runnerConfigIn(edit(path)), path).toEqual([]);
});
