import { ok, rejected } from "../../stage.ts";
import { addAll, type Entry, entry, linesOf, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

interface Tally {
  readonly run: number;
  readonly bad: number;
  readonly skipped: number;
}

const none: Tally = { run: 0, bad: 0, skipped: 0 };
const plus = (left: Tally, right: Tally): Tally => ({
  run: left.run + right.run,
  bad: left.bad + right.bad,
  skipped: left.skipped + right.skipped,
});
const same = (left: Tally, right: Tally): boolean => left.run === right.run && left.bad === right.bad && left.skipped === right.skipped;

/** `Tests run: 3, Failures: 1, Errors: 0, Skipped: 0`, and what follows it on the line: of a class, its time and name; of a module, nothing. */
function tallyOf(line: string): { readonly tally: Tally; readonly after: string } | null {
  const found = /^Tests run: *(\d{1,9}), Failures: *(\d{1,9}), Errors: *(\d{1,9}), Skipped: *(\d{1,9})(.*)$/.exec(line);
  if (found === null) return null;
  const [run = 0, failures = 0, errors = 0, skipped = 0] = found.slice(1, 5).map(Number);
  return { tally: { run, bad: failures + errors, skipped }, after: found[5] ?? "" };
}

/** `acme.ShapesTest.adds` also as surefire's `-Dtest=` takes it, with and without the package. */
function method(kind: string, name: string, status: TestStatus): Entry {
  const simple = kind.slice(kind.lastIndexOf(".") + 1);
  return entry(`${kind}.${name}`, status, `${kind}#${name}`, `${simple}#${name}`, `${simple}.${name}`);
}

/** `acme.ShapesTest.adds -- Time elapsed: 0.1 s <<< FAILURE!`, up to surefire 2 `adds(acme.ShapesTest)  Time elapsed: 0.1 sec`. */
function methodLine(line: string): Entry | null {
  const at = line.search(/ (?:-- | )Time elapsed: \d/);
  if (at < 0) return null;
  const status: TestStatus = line.includes("<<< ERROR!") ? "error" : line.includes("<<< FAILURE!") ? "failed" : "passed";
  const name = line.slice(0, at).trim();
  const old = /^([^()\s]+)\(([\w.$]+)\)$/.exec(name);
  if (old !== null) return method(old[2] ?? "", old[1] ?? "", status);
  const found = /^([\w$]+(?:\.[\w$]+)*)\.([^.\s][^.]*)$/.exec(name);
  return found === null ? null : method(found[1] ?? "", found[2] ?? "", status);
}

/** What is read of one module, or of one `mvn` command. */
interface Part {
  readonly entries: Entry[];
  classes: Tally;
  methodsPassed: number;
}

/** Test that a shell with `set -x` shows to be run alone: `+ mvn test -Dtest=ShapesTest#adds`. */
const aloneOf = (line: string): string | null => /^\++ .*\s-Dtest=(\S+)/.exec(line)?.[1]?.replace(/^'|'$/g, "") ?? null;

/**
 * Maven's surefire. It names classes (all of whose tests passed, or not) and methods that failed; the others only with `-Dsurefire.reportFormat=plain
 * -Dsurefire.useFile=false`, or when each is run alone under `set -x`, as SWE-bench does. Counts of classes and methods must add up to those of `Results:`.
 * Source: maven-surefire-plugin docs; logs of 3.2.5 under Maven 3.8, see fixtures.
 */
export const maven: Verifier = (log) => {
  const entries: Entry[] = [];
  let part: Part = { entries: [], classes: none, methodsPassed: 0 };
  let alone: { readonly name: string; total: Tally; broke: boolean } | null = null;
  const leave = (): void => {
    if (alone !== null)
      entries.push(
        entry(alone.name, alone.broke || alone.total.bad > 0 ? "failed" : alone.total.run > alone.total.skipped ? "passed" : "skipped"),
      );
  };
  for (const raw of linesOf(log)) {
    const started = aloneOf(raw);
    if (started !== null) {
      leave();
      alone = { name: started, total: none, broke: true };
    }
    const line = raw.replace(/^\[(?:INFO|ERROR|WARNING)\] ?/, "");
    if (line.startsWith("COMPILATION ERROR")) entries.push(entry("COMPILATION ERROR", "error"));
    if (alone !== null && /^BUILD (?:SUCCESS|FAILURE)$/.test(line)) alone.broke = line !== "BUILD SUCCESS";
    const counted = tallyOf(line);
    if (counted === null) {
      const found = methodLine(line);
      if (found !== null) part.entries.push(found);
      if (found?.status === "passed") part.methodsPassed += 1;
    } else if (counted.after.trim() !== "") {
      const { tally, after } = counted;
      const name = / (?:--|-) in ([\w.$]+)$/.exec(after)?.[1];
      part.classes = plus(part.classes, tally);
      if (name !== undefined && tally.run > 0)
        part.entries.push(entry(name, tally.bad > 0 ? "failed" : tally.skipped === tally.run ? "skipped" : "passed"));
    } else {
      const { run, bad, skipped } = counted.tally;
      const methods = part.methodsPassed === 0 || part.methodsPassed === run - bad - skipped;
      if (!same(part.classes, counted.tally) || !methods)
        return rejected(
          `surefire counts ${run} tests, ${bad} of them bad; its classes add up to ${part.classes.run} and ${part.classes.bad}, and ${part.methodsPassed} methods are named as passed: something else printed results`,
        );
      addAll(entries, part.entries);
      if (alone !== null) alone.total = plus(alone.total, counted.tally);
      part = { entries: [], classes: none, methodsPassed: 0 };
    }
  }
  leave();
  addAll(
    entries,
    part.entries.filter(({ status }) => status !== "passed"),
  );
  return entries.length === 0
    ? rejected("expected surefire's `Tests run:` lines, found none: did Maven find its plugins?")
    : ok(resultsOf(entries));
};
