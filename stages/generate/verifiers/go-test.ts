import { ok, rejected } from "../../stage.ts";
import { addAll, type Entry, entry, linesOf, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

const statusOf: Readonly<Record<string, TestStatus>> = { PASS: "passed", FAIL: "failed", SKIP: "skipped" };

/** `--- PASS: TestB/part (0.00s)`, behind whatever the test printed without a newline. */
function result(line: string): Entry | null {
  const at = line.lastIndexOf("--- ");
  const found = at < 0 ? null : /^--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$/.exec(line.slice(at));
  return found === null ? null : entry(found[2] ?? "", statusOf[found[1] ?? ""] ?? "failed");
}

interface Package {
  readonly name: string;
  readonly ok: boolean;
  /** go printed a bare `PASS` or `FAIL` before: all its tests ended. Missing after a panic, `os.Exit` or a time-out. */
  readonly complete: boolean;
  readonly results: readonly Entry[];
}

/** Each package's results stand before its last line, `ok  name  0.1s` or `FAIL  name ...`. `rest`: results of no package. */
function packagesOf(lines: readonly string[]): { readonly packages: readonly Package[]; readonly rest: readonly Entry[] } {
  const packages: Package[] = [];
  let results: Entry[] = [];
  let begun = new Set<string>();
  let complete = false;
  for (const line of lines) {
    const found = result(line);
    if (found !== null && (begun.has(found.name) || found.status !== "passed")) results.push(found);
    const run = line.indexOf("=== RUN   ");
    if (run >= 0) begun.add(line.slice(run + 10).trimEnd());
    if (line === "PASS" || line === "FAIL") complete = true;
    const end = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:[\t ]|$)/.exec(line);
    if (end === null) continue;
    packages.push({ name: end[2] ?? "", ok: end[1] !== "FAIL", complete, results });
    [results, begun, complete] = [[], new Set(), false];
  }
  return { packages, rest: results };
}

/**
 * `go test -v`. go counts nothing, so a pass is believed when the test was begun (`=== RUN`) and its package ended as it should, with no second
 * line that says otherwise; a package
 * that panicked, or did not compile, is an `error` under its name and none of its tests passed. Source: `go help test`, `cmd/test2json`; logs of 1.26, see fixtures.
 */
export const goTest: Verifier = (log) => {
  const { packages, rest } = packagesOf(linesOf(log));
  if (packages.length === 0)
    return rejected("expected a line `ok` or `FAIL` with a package, found none: was the log cut, or go not found?");
  const broken = new Set(packages.filter((one) => !one.ok && !one.complete).map(({ name }) => name));
  const failed = new Set(packages.filter((one) => !one.ok).map(({ name }) => name));
  const entries = packages.flatMap((one) => {
    const believed = !broken.has(one.name) && one.complete && (!one.ok || !failed.has(one.name));
    return one.results.filter(({ status }) => believed || status !== "passed");
  });
  addAll(
    entries,
    rest.filter(({ status }) => status === "failed"),
  );
  addAll(
    entries,
    [...broken].map((name) => entry(name, "error")),
  );
  return entries.length === 0 ? rejected("go names no test: run it with -v") : ok(resultsOf(entries));
};
