import type { Outcome } from "../../stage.ts";
import { ok, rejected } from "../../stage.ts";
import { linesOf, resultsOf } from "./lib-log.ts";
import { isSpecTotal, nodeSpec } from "./lib-node-spec.ts";
import { counts, entriesOf, nested, type Totals, type Tree } from "./lib-tree.ts";
import type { TestResults, TestStatus, Verifier } from "./verifier.ts";

/** `ok 3 - name # SKIP reason`; a `#` of the name is written `\#`. A test to be done (`TODO`) has not passed, whatever it did. */
function result(line: string): (Tree & { readonly number: number; readonly level: number }) | null {
  const found = /^( *)(not ok|ok) (\d{1,7}) - (.*)$/.exec(line);
  if (found === null) return null;
  const [, indent = "", word, number, text = ""] = found;
  const at = text.search(/ # (?:SKIP|TODO)\b/);
  const status: TestStatus = at >= 0 ? "skipped" : word === "ok" ? "passed" : "failed";
  const name = (at < 0 ? text : text.slice(0, at)).replace(/\\([\\#])/g, "$1");
  return { name, status, children: [], suite: false, number: Number(number), level: indent.length / 4 };
}

/** Totals of the last lines: `# tests 3`, ..., `# duration_ms 12`. What a test prints may look alike, but comes earlier. */
function totalsOf(lines: readonly string[]): Totals | null {
  const last = lines.findLastIndex((line) => /^# duration_ms [\d.]+$/.test(line));
  if (last < 0) return null;
  const number = (word: string): number =>
    Number(
      lines
        .slice(Math.max(0, last - 8), last)
        .findLast((line) => line.startsWith(`# ${word} `))
        ?.slice(word.length + 3) ?? Number.NaN,
    );
  return { tests: number("tests"), suites: number("suites"), pass: number("pass") };
}

/** One document of TAP 13 or 14: results in order 1, 2, 3 on each level, children before their parent, details skipped. */
function readTap(lines: readonly string[]): Outcome<readonly Tree[]> {
  const levels: Tree[][] = [[]];
  let details: string | null = null;
  let last: Tree | null = null;
  for (const line of lines) {
    if (details !== null) {
      if (line === `${details}...`) details = null;
      else if (line === `${details}type: 'suite'` && last !== null) last.suite = true;
      continue;
    }
    const opens = /^( *)---$/.exec(line);
    if (opens !== null && last !== null) {
      details = opens[1] ?? "";
      continue;
    }
    const found = result(line);
    if (found === null) continue;
    const { number, level, name, status } = found;
    while (levels.length <= level) levels.push([]);
    const siblings = levels[level];
    // A file that was killed is numbered by its place among the files; whoever prints such a failure only harms himself.
    const killedFile = level === 0 && status === "failed";
    if (siblings === undefined || levels.length > level + 2 || (number !== siblings.length + 1 && !killedFile))
      return rejected(
        `expected TAP result ${(siblings?.length ?? 0) + 1} on its level, got ${JSON.stringify(line.slice(0, 200))}: something else printed results`,
      );
    last = { name, status, suite: false, children: levels[level + 1] ?? [] };
    siblings.push(last);
    levels.length = level + 1;
  }
  return levels.length === 1 ? ok(levels[0] ?? []) : rejected("the TAP log ends inside a test: was it cut?");
}

function readDocument(lines: readonly string[]): Outcome<readonly Tree[]> {
  const totals = totalsOf(lines);
  if (totals === null) return rejected("expected node's totals (`# tests`, `# pass`, ...) at the end, found none: was the log cut?");
  const trees = readTap(lines);
  if (!trees.ok) return trees;
  const { tests, pass } = counts(trees.value);
  return tests === totals.tests && pass === totals.pass
    ? trees
    : rejected(
        `node counts ${totals.tests} tests, ${totals.pass} passed; the log names ${tests}, ${pass} passed: something else printed results`,
      );
}

/**
 * `node --test`: TAP (Node 20 without a terminal) or the spec reporter (from Node 23 on). A nested test stands under its path (`outer > inner`), and under its
 * own title where no other test has that name. A file that could not be run stands under its path. Source: Node docs, "Test runner", and
 * testanything.org; logs of 20.20, see fixtures.
 */
export const nodeTest: Verifier = (log): Outcome<TestResults> => {
  const lines = linesOf(log);
  const starts = lines.flatMap((line, index) => (/^TAP version 1[34]$/.test(line) ? [index] : []));
  if (starts.length > 0 && lines.some(isSpecTotal))
    return rejected("the log holds TAP and the spec reporter's totals: one of them was printed");
  const documents = starts.map((start, index) => readDocument(lines.slice(start, starts[index + 1])));
  const read = documents.length === 0 ? nodeSpec(lines) : nested(documents);
  if (!read.ok) return read;
  const results = resultsOf(entriesOf(read.value, " > "));
  return results.size === 0 ? rejected("node ran no test") : ok(results);
};
