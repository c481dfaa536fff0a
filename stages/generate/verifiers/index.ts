import type { TestLogFormat } from "../../../schemas/task-instance.ts";
import { cargoTest } from "./cargo-test.ts";
import { exitCode } from "./exit-code.ts";
import { goTest } from "./go-test.ts";
import { jest } from "./jest.ts";
import { maven } from "./maven.ts";
import { nodeTest } from "./node-test.ts";
import { pytest } from "./pytest.ts";
import { unittest } from "./unittest.ts";
import type { Verifier } from "./verifier.ts";
import { vitest } from "./vitest.ts";

/** Readers of test logs, by the format that a task names. */
export const verifiers: Readonly<Record<TestLogFormat, Verifier>> = {
  pytest,
  unittest,
  jest,
  vitest,
  "node-test": nodeTest,
  "go-test": goTest,
  "cargo-test": cargoTest,
  maven,
  "exit-code": exitCode,
};
