import fc from "fast-check";
import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { stepWords, textHash, textWords } from "../../../../stages/filter/selection/words.ts";

const words = (...texts: string[]): number[] => texts.map(textHash);
const step = (name: string, args: string): Step => ({
  thought: "some thought",
  reasoning: null,
  calls: [{ id: null, name, arguments: args, result: "a result", exitCode: 0, failed: null }],
  feedback: ["feedback"],
});

test("words are runs of letters, digits and underscores in small letters; white space and punctuation are nothing", () => {
  expect(textWords("Run  pytest -xvs\n\ttests/test_Api.py")).toEqual(words("run", "pytest", "xvs", "tests", "test_api", "py"));
  expect(textWords("größe 文件")).toEqual(words("größe", "文件"));
  expect(textWords(" ... ")).toEqual([]);
});

test("numbers, times, commits and ids are alike; names with digits are not", () => {
  expect(textWords("sed -n 10,20p a.py")).toEqual(
    textWords("sed -n 7,7p a.py").map((word, index) => (index === 3 ? textHash("20p") : word)),
  );
  expect(textWords("at 2026-11-21T18:55:02 took 93")).toEqual(
    textWords("at 1999-01-02T00:00:09 took 4").map((word, at) => textWords("at 2026-11-21T18:55:02 took 93")[at] ?? word),
  );
  expect(textWords("commit 694ce1f4")).toEqual(textWords("commit 5c2dc8d3a0b1"));
  expect(textWords("0123456789abcdef0123456789abcdef")).toEqual(words("#"));
  expect(textWords("deadbeef")).toEqual(words("deadbeef")); // no digit: may be a word
  expect(textWords("v1 v2")).toEqual(words("v1", "v2"));
});

test("of steps the tools' names and the texts of their arguments count, from the working directory on", () => {
  const here = [
    step("bash", JSON.stringify({ command: "cd /testbed && cat /testbed/src/a.py" })),
    step("edit", '{"path": "/w/x/src/a.py", "lines": [1, 2]}'),
  ];
  expect(stepWords(here, "/w/x")).toEqual(words("bash", "cd", "cat", "src", "a", "py", "edit", "src", "a", "py"));
  expect(stepWords([step("bash", '{"command": "cat /workspace/acme__web__1.0/a.py"}')], null)).toEqual(words("bash", "cat", "a", "py"));
  expect(stepWords([step("bash", "{no json")], null)).toEqual(words("bash", "no", "json"));
  expect(stepWords([{ ...step("bash", "{}"), calls: [] }], null)).toEqual([]);
});

test("any text has words in time that grows as it does", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(textWords(`${text} ${text}`).length).toBe(2 * textWords(text).length);
    }),
    { seed: 611, numRuns: 300 },
  );
  const hostile = ["/tmp/".repeat(100_000), "/workspace/".repeat(50_000), "a/".repeat(200_000), "0".repeat(500_000), "\\".repeat(300_000)];
  for (const text of hostile) {
    const started = performance.now();
    stepWords([step("bash", JSON.stringify({ command: text }))], "/tmp");
    expect(performance.now() - started).toBeLessThan(2_000);
  }
});
