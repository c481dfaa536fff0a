import { expect, test } from "vitest";
import { better, countedReports, findingLines, weightedFindings } from "../../../../stages/condense/ask/rank.ts";

const report = (check: string, ...words: string[]) => ({
  check,
  looked: 9,
  findings: words.map((word) => ({ words: word, why: "not in the steps" })),
});

test("fewest findings first, then nearest to the target, then the earliest", () => {
  const of = (index: number, weighted: number, tokens: number) => ({ index, weighted, tokens });
  const order = (...all: ReturnType<typeof of>[]) => all.sort(better(1_000)).map(({ index }) => index);
  expect(order(of(0, 2, 1_000), of(1, 1, 10))).toEqual([1, 0]);
  expect(order(of(0, 1, 700), of(1, 1, 1_200), of(2, 1, 100))).toEqual([1, 0, 2]);
  expect(order(of(1, 0, 900), of(0, 0, 1_100))).toEqual([0, 1]);
});

test("a wrong state counts more than an invented name, and a check nobody has weighed counts once per finding", () => {
  expect(weightedFindings([report("grounded", "a", "b")])).toBeLessThan(weightedFindings([report("state-true", "a")]));
  expect(weightedFindings([report("__proto__", "a"), report("brand-new", "b", "c")])).toBe(3);
  expect(weightedFindings([report("grounded")])).toBe(0);
});

test("only checks that need no future judge a memory while it is written", () => {
  const reports = [
    report("grounded", "a"),
    report("sufficient", "b"),
    report("no-leak", "c"),
    report("failure-keeping"),
    report("state-true", "d"),
  ];
  expect(countedReports(reports).map(({ check }) => check)).toEqual(["grounded", "state-true"]);
});

test("findings are told in one line each, and not more than a model reads", () => {
  expect(findingLines([report("grounded", "src/x.py")])).toEqual(['- grounded: "src/x.py": not in the steps']);
  const many = findingLines([report("grounded", ...Array.from({ length: 40 }, (_, index) => `name${index}`))]);
  expect(many).toHaveLength(13);
  expect(many.at(-1)).toBe("- and 28 more like these");
});
