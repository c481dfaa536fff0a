import type { TaskHint } from "../../../../stages/generate/tasks/reader.ts";

export const rowHint: TaskHint = { folder: null };

export const folderHint: TaskHint = {
  folder: {
    resolve: (path) => `/home/me/tasks/${path}`.replace("/tasks/../", "/"),
    testFiles: [{ path: "test/hidden/ends.test.js", content: "test();\n" }],
  },
};

/** Stands for the answer wherever a dataset has it; must be in no task. */
export const gold = "return THE_ANSWER";

const answer = `diff --git a/src/sums.py b/src/sums.py\n--- a/src/sums.py\n+++ b/src/sums.py\n@@ -1 +1 @@\n-return 0\n+${gold}\n`;

export const diffOf = (...paths: readonly string[]): string =>
  paths.map((path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1,2 @@\n a\n+b\n`).join("");

const fields = {
  base_commit: "ad6bff35c39a0600fb8f2e176be4269e768e4e22",
  patch: answer,
  hints_text: `somebody wrote: ${gold}`,
  problem_statement: "sum of nothing is wrong\n\nIt should be 0.",
  created_at: "2024-01-02T03:04:05Z",
};

export const sweBenchRow = {
  ...fields,
  repo: "sqlfluff/sqlfluff",
  instance_id: "sqlfluff__sqlfluff-1625",
  version: "0.6",
  test_patch: diffOf("test/rules/sum_test.py", "test/fixtures/sums.yml"),
  FAIL_TO_PASS: '["test/rules/sum_test.py::test_empty"]',
  PASS_TO_PASS: '["test/rules/sum_test.py::test_one[a", "test/rules/sum_test.py::test_two"]',
  environment_setup_commit: "67023b85c41d23d6c6d69812a41b207c4f8a9331",
};

export const djangoRow = {
  ...sweBenchRow,
  repo: "django/django",
  instance_id: "django__django-11019",
  version: "3.0",
  test_patch: diffOf("tests/forms_tests/tests/test_media.py", "tests/forms_tests/data/a.txt", "docs/ref/forms.py"),
  FAIL_TO_PASS: ["test_merge (forms_tests.tests.test_media.FormsMediaTestCase)"],
};

export const goRow = {
  ...fields,
  repo: "caddyserver/caddy",
  instance_id: "caddyserver__caddy-6411",
  version: "6411",
  test_patch: diffOf("replacer_test.go", "modules/http/match_test.go", "modules/http/other_test.go"),
  FAIL_TO_PASS: ["TestReplacer"],
  PASS_TO_PASS: [],
};

export const sweSmithRow = {
  ...fields,
  patch: "diff --git a/pydantic/utils.py b/pydantic/utils.py\n--- a/pydantic/utils.py\n+++ b/pydantic/utils.py\n@@ -1 +1 @@\n-a\n+b",
  repo: "swesmith/pydantic__pydantic.acb0f10f",
  instance_id: "pydantic__pydantic.acb0f10f.func_basic__1mp4v2ik",
  image_name: "jyangballin/swesmith.x86_64.pydantic_1776_pydantic.acb0f10f",
  FAIL_TO_PASS: ["tests/test_utils.py::test_to_snake[CAMELToSnake-camel_to_snake]"],
  PASS_TO_PASS: ["tests/test_main.py::TestModel::test_dump", "tests/test_utils.py::test_import_module"],
};

export const sweRebenchRow = {
  ...sweBenchRow,
  repo: "tobymao/sqlglot",
  instance_id: "tobymao__sqlglot-1234",
  docker_image: "swerebench/sweb.eval.x86_64.tobymao_1776_sqlglot-1234",
  license_name: "MIT License",
  install_config: {
    python: "3.9",
    install: "pip install -e .[dev]",
    log_parser: "parse_log_pytest",
    test_cmd: "pytest --no-header -rA --tb=line --color=no -p no:cacheprovider",
  },
  FAIL_TO_PASS: ["test/rules/sum_test.py::test_empty"],
  PASS_TO_PASS: [],
};

export const sweRebenchV2Row = {
  ...fields,
  repo: "Acme/Go-Things",
  instance_id: "acme__go-things-77",
  language: "go",
  image_name: "docker.io/swerebenchv2/acme-go-things:77-ad6bff3",
  test_patch: diffOf("things_test.go"),
  interface: "",
  install_config: { install: ["go mod download"], log_parser: "parse_log_gotest", test_cmd: ["go vet ./...", "go test -v ./..."] },
  FAIL_TO_PASS: ["TestEmpty (0.01s)"],
  PASS_TO_PASS: ["TestOne", "TestTwo [1.5 ms]"],
};

export const sweGymRow = {
  ...fields,
  repo: "getmoto/moto",
  instance_id: "getmoto__moto-5406",
  version: "4.0",
  test_patch: diffOf("tests/test_dynamodb/test_dynamodb.py"),
  FAIL_TO_PASS: ["tests/test_dynamodb/test_dynamodb.py::test_arn"],
  PASS_TO_PASS: ["tests/test_dynamodb/test_dynamodb.py::test_list"],
};

const summary = (...lines: readonly string[]): string =>
  `collected 3 items\n==== short test summary info ====\n${lines.join("\n")}\n==== done ====\n`;

export const r2eRow = {
  repo_name: "orange3",
  docker_image: "namanjain12/orange3_final:2d9617bd0cb1f0ba61771258410ab8fae8e7e24d",
  commit_hash: "2d9617bd0cb1f0ba61771258410ab8fae8e7e24d",
  problem_statement: "[ISSUE]\n**Title:** merge fails\n\nIt should not.\n[/ISSUE]",
  prompt: `write an issue for ${gold}`,
  modified_files: ["Orange/sums.py"],
  parsed_commit_content: JSON.stringify({ old_commit_hash: "aaaaaaaa", new_commit_hash: "2d9617bd", file_diffs: [{ text: gold }] }),
  execution_result_content: JSON.stringify({
    test_file_codes: ["def test_a(): pass\n"],
    test_file_names: ["test_1.py"],
    old_commit_res_stdout: summary(
      "\u001b[32mPASSED\u001b[0m r2e_tests/test_1.py::TestSum::test_b[x y]",
      "FAILED r2e_tests/test_1.py::TestSum::test_a - assert 0",
    ),
    new_commit_res_stdout: summary(
      "PASSED r2e_tests/test_1.py::TestSum::test_a",
      "PASSED r2e_tests/test_1.py::TestSum::test_b[x y]",
      "FAILED r2e_tests/test_1.py::test_c - x",
    ),
  }),
  expected_output_json: '{"TestSum.test_a": "PASSED"}',
};

export const taskFile = {
  id: "cronwell-month-ends",
  title: "Wrong runs around the ends of months",
  problem: "We use cronwell for billing jobs.\n",
  tree: "../projects/cronwell",
  needs: ["node"],
  licence: "Apache-2.0",
  tests: {
    command: "node --test --test-reporter=tap",
    log: "node-test",
    failToPass: ["month ends"],
    passToPass: ["parses"],
    timeoutMs: 60_000,
  },
};

export const rows = {
  "swe-bench": sweBenchRow,
  "swe-smith": sweSmithRow,
  "swe-rebench": sweRebenchRow,
  "swe-rebench-v2": sweRebenchV2Row,
  "swe-gym": sweGymRow,
  r2e: r2eRow,
  folder: taskFile,
} as const;
