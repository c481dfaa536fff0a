import type { TaskInstance, TestFile } from "../../../schemas/task-instance.ts";
import { shellWord } from "../../lib/shell-quote.ts";
import { field, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import { jsonIn, refuse, rowTimeoutMs, wordOf } from "./lib-row.ts";
import { words } from "./lib-tests.ts";
import type { TaskReader } from "./reader.ts";

/**
 * R2E-Gym (full, Subset, Lite): `repo_name` (a short name), `docker_image` (`namanjain12/<repo>_final:<commit>`), `commit_hash` of the fix,
 * `problem_statement`, and as JSON text `execution_result_content` (test files, and pytest's logs of old and new commit) and
 * `parsed_commit_content` (the answer; only the old commit's hash is taken from it). The dataset compares every status with
 * `expected_output_json`, whose names lack the file; we take the names from the two logs, as pytest prints them.
 *
 * The image holds the hidden tests in `/r2e_tests` and `run_tests.sh` in the repository. `prepare` removes the tests and puts the script
 * aside (helpers beside the tests stay, some scripts need them); it must run in the verifier's sandbox too.
 */
export const r2e: TaskReader = {
  name: "r2e",
  recognises: (value) =>
    wordAt(value, "repo_name") !== null && wordAt(value, "docker_image") !== null && field(value, "repo") === undefined,
  read(value) {
    const repository = repositories[wordOf(value, "repo_name").toLowerCase()];
    if (repository === undefined)
      return refuse(
        `repo_name: ${wordAt(value, "repo_name")} is none of R2E-Gym's repositories, and without its owner it cannot be told from an evaluation repository`,
      );
    const record = jsonFields(value, "execution_result_content");
    const before = new Set(passed(textAt(record, "old_commit_res_stdout")));
    const after = passed(textAt(record, "new_commit_res_stdout"));
    const failToPass = after.filter((name) => !before.has(name));
    if (failToPass.length === 0)
      return refuse("execution_result_content: no test of its logs fails at the old commit and passes at the new one");
    const files = testFiles(record);
    const task: TaskInstance = {
      format: "catgen.task/1",
      source: "r2e",
      instance: wordAt(value, "instance_id") ?? `${repository.replace("/", "__")}-${wordOf(value, "commit_hash")}`,
      repository,
      baseCommit: wordAt(jsonFields(value, "parsed_commit_content"), "old_commit_hash"),
      issue: issueOf(wordOf(value, "problem_statement")),
      environment: { kind: "image", image: wordOf(value, "docker_image") },
      workdir: "/testbed",
      prepare: hiding(files),
      tests: {
        command: `cp -rn /r2e_tests/. ${shellWord(folder)} 2>/dev/null; bash ${script}`,
        log: "pytest",
        failToPass,
        passToPass: after.filter((name) => before.has(name)),
        files,
        patch: null,
        timeoutMs: rowTimeoutMs,
      },
      licence: null,
    };
    return { ok: true, task, needs: [] };
  },
};

/** Where the dataset's script looks for the tests, relative to the repository. */
const folder = "r2e_tests";
const script = "/root/r2e_run_tests.sh";

const hiding = (files: readonly TestFile[]): string =>
  [
    words("rm -rf", [folder, ".pytest_cache", "/r2e_tests/__pycache__"]),
    words(
      "rm -f",
      files.map((file) => `/${file.path}`),
    ),
    `if [ -f run_tests.sh ]; then mv run_tests.sh ${script}; fi`,
  ].join(" && ");

/** R2E-Gym names repositories without their owners. */
const repositories: Readonly<Record<string, string>> = {
  aiohttp: "aio-libs/aiohttp",
  bokeh: "bokeh/bokeh",
  coveragepy: "nedbat/coveragepy",
  datalad: "datalad/datalad",
  numpy: "numpy/numpy",
  orange3: "biolab/orange3",
  pandas: "pandas-dev/pandas",
  pillow: "python-pillow/Pillow",
  pyramid: "Pylons/pyramid",
  scrapy: "scrapy/scrapy",
  statsmodels: "statsmodels/statsmodels",
  sympy: "sympy/sympy",
  tornado: "tornadoweb/tornado",
};

function jsonFields(value: unknown, key: string): unknown {
  const found = field(value, key);
  const parsed = typeof found === "string" ? jsonIn(found, key) : found;
  if (!isFields(parsed)) throw new WrongShape(key, "an object or its JSON text", found);
  return parsed;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours start with one
const colours = /\u001b\[[0-9;]*m/g;

/** Names behind `PASSED` in pytest's short summary (`-rA`), in its order, each once. */
function passed(log: string | null): string[] {
  const lines = (log ?? "").replace(colours, "").split(/\r?\n/);
  const summary = lines.slice(lines.findIndex((line) => line.includes("short test summary info")) + 1);
  return [...new Set(summary.flatMap((line) => /^PASSED (.+\S)\s*$/.exec(line)?.[1] ?? []))];
}

function testFiles(record: unknown): TestFile[] {
  const names = listAt(record, "test_file_names") ?? [];
  const contents = listAt(record, "test_file_codes") ?? [];
  if (names.length === 0 || names.length !== contents.length)
    throw new WrongShape("execution_result_content", "as many test_file_codes as test_file_names, and at least one", {
      names: names.length,
      contents: contents.length,
    });
  return names.map((name, index) => {
    const content = contents[index];
    if (typeof name !== "string" || typeof content !== "string")
      throw new WrongShape(`test_file_codes[${index}]`, "a test file as text", content);
    return { path: `${folder}/${name.replace(/^.*\//, "")}`, content };
  });
}

/** The issue proper lies between marks. */
const issueOf = (statement: string): string => (/\[ISSUE\]([\s\S]*)\[\/ISSUE\]/.exec(statement)?.[1] ?? statement).trim();
