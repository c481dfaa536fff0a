import { ok, rejected } from "../../stage.ts";
import { addAll, type Entry, entry, linesOf, miscounted, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

const symbols: Readonly<Record<string, TestStatus>> = {
  "✓": "passed",
  "√": "passed",
  "✕": "failed",
  "×": "failed",
  "○": "skipped",
  "✎": "skipped",
};
const separator = " › ";
/** Groups in groups that are told apart; what a test prints may be indented deeper. */
const deepest = 32;

/** `PASS ./a.test.js (5.1 s)`, `FAIL project ./a.test.js`; with colours ` PASS  ./a.test.js`. */
const fileOf = (line: string): string | null => /^ ?(?:PASS|FAIL) {1,2}(\S.*?)(?: \(\d.*\))?$/.exec(line)?.[1] ?? null;

/** `    ✓ adds (2 ms)`: indent, sign, title without its time. */
function titled(line: string): { readonly indent: number; readonly status: TestStatus; readonly title: string } | null {
  const found = /^( +)([✓√✕×○✎]) (.*)$/.exec(line);
  if (found === null) return null;
  const status = symbols[found[2] ?? ""] ?? "failed";
  const text = status === "skipped" ? (found[3] ?? "").replace(/^(?:skipped|todo) /, "") : (found[3] ?? "");
  return { indent: (found[1] ?? "").length, status, title: text.replace(/ \(\d+(?:\.\d+)? m?s\)$/, "") };
}

/** The tree of titles that follows a file's line, up to the first line that belongs to none. */
function treeAfter(lines: readonly string[], from: number): Entry[] {
  const entries: Entry[] = [];
  let groups: { readonly indent: number; readonly title: string }[] = [];
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const indent = line.length - line.trimStart().length;
    if (indent < 2 || line.trimStart().startsWith("●")) break;
    groups = groups.filter((group) => group.indent < indent).slice(-deepest);
    const test = titled(line);
    if (test === null) groups.push({ indent, title: line.trim() });
    else entries.push(entry([...groups.map(({ title }) => title), test.title].join(separator), test.status, test.title));
  }
  return entries;
}

/** `  ● outer › inner › bad`, the head of a failure; the other heads are of files and consoles. */
function failureOf(line: string): Entry | null {
  const name = /^ {2}● (.+)$/.exec(line)?.[1];
  if (name === undefined || name === "Console" || name === "Test suite failed to run") return null;
  const parts = name.split(separator).slice(-deepest); // titles may hold the separator, too
  return entry(name, "failed", ...parts.slice(1).map((_, at) => parts.slice(at + 1).join(separator)));
}

/**
 * jest with `--verbose` (or one file): a tree of titles under each file's `PASS` or `FAIL`. A test stands under its path as jest joins it
 * (`outer › inner › adds`) and, as SWE-bench lists it, its own title. A file that could not be loaded is an `error`. Source: Jest docs, CLI; logs of 30.5, see fixtures.
 */
export const jest: Verifier = (log) => {
  const lines = linesOf(log);
  const last = lines.findLast((line) => /^Tests: +\d/.test(line));
  if (last === undefined) return rejected("expected jest's line `Tests:` with its counts, found none: was the log cut?");
  const entries = lines.flatMap((line, index) => {
    const file = fileOf(line);
    if (file === null) return [];
    const tree = treeAfter(lines, index + 1);
    const next = lines.slice(index + 1, index + 3).find((one) => one.trim() !== "");
    return next === "  ● Test suite failed to run" ? [...tree, entry(file, "error")] : tree;
  });
  const passed = Number(/(\d{1,9}) passed/.exec(last)?.[1] ?? 0);
  const named = entries.filter(({ status }) => status === "passed").length;
  if (passed !== named) return rejected(miscounted("jest", "passed tests", passed, named, "run it with --verbose"));
  addAll(
    entries,
    lines.map(failureOf).filter((one) => one !== null),
  );
  return entries.length === 0 ? rejected(`jest ran no test: ${JSON.stringify(last)}`) : ok(resultsOf(entries));
};
