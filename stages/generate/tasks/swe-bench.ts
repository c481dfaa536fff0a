import { wordAt } from "../lenient.ts";
import { isPlainRow } from "./lib-install-config.ts";
import { refuse, repositoryIn, rowTask, rowTests, wordOf } from "./lib-row.ts";
import { filesNamed, testFilesIn, usualRun } from "./lib-tests.ts";
import type { TaskReader } from "./reader.ts";
import { sweBenchRuns } from "./swe-bench-runs.ts";
import { isSweGymRow } from "./swe-gym-runs.ts";

/**
 * SWE-bench, Lite, Verified, Multilingual, and sets of the same shape: `instance_id, repo, base_commit, patch, test_patch,
 * problem_statement, version, FAIL_TO_PASS, PASS_TO_PASS`. Images carry the id with `_1776_` for `__`, which Docker refuses.
 */
export const sweBench: TaskReader = {
  name: "swe-bench",
  recognises: (value) => isPlainRow(value) && !isSweGymRow(value),
  read(value) {
    const tests = rowTests(value);
    const repository = repositoryIn(value) ?? "";
    const changed = testFilesIn(tests.patch);
    const files = changed.length > 0 ? changed : filesNamed([...tests.failToPass, ...tests.passToPass]);
    const known = sweBenchRuns[repository.toLowerCase()];
    const run = known === undefined ? usualRun(files) : known(files, wordAt(value, "version") ?? "");
    if (typeof run === "string") return refuse(run);
    if (run === null)
      return refuse(`no test command is known for ${repository || "this repository"} and test files ${files.join(", ") || "(none)"}`);
    return rowTask(value, { ...tests, ...run, source: "swe-bench", image: imageOf(value), workdir: "/testbed", prepare: null, files: [] });
  },
};

const imageOf = (value: unknown): string =>
  wordAt(value, "image_name") ??
  wordAt(value, "docker_image") ??
  `swebench/sweb.eval.x86_64.${wordOf(value, "instance_id").replaceAll("__", "_1776_").toLowerCase()}:latest`;
