import { textAt, WrongShape, wordAt } from "../lenient.ts";
import { isMirrored, isRow, refuse, repositoryIn, rowTask, rowTests, wordOf } from "./lib-row.ts";
import { fed, filesNamed, inTestbed, type TestRun, words } from "./lib-tests.ts";
import type { TaskReader } from "./reader.ts";

/**
 * SWE-smith: `instance_id` (`owner__repo.commit8.bug__hash`), `repo` (a mirror), `patch`, `FAIL_TO_PASS`, `PASS_TO_PASS`, `image_name`,
 * `problem_statement`. Here `patch` makes the bug, and no image has it: the dataset fetches it as a branch, which a sandbox without
 * network cannot. So it is applied in `prepare`, from standard input. Its inverse is the answer: `prepare` must never be shown to the agent.
 */
export const sweSmith: TaskReader = {
  name: "swe-smith",
  recognises: (value) => isRow(value) && isMirrored(value),
  read(value) {
    const bug = textAt(value, "patch");
    if (!bug?.trim()) throw new WrongShape("patch", "the diff that makes the bug", bug ?? undefined);
    const tests = rowTests(value);
    const run = runOf((repositoryIn(value) ?? "").toLowerCase(), [...tests.failToPass, ...tests.passToPass]);
    if (run === null)
      return refuse(
        `FAIL_TO_PASS: expected pytest's names (path::test), got ${tests.failToPass[0]}; the row states no test command for others`,
      );
    const prepare = fed("git apply --whitespace=nowarn -", bug);
    return rowTask(value, { ...tests, ...run, source: "swe-smith", image: imageOf(value), workdir: "/testbed", prepare, files: [] });
  },
};

/**
 * Test commands that differ from the default. Source: `swesmith/profiles/python.py` of SWE-bench/SWE-smith at 032f1a1, MIT. `-rA` is added, so
 * that a summary names every test. Keys are lower-case.
 */
const commands: Readonly<Record<string, string>> = {
  "mido/mido": "pytest --disable-warnings --color=no --tb=no --verbose -rA -c /dev/null",
  "jax-ml/jax": "pytest --disable-warnings --color=no --tb=no --verbose -rA -n auto",
  "pydantic/pydantic": "/root/.local/bin/uv run pytest --disable-warnings --color=no --tb=no --verbose -rA",
};
const usual = "pytest --disable-warnings --color=no --tb=no --verbose -rA";

/** The files of all named tests are run, those of PASS_TO_PASS too: what the log does not name counts as failed. */
function runOf(repository: string, names: readonly string[]): TestRun | null {
  if (repository === "tornadoweb/tornado") return { command: inTestbed("python -m tornado.test --verbose"), log: "unittest" };
  const files = filesNamed(names);
  return files.length === 0 ? null : { command: inTestbed(words(commands[repository] ?? usual, files)), log: "pytest" };
}

/** Old rows have the bare name (`swesmith.x86_64.owner__repo.commit8`); the images lie under the first author's name. */
function imageOf(value: unknown): string {
  const mirror = wordOf(value, "repo").replace(/^.*\//, "");
  const name = wordAt(value, "image_name") ?? `swesmith.x86_64.${mirror}`;
  return name.includes("/") ? name : `jyangballin/${name.replaceAll("__", "_1776_").toLowerCase()}`;
}
