import { WrongShape, wordAt } from "../lenient.ts";
import { installConfig, isRebenchRow, testCommands } from "./lib-install-config.ts";
import { refuse, rowTask, rowTests } from "./lib-row.ts";
import { filesNamed, inOrder, inTestbed, testFilesIn, words } from "./lib-tests.ts";
import type { TaskReader } from "./reader.ts";

/**
 * SWE-rebench (V1): SWE-bench's fields, `install_config` (`test_cmd`, `log_parser`) and `docker_image`; Python only. As in SWE-bench the test
 * files of `test_patch` follow the last command (`make_eval_script_list` of its harness, SWE-rebench/SWE-bench-fork).
 */
export const sweRebench: TaskReader = {
  name: "swe-rebench",
  recognises: isRebenchRow,
  read(value) {
    const config = installConfig(value);
    const parser = wordAt(config, "log_parser");
    if (parser !== null && !parser.startsWith("parse_log_pytest"))
      return refuse(`install_config.log_parser: expected parse_log_pytest, got ${parser}, which none of our log formats reads`);
    const image = wordAt(value, "docker_image") ?? wordAt(value, "image_name");
    if (image === null) throw new WrongShape("docker_image", "the name of the instance's image", undefined);
    const tests = rowTests(value);
    const changed = testFilesIn(tests.patch);
    const files = changed.length > 0 ? changed : filesNamed([...tests.failToPass, ...tests.passToPass]);
    const given = testCommands(config);
    const command = inTestbed(inOrder([...given.slice(0, -1), words(given.at(-1) ?? "", files)]));
    return rowTask(value, {
      ...tests,
      command,
      log: "pytest",
      source: "swe-rebench",
      image,
      workdir: "/testbed",
      prepare: null,
      files: [],
    });
  },
};
