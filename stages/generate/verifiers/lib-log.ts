import type { TestResults, TestStatus } from "./verifier.ts";

/** Characters of a line that are read; no runner's result line is longer, and floods of one line stay cheap. */
const longestLine = 4_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours and links are control characters
const terminalCodes = /\u001b(?:\[[0-9;?]{0,40}[ -/]?[@-~]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\))/g;

/** Lines without colours, whatever ends them; a carriage return alone starts a new line, as progress bars use it. */
export const linesOf = (log: string): string[] =>
  (log.includes("\u001b") ? log.replace(terminalCodes, "") : log)
    .split(/\r\n|\n|\r/)
    .map((line) => (line.length > longestLine ? line.slice(0, longestLine) : line));

const order: readonly TestStatus[] = ["passed", "skipped", "error", "failed"];
const worse = (left: TestStatus, right: TestStatus): TestStatus => (order.indexOf(left) >= order.indexOf(right) ? left : right);

export interface Entry {
  readonly name: string;
  readonly status: TestStatus;
  /** Other names of the same test, such as the short form that data sets list. */
  readonly also: readonly string[];
}

export const entry = (name: string, status: TestStatus, ...also: readonly string[]): Entry => ({ name, status, also });

/** Results by name; where entries of one name disagree the worst wins. A short name that two tests share is bad when one of them is. */
export function resultsOf(entries: readonly Entry[]): TestResults {
  const named = new Map<string, TestStatus>();
  const short = new Map<string, TestStatus>();
  const add = (results: Map<string, TestStatus>, name: string, status: TestStatus): void => {
    results.set(name, worse(results.get(name) ?? status, status));
  };
  for (const { name, status } of entries) add(named, name, status);
  for (const { also, status } of entries)
    for (const name of also) {
      if (!named.has(name)) add(short, name, status);
      else if (status === "failed" || status === "error") add(named, name, status);
    }
  return new Map([...named, ...short]);
}

/** `push(...more)` throws when there are more than about a hundred thousand. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}

/** Why a log is not believed whose named results are not as many as the runner itself counts. `what`: "passed tests". */
export const miscounted = (runner: string, what: string, counted: number, named: number, advice: string): string =>
  `expected the ${counted} ${what} that ${runner} counts, found ${named} named in the log: ${
    named > counted ? "something else printed lines that look like results" : advice
  }`;

/** Exception that ended a Python run before its runner could sum up, as `error` under its own words; null: the log does not end in one. */
export function pythonCrash(lines: readonly string[]): Entry | null {
  const filled = lines.filter((line) => line.trim() !== "");
  const fatal = filled.findLast((line) => line.includes("Fatal Python error: "));
  if (fatal !== undefined) return entry(fatal.slice(fatal.indexOf("Fatal Python error: ")).trim(), "error");
  const traceback = filled.lastIndexOf("Traceback (most recent call last):");
  const last = filled.at(-1) ?? "";
  return traceback >= 0 && filled.length - traceback < 400 && /^[A-Za-z_][\w.]{0,200}(?::|$)/.test(last) ? entry(last, "error") : null;
}
