import { ok, rejected } from "../../stage.ts";
import { addAll, type Entry, entry, linesOf, miscounted, pythonCrash, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

/** What a verbose line ends with. A test's own output may stand before `ok`; failures need no guess, the details name them. */
const endings: readonly (readonly [RegExp, TestStatus])[] = [
  [/(?:^|[^A-Za-z])ok$/, "passed"],
  [/^expected failure$/, "passed"],
  [/^unexpected success$/, "failed"],
  [/^FAIL$/, "failed"],
  [/^ERROR$/, "error"],
  [/^skipped (?:'.*'|".*")$/, "skipped"],
];
const endingOf = (line: string): TestStatus | null => endings.find(([pattern]) => pattern.test(line))?.[1] ?? null;

const fullName = /^(?:\S+ \([^()\s]+\)|Doctest: \S+)$/;
/** `FAIL: test_b (m.Case) (n=1)`, `ERROR: setUpClass (m.Case)`: the name is the first two words. */
const detail = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S+ \([^()\s]+\)|Doctest: \S+)/;
/** `test_b (m.Case.test_b)`, as Python says it since 3.11, is `test_b (m.Case)` before: a task that lists the short form fits both. */
const shortNames = (name: string): string[] => {
  const [, test, owner] = /^(\S+) \((.+)\.\1\)$/.exec(name) ?? [];
  return test === undefined ? [] : [`${test} (${owner})`];
};
const isOfClass = (name: string): boolean => /^(?:setUp|tearDown)(?:Class|Module) \(/.test(name);

interface Session {
  /** Tests that were begun. */
  readonly begun: number;
  readonly started: readonly Entry[];
  /** What takes a pass back: the failures of the details, a class that could not be set up, a second word about one test. */
  readonly against: readonly Entry[];
}

/** Name and description of the test that a line begins (`test_b (m.Case) ... `, or its description after a line with the name), or null. */
function namesOf(before: string, line: string): readonly string[] | null {
  const dots = line.indexOf(" ... ");
  if (dots <= 0) return null;
  const name = line.slice(0, dots);
  if (fullName.test(name)) return [name];
  return fullName.test(before) ? [before, name] : null;
}

/** Results of one run up to its `Ran n tests`. */
function read(lines: readonly string[]): Session {
  const started: Entry[] = [];
  const against: Entry[] = [];
  let tests = 0;
  let test: readonly string[] | null = null;
  let open = false;
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1] ?? "";
    const failure = detail.exec(line);
    if (failure !== null)
      against.push(entry(failure[2] ?? "", failure[1] === "ERROR" ? "error" : "failed", ...shortNames(failure[2] ?? "")));
    const names = namesOf(before, line);
    if (names !== null && !isOfClass(names[0] ?? "")) tests += 1;
    if (names !== null) [test, open] = [names, true];
    else if (/^(?:={20,}|-{20,})$/.test(line)) test = null;
    if (test === null) continue;
    const status = endingOf(names === null ? line : line.slice(line.indexOf(" ... ") + 5));
    const [name = "", ...descriptions] = test;
    const also = [...shortNames(name), ...descriptions];
    if (status !== null && open) (isOfClass(name) ? against : started).push(entry(name, status, ...also));
    else if (status !== null && status !== "passed") against.push(entry(name, status, ...also));
    if (status !== null) open = false;
  }
  return { begun: tests, started, against };
}

/**
 * unittest and Django with `-v`: `test_b (m.Case) ... ok`, each run ended by `Ran n tests in`. A test with a description also stands under its
 * first line, which is how SWE-bench lists it. More tests begun than ran: some lines were printed. Source: Python docs, `unittest`; logs of 3.11, see fixtures.
 */
export const unittest: Verifier = (log) => {
  const lines = linesOf(log);
  const entries: Entry[] = [];
  let from = 0;
  for (const [index, line] of lines.entries()) {
    const ran = /^Ran (\d{1,9}) tests? in /.exec(line)?.[1];
    if (ran === undefined) continue;
    const { begun, started, against } = read(lines.slice(from, index));
    const skipped = started.filter(({ status }) => status === "skipped").length; // some versions do not count them
    if (begun < Number(ran) || begun - skipped > Number(ran))
      return rejected(miscounted("unittest", "tests", Number(ran), begun, "run it with -v"));
    addAll(entries, [...started, ...against]);
    from = index + 1;
  }
  if (from === 0) {
    const crash = pythonCrash(lines);
    return crash === null ? rejected("expected unittest's line `Ran n tests in`, found none: was the log cut?") : ok(resultsOf([crash]));
  }
  const late = read(lines.slice(from));
  addAll(
    entries,
    [...late.started, ...late.against].filter(({ status }) => status !== "passed"),
  );
  return entries.length === 0 ? rejected("unittest ran no test") : ok(resultsOf(entries));
};
