import { ok, rejected } from "../../stage.ts";
import { addAll, type Entry, entry, linesOf, miscounted, pythonCrash, resultsOf } from "./lib-log.ts";
import type { TestStatus, Verifier } from "./verifier.ts";

type Word = "PASSED" | "FAILED" | "ERROR" | "SKIPPED" | "XFAIL" | "XPASS";
const statusOf: Readonly<Record<Word, TestStatus>> = {
  PASSED: "passed",
  FAILED: "failed",
  ERROR: "error",
  SKIPPED: "skipped",
  XFAIL: "passed",
  XPASS: "passed",
};

interface Line {
  readonly word: Word;
  readonly name: string;
}

/** The good words, as the counts line calls them; their numbers must agree with what is named. */
const counted: readonly (readonly [Word, string])[] = [
  ["PASSED", "passed"],
  ["XFAIL", "xfailed"],
  ["XPASS", "xpassed"],
];

/** `=== 1 failed, 2 passed in 0.12s ===`, without `=` under `-q`, `seconds` before pytest 5.4; null: no such line. */
function countsOf(line: string): ReadonlyMap<string, number> | null {
  if (!line.includes(" in ")) return null;
  const text = line.replace(/^=+ | =+$/g, "");
  const took = text.lastIndexOf(" in ");
  if (took < 0 || !/^\d+(?:\.\d+)?(?:s| seconds)(?: \([\w :,.]{1,40}\))?$/.test(text.slice(took + 4))) return null;
  if (text.startsWith("no tests ran")) return new Map();
  const parts = text
    .slice(0, took)
    .split(", ")
    .map((part) => /^(\d{1,9}) ([a-z]+(?: [a-z]+)?)$/.exec(part));
  return parts.some((part) => part === null) ? null : new Map(parts.map((part) => [part?.[2] ?? "", Number(part?.[1])]));
}

/** A node id without the reason after it; ` - ` inside the brackets of a parametrised test belongs to the id. */
function withoutReason(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "[") depth += 1;
    else if (text[at] === "]") depth -= 1;
    else if (depth <= 0 && text.startsWith(" - ", at)) return text.slice(0, at);
  }
  return text;
}

/** `SUBFAILED[message] (n=1) tests/a.py::test_b`: a test with a failed part failed, though pytest may list it as passed, too. */
function ofSubtest(rest: string): string {
  const message = rest.startsWith("[") ? rest.slice(rest.indexOf("]") + 1) : rest;
  const values = message.trimStart();
  return withoutReason(values.startsWith("(") ? values.slice(values.indexOf(") ") + 2) : values).trim();
}

/** A line of the short summary. `SKIPPED [2] file:line: reason` names no test. */
function summaryLine(line: string): Line | null {
  const space = line.indexOf(" ");
  const word = line.slice(0, space);
  if (/^SUBFAIL(?:ED)?\b/.test(line)) return { word: "FAILED", name: ofSubtest(line.replace(/^SUBFAIL(?:ED)? ?/, "")) };
  if (word === "PASSED") return { word, name: line.slice(space + 1).trimEnd() };
  if (word !== "FAILED" && word !== "ERROR" && word !== "XFAIL" && word !== "XPASS") return null;
  return { word, name: withoutReason(line.slice(space + 1)).trimEnd() };
}

const isWord = (text: string): text is Word => Object.hasOwn(statusOf, text);

