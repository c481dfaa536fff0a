import { ok, rejected } from "../../stage.ts";
import { type Entry, entry, linesOf, miscounted, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

const symbols: Readonly<Record<string, TestStatus>> = { "✓": "passed", "×": "failed", "↓": "skipped", "□": "skipped" };

/** `a.test.ts > outer > adds` also stands under its path without the file (or the project `|name|` before it). */
const named = (name: string, status: TestStatus): Entry => {
  const at = name.indexOf(" > ");
  return entry(name, status, ...(at < 0 ? [] : [name.slice(at + 3)]));
};

/** ` ✓ a.test.ts > outer > adds 5ms`; a time stands behind every test that ran, in newer versions after two spaces. */
function result(line: string): Entry | null {
  const found = /^ {1,6}([✓×↓□]) (.*)$/.exec(line);
  const status = symbols[found?.[1] ?? ""];
  const text = (found?.[2] ?? "")
    .trimEnd()
    .replace(/ +(?:\d+(?:\.\d+)?m?s|\[skipped\])$/, "")
    .trimEnd();
  return status === undefined || !text.includes(" > ") ? null : named(text, status);
}

/** ` FAIL  a.test.ts > outer > bad`, or ` FAIL  a.test.ts [ a.test.ts ]` for a file that could not be loaded. */
function failure(line: string): Entry | null {
  const name = /^ FAIL {2}(\S.*)$/.exec(line)?.[1]?.trimEnd();
  if (name === undefined) return null;
  return name.includes(" > ") ? named(name, "failed") : entry(name.split(" [ ")[0] ?? name, "error");
}

/** Lines without what vitest shows as a test's output: `stdout | a.test.ts > adds`, the text, an empty line. */
function withoutOutput(lines: readonly string[]): string[] {
  let output = false;
  return lines.filter((line) => {
    if (/^std(?:out|err) \| /.test(line)) output = true;
    else if (line === "") output = false;
    return !output;
  });
}

/**
 * vitest with `--reporter=verbose`: one line per test, `file > outer > adds`. Passes must be as many as its `Tests` line counts. Source: vitest docs,
 * "Reporters"; logs of 3.2 and 4.1, see fixtures.
 */
export const vitest: Verifier = (log) => {
  const lines = withoutOutput(linesOf(log));
  const end = lines.findLastIndex((line) => /^ +Tests {2}(?:\d|no tests)/.test(line));
  if (end < 0) return rejected("expected vitest's line `Tests` with its counts, found none: was the log cut?");
  const results = lines.map(result).filter((one) => one !== null);
  const passed = Number(/(\d{1,9}) passed/.exec(lines[end] ?? "")?.[1] ?? 0);
  const count = results.filter(({ status }) => status === "passed").length;
  if (passed !== count) return rejected(miscounted("vitest", "passed tests", passed, count, "run it with --reporter=verbose"));
  const entries = [...results, ...lines.map(failure).filter((one) => one !== null)];
  return entries.length === 0 ? rejected("vitest ran no test") : ok(resultsOf(entries));
};
