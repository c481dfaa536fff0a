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
    const log = logs[parser];
    if (log === undefined)
      return refuse(
        `install_config.log_parser: ${parser} (${wordAt(value, "language") ?? "no language given"}) is none that our log formats read`,
      );
    const workdir = `/${(repositoryIn(value) ?? wordOf(value, "repo")).replace(/^.*\//, "")}`;
    return rowTask(value, {
      ...tests,
      failToPass: tests.failToPass.map(withoutTiming),
      passToPass: tests.passToPass.map(withoutTiming),
      command: inOrder(testCommands(config)),
      log,
      source: "swe-rebench-v2",
      image: wordOf(value, "image_name"),
      workdir,
      prepare: "git reset --hard HEAD",
      files: [],
    });
  },
};

/** Of the dataset's parsers those whose logs and names are ours. Its `parse_log_js*` read many runners at once and are not. */
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
