import { ok, rejected } from "../../stage.ts";
import { addAll, type Entry, entry, linesOf, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

/** What one test program printed, from `running n tests` to its `test result:`. */
interface Section {
  /** As cargo names it: `tests/outside.rs (target/...)`. */
  readonly program: string;
  /** n of `running n tests`. */
  readonly tests: number;
  readonly entries: Entry[];
  passed: number;
  failed: number;
  /** Name of a test whose result has not come yet: with one thread the name is printed before the test runs. */
  pending: string | null;
  /** Past `failures:`, where the output of tests is shown. */
  details: boolean;
  /** The last `test result:` line that did not agree; it may have been printed by a test. */
  disagrees: string | null;
}

const statusOf = (text: string): TestStatus | null =>
  text === "ok" ? "passed" : text === "FAILED" ? "failed" : /^ignored(?:,|$)/.test(text) ? "skipped" : null;

/** `tests::b - should panic` also stands under its bare name. */
const named = (name: string, status: TestStatus): Entry =>
  entry(name, status, name.replace(/ - (?:should panic|compile fail|compile)$/, ""));

function add(section: Section, name: string, status: TestStatus): void {
  section.entries.push(named(name, status));
  if (status === "passed") section.passed += 1;
  if (status === "failed") section.failed += 1;
}

/** `test tests::b ... ok`, or the name now and the bare word later. */
function readTest(section: Section, line: string): void {
  const bare = statusOf(line);
  if (bare !== null && section.pending !== null) {
    add(section, section.pending, bare);
    section.pending = null;
  }
  const dots = line.indexOf(" ... ");
  if (!line.startsWith("test ") || dots < 0) return;
  const name = line.slice(5, dots);
  const status = statusOf(line.slice(dots + 5));
  if (status === null) section.pending = name;
  else add(section, name, status);
}

/** Does a `test result:` line count what was read, and all that the program said it would run? */
function agrees(section: Section, line: string): boolean {
  const found = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured;/.exec(line);
  const [passed = 0, failed = 0, ignored = 0, measured = 0] = (found ?? []).slice(1).map(Number);
  return passed === section.passed && failed === section.failed && passed + failed + ignored + measured === section.tests;
}

/** Results of a program that ended without its `test result:`, and the program itself as broken. */
const crashed = ({ program, entries }: Section): Entry[] => [
  ...entries.filter(({ status }) => status !== "passed"),
  entry(program, "error"),
];

/**
 * `cargo test`: each program's passes are believed when its own `test result:` counts as many. A crate that does not compile, or a program that was
 * killed, is an `error`. Source: The rustc book, "Tests"; logs of cargo 1.95, see fixtures.
 */
export const cargoTest: Verifier = (log) => {
  const entries: Entry[] = [];
  let program = "test program";
  let section: Section | null = null;
  let mismatch: string | null = null;
  const leave = (): void => {
    if (section !== null) addAll(entries, crashed(section));
    mismatch = section?.disagrees ?? mismatch;
    section = null;
  };
  for (const line of [...linesOf(log), "     Running nothing"]) {
    const runs = /^ {3,5}(?:Running|Doc-tests) (.+)$/.exec(line)?.[1];
    const broken = /^error: (could not compile .{1,300}?)(?: due to .*)?$/.exec(line)?.[1];
    if (runs !== undefined) {
      leave();
      program = runs.split(" (")[0] ?? runs;
    } else if (broken !== undefined) entries.push(entry(broken, "error"));
    else if (section !== null) section = step(section, line, entries);
    else if (line.startsWith("test result: ")) mismatch = line;
    else section = opened(program, line);
  }
  if (mismatch !== null)
    return rejected(`cargo's ${JSON.stringify(mismatch)} does not count what the log names: something else printed results`);
  return entries.length === 0 ? rejected("expected cargo's `running n tests` and `test result:`, found none") : ok(resultsOf(entries));
};

function opened(program: string, line: string): Section | null {
  const tests = /^running (\d{1,7}) tests?$/.exec(line)?.[1];
  return tests === undefined
    ? null
    : { program, tests: Number(tests), entries: [], passed: 0, failed: 0, pending: null, details: false, disagrees: null };
}

/** Reads one line of a program; its `test result:` ends it, as null. */
function step(section: Section, line: string, entries: Entry[]): Section | null {
  if (line.startsWith("test result: ")) {
    if (agrees(section, line)) {
      addAll(entries, section.entries);
      return null;
    }
    section.disagrees = line;
  } else if (line === "failures:" || line === "successes:") section.details = true;
  else if (!section.details) readTest(section, line);
  return section;
}
