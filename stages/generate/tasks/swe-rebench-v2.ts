import type { TestLogFormat } from "../../../schemas/task-instance.ts";
import { wordAt } from "../lenient.ts";
import { installConfig, isRebenchV2Row, testCommands } from "./lib-install-config.ts";
import { refuse, repositoryIn, rowTask, rowTests, wordOf } from "./lib-row.ts";
import { inOrder } from "./lib-tests.ts";
import type { TaskReader } from "./reader.ts";

/**
 * SWE-rebench-V2, twenty languages: `install_config` names the commands and the parser, `image_name` the image, whose repository lies at
 * `/<name of the repository>` (`scripts/eval.py` of SWE-rebench/SWE-rebench-V2 at dd8b58f, MIT; it also resets the tree first, as `prepare` does).
 */
export const sweRebenchV2: TaskReader = {
  name: "swe-rebench-v2",
  recognises: isRebenchV2Row,
  read(value) {
    const tests = rowTests(value);
    const config = installConfig(value);
    const parser = wordOf(config, "log_parser");
    const command = testCommands(config);
    const log = logs[parser] ?? (parser === "parse_log_js_4" ? symbolRunner(command.join("\n")) : undefined);
    if (log === undefined)
      return refuse(
        `install_config.log_parser: ${parser} (${wordAt(value, "language") ?? "no language given"}) is none that our log formats read`,
      );
    const workdir = `/${(repositoryIn(value) ?? wordOf(value, "repo")).replace(/^.*\//, "")}`;
    return rowTask(value, {
      ...tests,
      failToPass: tests.failToPass.map(withoutTiming),
      passToPass: tests.passToPass.map(withoutTiming),
      command: inOrder(command),
      log,
      source: "swe-rebench-v2",
      image: wordOf(value, "image_name"),
      workdir,
      prepare: "git reset --hard HEAD",
      files: [],
    });
  },
};

/**
 * `parse_log_js_4` takes every line that begins with a tick or a cross for a test named by the rest of it, whichever runner printed it. Where
 * the command names one of ours, its reader finds the same names (jest's by their own titles, vitest's by their paths).
 */
const symbolRunner = (command: string): TestLogFormat | undefined =>
  /\bvitest\b/.test(command) ? "vitest" : /\bjest\b/.test(command) ? "jest" : undefined;

/** Of the dataset's parsers those whose logs and names are ours. `parse_log_js`, `_2` read mocha's words, `_3` TAP of any origin: not ours. */
const logs: Readonly<Record<string, TestLogFormat>> = {
  parse_log_pytest: "pytest",
  parse_log_pytest_v2: "pytest",
  parse_log_pytest_options: "pytest",
  parse_log_jest: "jest",
  parse_log_vitest: "vitest",
  parse_log_gotest: "go-test",
  parse_log_cargo: "cargo-test",
  parse_log_maven: "maven",
  parse_java_mvn: "maven",
  parse_java_mvn_v2: "maven",
};

/** Some runners print how long a test took behind its name (`(3 ms)`, `in 29.08 msec`); the dataset's own comparison drops that on both sides. */
const withoutTiming = (name: string): string => name.replace(/\s+in\s+[\d.]+ m?sec\b|\s*[([] *[\d.]+ ?m?s *[)\]]\s*$/gi, "").trim();
