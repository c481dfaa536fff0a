import { type Outcome, ok } from "../../stage.ts";
import { type Entry, entry } from "./lib-log.ts";
import type { TestStatus } from "./verifier.ts";

/** A test, or a suite of tests, with what is nested in it. */
export interface Tree {
  readonly name: string;
  readonly status: TestStatus;
  readonly children: readonly Tree[];
  /** A suite is no test of its own and not counted as one. */
  suite: boolean;
}

export interface Totals {
  readonly tests: number;
  readonly suites: number;
  readonly pass: number;
}

/** What a runner would count. */
export function counts(trees: readonly Tree[]): Totals {
  const sums = trees.map((tree) => {
    const below = counts(tree.children);
    const test = tree.suite ? 0 : 1;
    return { tests: below.tests + test, suites: below.suites + 1 - test, pass: below.pass + (tree.status === "passed" ? test : 0) };
  });
  const sum = (of: (one: Totals) => number): number => sums.reduce((total, one) => total + of(one), 0);
  return { tests: sum((one) => one.tests), suites: sum((one) => one.suites), pass: sum((one) => one.pass) };
}

/** Characters of a path; deep nesting of long titles would take more memory than any log. */
const longestPath = 1_000;

/** Each test and suite under its path, and under its own title. */
export const entriesOf = (trees: readonly Tree[], separator: string, above = ""): Entry[] =>
  trees.flatMap(({ name, status, children }) => {
    const path = (above + name).slice(0, longestPath);
    return [entry(path, status, ...(above === "" ? [] : [name])), ...entriesOf(children, separator, path + separator)];
  });

/** The trees of several documents; the first that is rejected rejects them all. */
export const nested = (documents: readonly Outcome<readonly Tree[]>[]): Outcome<readonly Tree[]> =>
  documents.find((document) => !document.ok) ?? ok(documents.flatMap((document) => (document.ok ? document.value : [])));
