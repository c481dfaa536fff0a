import { type Outcome, ok, rejected } from "../../stage.ts";
import { counts, type Tree } from "./lib-tree.ts";
import type { TestStatus } from "./verifier.ts";

const symbols: Readonly<Record<string, TestStatus>> = { "✔": "passed", "✖": "failed", "﹣": "skipped", "⚠": "skipped" };

interface Line {
  readonly level: number;
  /** null: opens a test whose result comes after its children. */
  readonly status: TestStatus | null;
  readonly name: string;
}

/** `  ✔ name (1.2ms)`, `﹣ name (0.1ms) # SKIP`, `▶ name`, up to Node 20.12 also `▶ name (1.2ms)` where a suite ends. */
function read(line: string): Line | null {
  const found = /^( *)([✔✖﹣⚠▶]) (.*)$/u.exec(line);
  if (found === null) return null;
  const [, indent = "", symbol = "", text = ""] = found;
  const took = / \(\d+(?:\.\d+)?ms\)(?= # |$)/.exec(text);
  const name = took === null ? text : text.slice(0, took.index);
  const remark = took !== null && took.index + took[0].length < text.length; // skipped, or to be done
  const status = symbol === "▶" ? (took === null ? null : "passed") : remark ? "skipped" : (symbols[symbol] ?? "failed");
  return { level: indent.length / 2, status, name };
}

const number = (lines: readonly string[], word: string): number =>
  Number(/^ℹ [a-z]+ (\d{1,9})$/.exec(lines.findLast((line) => line.startsWith(`ℹ ${word} `)) ?? "")?.[1] ?? Number.NaN);

export const isSpecTotal = (line: string): boolean => /^ℹ tests \d{1,9}$/.test(line);

/** A suite has no result of its own in older versions: the worst of what is in it. */
const worstOf = (own: TestStatus, children: readonly Tree[]): TestStatus =>
  own === "passed" && children.some(({ status }) => status === "failed") ? "failed" : own;

/**
 * node's spec reporter. It does not tell suites from tests with parts, so both together must be as many as node counts: a line that a test printed
 * makes one too many.
 */
export function nodeSpec(lines: readonly string[]): Outcome<readonly Tree[]> {
  const end = lines.findLastIndex(isSpecTotal);
  if (end < 0) return rejected("expected node's totals (`# tests` or `ℹ tests`) at the end, found none: was the log cut?");
  const levels: Tree[][] = [[]];
  for (const line of lines.slice(0, end)) {
    const found = read(line);
    if (found === null || found.status === null) continue;
    const { level, name, status } = found;
    if (!Number.isInteger(level)) continue; // stands in the text of an error
    while (levels.length <= level) levels.push([]);
    const children = levels.slice(level + 1).flat();
    levels[level]?.push({ name, status: worstOf(status, children), suite: false, children });
    levels.length = level + 1;
  }
  const totals = lines.slice(end);
  const [tests, suites, pass] = ["tests", "suites", "pass"].map((word) => number(totals, word));
  const named = counts(levels[0] ?? []);
  const all = (tests ?? Number.NaN) + (suites ?? Number.NaN);
  return levels.length === 1 && named.tests === all && named.pass >= (pass ?? Number.NaN)
    ? ok(levels[0] ?? [])
    : rejected(
        `node counts ${tests} tests and ${suites} suites, ${pass} passed; the log names ${named.tests}, ${named.pass} passed: something else printed results`,
      );
}