/** `tests/a.py::test_b PASSED   [ 50%]`, `... SKIPPED (reason) [ 50%]`, `[gw0] [ 50%] PASSED tests/a.py::test_b`. */
function progressLine(line: string): Line | null {
  const parallel = /^\[gw\d{1,4}\] \[ {0,2}\d{1,3}%\] ([A-Z]{5,7}) (.+)$/.exec(line);
  if (parallel !== null) return isWord(parallel[1] ?? "") ? { word: parallel[1] as Word, name: (parallel[2] ?? "").trimEnd() } : null;
  const text = line
    .trimEnd()
    .replace(/\[ {0,2}\d{1,3}%\]$/, "")
    .trimEnd();
  for (const found of text.matchAll(/ (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?= \(|$)/g)) {
    const name = text.slice(0, found.index);
    const after = text.slice(found.index + found[0].length);
    if (name.includes("::") && (after === "" || after.endsWith(")"))) return { word: found[1] as Word, name };
  }
  return null;
}

const lines = (texts: readonly string[], read: (line: string) => Line | null): Line[] =>
  texts.map(read).filter((line): line is Line => line !== null);

/** `=== FAILURES ===`, `=== short test summary info ===`. */
const isSection = (line: string): boolean => /^=+ [A-Za-z][A-Za-z ]{0,60} =+$/.test(line) && !line.includes(" test session starts ");

function untilSection(log: readonly string[]): readonly string[] {
  const next = log.findIndex(isSection);
  return next < 0 ? log : log.slice(0, next);
}

const bad = ({ word }: Line): boolean => word === "FAILED" || word === "ERROR";

/** Lists of SWE-bench cut a name at its first white space (`test_a[x y]` is `test_a[x`): it stands for all that it may mean. */
const shortOf = (name: string): string => name.split(/\s/, 1)[0] ?? name;
const named = ({ word, name }: Line): Entry => entry(name, statusOf[word], ...(shortOf(name) === name ? [] : [shortOf(name)]));

/** What ends pytest before it counts: a `conftest.py` that cannot be loaded, or pytest itself. */
const broken = (log: readonly string[]): Entry | null => {
  const own = log.findLast((line) => /^(?:ImportError while loading conftest |INTERNALERROR> \w)/.test(line));
  return own === undefined ? null : entry(own, "error");
};

/**
 * pytest with `-rA` (the last short test summary before the last counts line) or `-v` (the lines before the first section). What tests print is
 * shown between the two, or breaks the count under `-s`. Source: pytest docs, "Managing pytest's output", `-r`; logs of 9.2, see fixtures.
 */
export const pytest: Verifier = (log) => {
  const all = linesOf(log);
  const end = all.findLastIndex((line) => countsOf(line) !== null);
  const crash = broken(all.slice(end + 1)) ?? (end < 0 ? pythonCrash(all) : null);
  if (crash !== null) return ok(resultsOf([crash]));
  if (end < 0) return rejected("expected pytest's last line with its counts, found none: was the log cut?");
  const counts = countsOf(all[end] ?? "") ?? new Map<string, number>();
  const head = all.slice(0, end).findLastIndex((line) => line.includes("= short test summary info ="));
  const summary = head < 0 ? [] : lines(untilSection(all.slice(head + 1, end)), summaryLine);
  const progress = lines(untilSection(all.slice(0, end)), progressLine);

  const found: Line[] = [...summary, ...progress].filter((line) => !counted.some(([word]) => word === line.word));
  for (const [word, counter] of counted) {
    const right = counts.get(counter) ?? 0;
    const [listed, shown] = [summary, progress].map((from) => from.filter((line) => line.word === word));
    const chosen = [listed, shown].find((from) => from?.length === right);
    if (chosen === undefined)
      return rejected(
        miscounted("pytest", "passed tests", right, Math.max(listed?.length ?? 0, shown?.length ?? 0), "run it with -rA or -v"),
      );
    addAll(found, chosen);
  }
  const passed = new Set(found.filter(({ word }) => statusOf[word] === "passed").map(({ name }) => name));
  const against = [...lines(all, summaryLine), ...lines(all, progressLine)].filter(bad);
  addAll(
    found,
    against.filter(({ name }) => passed.has(name) || passed.has(shortOf(name))),
  );
  return found.length === 0 ? rejected(`pytest ran no test: ${JSON.stringify(all[end])}`) : ok(resultsOf(found.map(named)));
};
