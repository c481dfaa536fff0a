import type { TaskInstance, TestFile, TestLogFormat } from "../../../schemas/task-instance.ts";
import { plainRepository, repositoryOf } from "../../lib/decontamination.ts";
import { at, field, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { ReadTask } from "./reader.ts";

/** The SWE-bench harness gives a test run 1,800 s (`run_evaluation --timeout`); the other datasets' rows name no limit. */
export const rowTimeoutMs = 1_800_000;

/** A row of the SWE-bench family: fields of the dataset, not of a run that somebody made on it. */
export const isRow = (value: unknown): boolean =>
  wordAt(value, "instance_id") !== null &&
  wordAt(value, "repo") !== null &&
  wordAt(value, "base_commit") !== null &&
  ["trajectory", "messages", "history", "model_patch"].every((key) => field(value, key) === undefined);

/** SWE-smith's rows point at a mirror (`swesmith/owner__repo.commit8`) or at an image of one. */
export const isMirrored = (value: unknown): boolean =>
  /^swesmith\//i.test(wordAt(value, "repo") ?? "") || /(?:^|\/)swesmith\./i.test(wordAt(value, "image_name") ?? "");

export function jsonIn(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongShape(where, "JSON text", text);
  }
}

export function wordOf(value: unknown, ...path: readonly string[]): string {
  const found = textAt(value, ...path)?.trim();
  if (!found) throw new WrongShape(path.join("."), "a text that is not empty", at(value, ...path));
  return found;
}

/** A list of test names, or its JSON text. */
export function testNames(value: unknown, key: string): string[] {
  const found = field(value, key) ?? [];
  const names = typeof found === "string" ? jsonIn(found, key) : found;
  if (!Array.isArray(names)) throw new WrongShape(key, "a list of test names", names);
  return names.map((name: unknown, index) => {
    if (typeof name !== "string" || name === "") throw new WrongShape(`${key}[${index}]`, "the name of a test", name);
    return name;
  });
}

export interface RowTests {
  readonly failToPass: string[];
  readonly passToPass: string[];
  /** `test_patch`; blank is none. */
  readonly patch: string | null;
}

export function rowTests(value: unknown): RowTests {
  const failToPass = testNames(value, "FAIL_TO_PASS");
  if (failToPass.length === 0)
    throw new WrongShape("FAIL_TO_PASS", "at least one test that fails before the fix (without one nothing can be verified)", []);
  const patch = textAt(value, "test_patch");
  return { failToPass, passToPass: testNames(value, "PASS_TO_PASS"), patch: patch?.trim() ? patch : null };
}

/** What a reader of one dataset adds to the fields that all of them share. */
export interface RowParts extends RowTests {
  readonly source: string;
  readonly image: string;
  readonly workdir: string;
  readonly prepare: string | null;
  readonly command: string;
  readonly log: TestLogFormat;
  readonly files: TestFile[];
}

/** `patch`, the answer, is never looked at here. */
export function rowTask(value: unknown, parts: RowParts): ReadTask {
  const { source, image, workdir, prepare, failToPass, passToPass, patch, command, log, files } = parts;
  const instance = wordOf(value, "instance_id");
  const task: TaskInstance = {
    format: "catgen.task/1",
    source,
    instance,
    repository: repositoryIn(value) ?? repositoryOf(instance),
    baseCommit: wordAt(value, "base_commit"),
    issue: wordOf(value, "problem_statement"),
    environment: { kind: "image", image },
    workdir,
    prepare,
    tests: { command, log, failToPass, passToPass, files, patch, timeoutMs: rowTimeoutMs },
    licence: wordAt(value, "license_name") ?? wordAt(value, "license"),
  };
  return { ok: true, task, needs: [] };
}

/** `owner/name` behind the row's `repo`. */
export function repositoryIn(value: unknown): string | null {
  const repo = wordAt(value, "repo");
  return repo === null ? null : plainRepository(repo);
}

export const refuse = (why: string): ReadTask => ({ ok: false, why });
