import fc from "fast-check";
import { expect, test } from "vitest";
import { claimedWords, commandWords, LineWords } from "../../../../stages/lib/checks/command-match.ts";

const hasAll = (claim: string, line: string): boolean => new LineWords(line).hasAll(claimedWords(commandWords(claim)));

test.each([
  ["pytest tests/test_a.py", "cd /testbed && python -m pytest tests/test_a.py -x | tail -5", true],
  ["pytest test_a.py", "pytest tests/unit/test_a.py", true], // the end of a path
  ["pytest tests/test_a.py", "cd tests && pytest test_a.py", true], // typed from inside the folder
  ["pytest ../tests/test_a.py", "pytest test_a.py", false],
  ["rm -rf build", "rm -rf /testbed/build", true],
  ["ls lib", "ls src/lib", false], // three letters stand for themselves
  ["./configure --prefix", "./configure --prefix=/usr", true],
  ["git diff -- src/a.py", "git diff -- path/to/file", true], // a placeholder stands for any file
  ["git log -- src/a.py", "git diff -- path/to/file", false],
  ["pytest tests/test_b.py", "pytest tests/test_a.py", false],
])("%j told of %j: %s", (claim, line, expected) => {
  expect(hasAll(claim, line)).toBe(expected);
});

/** The same, word by word, as one would say it. */
function saysSo(claim: string, line: string): boolean {
  const [claimed, typed] = [commandWords(claim), commandWords(line)];
  const rigid = claimed.filter((word) => !/\w[/.]\w/.test(word));
  if (rigid.length >= 2 && typed.some((word) => word.includes("path/to/"))) return rigid.every((word) => typed.includes(word));
  return claimed.every((word) =>
    typed.some(
      (one) =>
        one === word ||
        ((word.length > 3 || /[/.]/.test(word)) && one.endsWith(`/${word}`)) ||
        (/[/.]/.test(word) && !word.startsWith("..") && word.endsWith(`/${one}`)) ||
        (word.length > 3 && one.startsWith(`${word}=`)),
    ),
  );
}

test("looking words up says what comparing each with each says", () => {
  const word = fc
    .array(fc.constantFrom("a", "src", "build", "path", "to", "file.py", "..", ".", "--opt", "x=1", "=", "/", "…"), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((pieces) => fc.constantFrom("/", "", "=").map((glue) => pieces.join(glue)));
  const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(line, line, (claim, typed) => {
      expect(hasAll(claim, typed)).toBe(saysSo(claim, typed));
    }),
    { numRuns: 5_000 },
  );
});
