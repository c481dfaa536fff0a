import { describe, expect, test } from "vitest";
import type { TaskInstance } from "../../../../schemas/task-instance.ts";
import { readTask } from "../../../../stages/generate/tasks/read-task.ts";
import { diffOf, djangoRow, goRow, r2eRow, rowHint, sweBenchRow, sweGymRow, sweRebenchRow, sweRebenchV2Row, sweSmithRow } from "./rows.ts";

function taskOf(row: unknown): TaskInstance {
  const read = readTask(row, rowHint);
  if (!read.ok) throw new Error(read.why);
  return read.task;
}

function whyNot(row: unknown): string {
  const read = readTask(row, rowHint);
  if (read.ok) throw new Error("it was read");
  return read.why;
}

const image = (row: unknown): unknown => taskOf(row).environment;

describe("swe-bench", () => {
  test("a row becomes a task with the harness's command, over the test files of the patch alone", () => {
    expect(taskOf(sweBenchRow)).toEqual({
      format: "catgen.task/1",
      source: "swe-bench",
      instance: "sqlfluff__sqlfluff-1625",
      repository: "sqlfluff/sqlfluff",
      baseCommit: "ad6bff35c39a0600fb8f2e176be4269e768e4e22",
      issue: "sum of nothing is wrong\n\nIt should be 0.",
      environment: { kind: "image", image: "swebench/sweb.eval.x86_64.sqlfluff_1776_sqlfluff-1625:latest" },
      workdir: "/testbed",
      prepare: null,
      tests: {
        command: "source /opt/miniconda3/bin/activate && conda activate testbed && pytest -rA test/rules/sum_test.py",
        log: "pytest",
        failToPass: ["test/rules/sum_test.py::test_empty"],
        passToPass: ["test/rules/sum_test.py::test_one[a", "test/rules/sum_test.py::test_two"],
        files: [],
        patch: sweBenchRow.test_patch,
        timeoutMs: 1_800_000,
      },
      licence: null,
    });
  });

  test("Django's files become modules, in the locale that old versions need", () => {
    const { command, log } = taskOf(djangoRow).tests;
    expect(log).toBe("unittest");
    expect(command).toMatch(/PYTHONIOENCODING=utf8 && \.\/tests\/runtests\.py .*--parallel 1 forms_tests\.tests\.test_media$/);
    expect(taskOf({ ...djangoRow, version: "4.2" }).tests.command).not.toContain("LANG");
    expect(taskOf({ ...djangoRow, version: "1.9" }).tests.command).not.toContain("--parallel");
  });

  test("a repository without an entry runs as its language usually does, or is refused by name", () => {
    expect(taskOf(goRow).tests).toMatchObject({ command: "go test -v ./ ./modules/http", log: "go-test" });
    expect(taskOf({ ...goRow, test_patch: diffOf("tests/a.rs") }).tests).toMatchObject({ log: "cargo-test" });
    expect(whyNot({ ...goRow, test_patch: diffOf("src/ATest.java") })).toBe(
      "swe-bench: no test command is known for caddyserver/caddy and test files src/ATest.java",
    );
    expect(whyNot({ ...sweBenchRow, repo: "sympy/sympy", instance_id: "sympy__sympy-1" })).toContain("bin/test");
  });

  test("a deleted test file is not handed to the runner, and a name with a space is one word", () => {
    const deleted =
      "diff --git a/test/old_test.py b/test/old_test.py\ndeleted file mode 100644\n--- a/test/old_test.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    const row = { ...sweBenchRow, test_patch: deleted + diffOf("test/a b's_test.py") };
    expect(taskOf(row).tests.command).toMatch(/pytest -rA 'test\/a b'\\''s_test\.py'$/);
  });

  test("without a test patch the files are those of the test names", () => {
    const { command, patch } = taskOf({ ...sweBenchRow, test_patch: "" }).tests;
    expect(patch).toBeNull();
    expect(command).toMatch(/pytest -rA test\/rules\/sum_test\.py$/);
  });

  test("each thing that is missing is named", () => {
    expect(whyNot({ ...sweBenchRow, FAIL_TO_PASS: "[]" })).toMatch(/^swe-bench: FAIL_TO_PASS: expected at least one test/);
    expect(whyNot({ ...sweBenchRow, FAIL_TO_PASS: null })).toMatch(/FAIL_TO_PASS: expected at least one test/);
    expect(whyNot({ ...sweBenchRow, FAIL_TO_PASS: "['a']" })).toBe("swe-bench: FAIL_TO_PASS: expected JSON text, got the text \"['a']\"");
    expect(whyNot({ ...sweBenchRow, PASS_TO_PASS: { a: 1 } })).toContain("PASS_TO_PASS: expected a list of test names");
    expect(whyNot({ ...sweBenchRow, problem_statement: " \n" })).toContain("problem_statement: expected a text that is not empty");
  });
});

describe("swe-smith", () => {
  test("the bug is put in before the agent starts, and the tests of both lists are run", () => {
    const task = taskOf(sweSmithRow);
    expect(task.repository).toBe("pydantic/pydantic");
    expect(task.environment).toEqual({ kind: "image", image: sweSmithRow.image_name });
    expect(task.prepare).toBe(`git apply --whitespace=nowarn - <<'CATGEN_END'\n${sweSmithRow.patch}\nCATGEN_END`);
    expect(task.tests.patch).toBeNull();
    expect(task.tests.command).toMatch(/uv run pytest .* -rA tests\/test_main\.py tests\/test_utils\.py$/);
  });

  test("a diff that holds the end mark as a line gets another one", () => {
    expect(taskOf({ ...sweSmithRow, patch: "+x\nCATGEN_END\n" }).prepare).toBe(
      "git apply --whitespace=nowarn - <<'CATGEN_END_'\n+x\nCATGEN_END\nCATGEN_END_",
    );
  });

  test("old rows with a bare image name, and rows without one, name the same image", () => {
    expect(image({ ...sweSmithRow, image_name: "swesmith.x86_64.pydantic__pydantic.acb0f10f" })).toEqual(image(sweSmithRow));
    const { image_name: _, ...bare } = sweSmithRow;
    expect(image(bare)).toEqual(image(sweSmithRow));
  });

  test("other runners' names are refused, except tornado's, whose command is known", () => {
    const go = { ...sweSmithRow, repo: "swesmith/gin-gonic__gin.3c12d2a8", FAIL_TO_PASS: ["TestContext"], PASS_TO_PASS: [] };
    expect(whyNot(go)).toContain("expected pytest's names (path::test), got TestContext");
    const tornado = { ...go, repo: "swesmith/tornadoweb__tornado.d5ac65c1", FAIL_TO_PASS: ["test_a (tornado.test.x.Y)"] };
    expect(taskOf(tornado).tests.log).toBe("unittest");
  });
});

describe("swe-rebench", () => {
  test("V1 brings its own command and image; the test files follow the last command", () => {
    const task = taskOf(sweRebenchRow);
    expect(task.environment).toEqual({ kind: "image", image: sweRebenchRow.docker_image });
    expect(task.tests.command).toMatch(/ -p no:cacheprovider test\/rules\/sum_test\.py$/);
    expect(task.licence).toBe("MIT License");
    const two = { ...sweRebenchRow, install_config: JSON.stringify({ test_cmd: ["make", "pytest -rA"] }) };
    expect(taskOf(two).tests.command).toMatch(/&& \(set -e\nmake\npytest -rA test\/rules\/sum_test\.py\n\)$/);
  });

  test("V1 without image, without command or with a parser of its own is refused", () => {
    expect(whyNot({ ...sweRebenchRow, docker_image: null })).toContain("docker_image: expected");
    expect(whyNot({ ...sweRebenchRow, install_config: {} })).toContain("install_config.test_cmd: expected");
    expect(whyNot({ ...sweRebenchRow, install_config: { log_parser: "parse_log_odd" } })).toContain("got parse_log_odd");
  });

  test("V2 runs its commands in order where the image has the repository, and drops times from names", () => {
    const task = taskOf(sweRebenchV2Row);
    expect(task.workdir).toBe("/Go-Things");
    expect(task.prepare).toBe("git reset --hard HEAD");
    expect(task.tests).toMatchObject({
      command: "(set -e\ngo vet ./...\ngo test -v ./...\n)",
      log: "go-test",
      failToPass: ["TestEmpty"],
      passToPass: ["TestOne", "TestTwo"],
    });
  });

  test("V2 names one parser for every runner of JavaScript that prints ticks: the command tells which it is, and else the row is refused", () => {
    const row = (command: string): unknown => ({
      ...sweRebenchV2Row,
      language: "ts",
      install_config: { ...sweRebenchV2Row.install_config, log_parser: "parse_log_js_4", test_cmd: command },
    });
    expect(taskOf(row("npx jest --verbose")).tests.log).toBe("jest");
    expect(taskOf(row("yarn vitest run --reporter=verbose")).tests.log).toBe("vitest");
    expect(whyNot(row("npm test"))).toContain("parse_log_js_4 (ts)");
  });

  test("V2 with a parser that none of our formats equals is refused with parser and language", () => {
    const row = { ...sweRebenchV2Row, language: "c", install_config: { ...sweRebenchV2Row.install_config, log_parser: "parse_log_jq" } };
    expect(whyNot(row)).toContain("parse_log_jq (c)");
  });
});

describe("swe-gym", () => {
  test("a row is told from SWE-bench's by its repository, and its image has _s_", () => {
    const task = taskOf(sweGymRow);
    expect(task.source).toBe("swe-gym");
    expect(task.environment).toEqual({ kind: "image", image: "xingyaoww/sweb.eval.x86_64.getmoto_s_moto-5406:latest" });
    expect(task.tests.command).toMatch(/&& pytest -n0 -rA tests\/test_dynamodb\/test_dynamodb\.py$/);
    expect(taskOf({ ...sweGymRow, environment_setup_commit: "abc" }).source).toBe("swe-bench");
  });

  test("mypy's tests are chosen by the names of their cases", () => {
    const test_patch = `${diffOf("test-data/unit/check-sums.test")}+[case testEmpty]\n [case testOne]\n`;
    const row = { ...sweGymRow, repo: "python/mypy", instance_id: "python__mypy-1", test_patch };
    expect(taskOf(row).tests.command).toMatch(/pytest -n0 -rA -k 'testEmpty or testOne'$/);
  });
});

describe("r2e", () => {
  test("names come from the two logs, tests from the row, and the image's own tests are hidden", () => {
    const task = taskOf(r2eRow);
    expect(task).toMatchObject({
      instance: "biolab__orange3-2d9617bd0cb1f0ba61771258410ab8fae8e7e24d",
      repository: "biolab/orange3",
      baseCommit: "aaaaaaaa",
      issue: "**Title:** merge fails\n\nIt should not.",
    });
    expect(task.tests.failToPass).toEqual(["r2e_tests/test_1.py::TestSum::test_a"]);
    expect(task.tests.passToPass).toEqual(["r2e_tests/test_1.py::TestSum::test_b[x y]"]);
    expect(task.tests.files).toEqual([{ path: "r2e_tests/test_1.py", content: "def test_a(): pass\n" }]);
    expect(task.prepare).toContain("rm -f /r2e_tests/test_1.py");
  });

  test("a repository whose owner is not known, and logs without a change, are refused", () => {
    expect(whyNot({ ...r2eRow, repo_name: "mystery" })).toContain("cannot be told from an evaluation repository");
    const logs = { test_file_names: ["a.py"], test_file_codes: ["x"], old_commit_res_stdout: null, new_commit_res_stdout: "" };
    expect(whyNot({ ...r2eRow, execution_result_content: logs })).toContain("no test of its logs fails");
    expect(whyNot({ ...r2eRow, execution_result_content: "{" })).toContain("execution_result_content: expected JSON text");
  });
});

test("what is no task is refused for what it is", () => {
  expect(whyNot({ instance_id: "a__b-1", repo: "a/b", base_commit: "c", messages: [] })).toBe(
    "a run, not a task: import it as a trajectory",
  );
  expect(whyNot({ a__b: true, c__d: false })).toBe("a report of results, not a task");
  expect(whyNot({ instance_id: "instance_a__b-1", before_repo_set_cmd: "git reset" })).toContain("SWE-bench Pro");
  expect(whyNot({ colour: "red" })).toMatch(/^no task instance: expected a row .* got an object with keys colour$/);
});
