import { describe, expect, test } from "vitest";
import { type Action, actionOf, checkOf, isCheck } from "../../../../stages/lib/commands/actions.ts";

const call = (name: string, args: Record<string, unknown>, result = ""): Action =>
  actionOf({ name, arguments: JSON.stringify(args), result, exitCode: null, failed: null });
const bash = (command: string): Action => call("bash", { command });

describe("installing is no check", () => {
  test.each([
    "pip install -e .",
    "pip3 install numpy 2>&1 | tail -5",
    "python -m pip install x",
    "cd /repo && python3 -m pip install -r requirements.txt",
    "sudo apt-get update && apt-get install -y gcc",
    "npm ci",
    "yarn",
    "pnpm add x",
    "poetry install",
    "uv pip install x",
    "uv sync",
    "conda create -n x python=3.9",
    "bundle install",
    "go mod download",
    "cargo fetch",
    "python setup.py develop",
    "python -m venv .venv",
  ])("%s installs", (command) => {
    expect(bash(command)).toMatchObject({ installs: true });
    expect(isCheck(bash(command))).toBe(false);
  });

  test.each([
    "pip install x && pytest",
    "pytest",
    "python install.py",
    "npm run build",
    "poetry run pytest",
    "uv run x.py",
    "make install-deps",
  ])("%s does more or other", (command) => {
    expect(bash(command).installs).toBe(false);
    expect(isCheck(bash(command))).toBe(true);
  });

  test("what only looks is neither", () => {
    expect(
      ["pip list", "ls", "git status", "python -m pytest --version"].map((command) => [bash(command).installs, isCheck(bash(command))]),
    ).toEqual(Array.from({ length: 4 }, () => [false, false]));
  });
});

describe("scripts and test files that are run", () => {
  test.each([
    ["python reproduce.py --x 1", ["reproduce.py"]],
    ["cd /a && timeout 60 python3.9 ./b/c.py input.py", ["./b/c.py"]],
    ["./run.sh", ["./run.sh"]],
    ["bash scripts/check.sh", ["scripts/check.sh"]],
    ["node --test test/a.test.js", ["test/a.test.js"]],
    ["pytest tests/a.py::test_b tests/c.py -k d", ["tests/a.py", "tests/c.py"]],
    ["python -m pytest -x tests/a.py", ["tests/a.py"]],
    ["python -m unittest", []],
    ["go test ./...", []],
    ["python -c 'import a'", []],
    ["cat a.py", []],
  ])("%s", (command, runs) => {
    expect(bash(command).runs).toEqual(runs);
  });

  test("tools for tests name them, too", () => {
    expect(call("RunTests", { test_files: ["tests/a.py"] }).runs).toEqual(["tests/a.py"]);
  });
});

test.each([
  ["rm -rf reproduce.py test_*.py", ["reproduce.py", "test_*.py"]],
  ["git rm a.py", ["a.py"]],
  ["mv a.py b.py", []],
])("%s removes %j", (command, removes) => {
  expect(bash(command).removes).toEqual(removes);
});

test("a tool that deletes removes its file", () => {
  expect(call("delete_file", { path: "a.py" })).toMatchObject({ kind: "edit", files: ["a.py"], removes: ["a.py"] });
});

test("a commit is parsed, not read off the words", () => {
  expect(
    ["git commit -m x", "git -C /a -c user.name=b commit -am x", "cd /a && git add . && git commit -m y"].map((one) => bash(one).commits),
  ).toEqual([true, true, true]);
  expect(["git log", "echo git commit", "git show commit"].map((one) => bash(one).commits)).toEqual([false, false, false]);
});

describe("what a script will write", () => {
  const text = "from pathlib import Path\nPath('core.py').write_text('y')\n";

  test("is known when it is written, by here-document or by editor", () => {
    expect(bash(`cat > fix.py <<'EOF'\n${text}EOF`)).toMatchObject({ kind: "edit", files: ["fix.py"], writesWhenRun: ["core.py"] });
    expect(call("str_replace_editor", { command: "create", path: "fix.py", file_text: text }).writesWhenRun).toEqual(["core.py"]);
    expect(call("Write", { file_path: "fix.py", content: text }).writesWhenRun).toEqual(["core.py"]);
  });

  test("is written when the same line runs it", () => {
    expect(bash(`cat > fix.py <<'EOF'\n${text}EOF\npython3 fix.py`)).toMatchObject({ kind: "run", files: ["fix.py", "core.py"] });
    expect(bash(`cat > fix.py <<'EOF'\n${text}EOF\npython3 other.py`).files).toEqual(["fix.py"]);
  });
});

test("one check has one spelling", () => {
  expect(checkOf(bash("cd /a && pytest a.py 2>&1 | tail -5"))).toBe(checkOf(bash("pytest a.py")));
});

test("agents that type their tools into the shell are understood", () => {
  const open = "[File: /repo/a.py (9 lines total)]\n1:x\n(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$";
  expect(call("execute_bash", { command: 'open(path="/repo/a.py")' }, open)).toMatchObject({ kind: "explore", reads: ["/repo/a.py"] });
  expect(call("execute_bash", { command: 'edit(start_line=1, end_line=1, replacement_text="y")' }, open)).toMatchObject({
    kind: "edit",
    files: ["/repo/a.py"],
  });
  expect(call("execute_bash", { command: "submit()" })).toMatchObject({ kind: "submit" });
  expect(call("execute_bash", { command: "f(x=1) { ls; }" }).kind).not.toBe("edit");
});
