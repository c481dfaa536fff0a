import { wordAt } from "../lenient.ts";
import { refuse, rowTask, rowTests, wordOf } from "./lib-row.ts";
import type { TaskReader } from "./reader.ts";
import { isSweGymRow, sweGymRun } from "./swe-gym-runs.ts";

/** SWE-Gym and SWE-Gym Lite. Images carry the id with `_s_` for `__`. */
export const sweGym: TaskReader = {
  name: "swe-gym",
  recognises: isSweGymRow,
  read(value) {
    const tests = rowTests(value);
    const run = sweGymRun(value, tests.patch);
    if (run === null) return refuse("test_patch: expected a diff with test files, got none that could be run");
    const id = wordOf(value, "instance_id").replaceAll("__", "_s_").toLowerCase();
    const image = wordAt(value, "image_name") ?? `xingyaoww/sweb.eval.x86_64.${id}:latest`;
    return rowTask(value, { ...tests, ...run, source: "swe-gym", image, workdir: "/testbed", prepare: null, files: [] });
  },
};
