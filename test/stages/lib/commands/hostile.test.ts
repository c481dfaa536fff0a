import { expect, test } from "vitest";
import { parseShell } from "../../../../stages/lib/commands/shell.ts";
import { shellIntent } from "../../../../stages/lib/commands/shell-intent.ts";

const repeated =
  (piece: string, before = "", after = "") =>
  (length: number): string =>
    `${before}${piece.repeat(Math.ceil(length / piece.length))}${after}`;

/** The piece with a number in place of each `#`, so that no two are alike. */
const numbered =
  (piece: string, before = "") =>
  (length: number): string => {
    const parts = [before];
    for (let [number, written] = [0, 0]; written < length; number += 1) {
      const part = piece.replaceAll("#", String(number));
      parts.push(part);
      written += part.length;
    }
    return parts.join("");
  };

/** Command lines of about the length asked for. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  "single quotes": repeated("'a' ", "echo "),
  "double quotes": repeated('"a" ', "echo "),
  "open quotes": repeated("'\""),
  "one quote that never closes": repeated("a", "echo '"),
  substitutions: repeated("$(a) ", "echo "),
  "open substitutions": repeated("$("),
  "quotes in substitutions": repeated('"$('),
  pipes: repeated("a|"),
  "pipes of viewers": repeated("cat a.py | "),
  "here-documents one after the other": repeated("cat <<A\nx\nA\n"),
  "here-documents on one line": (length) => `${repeated("cat <<A ")(length / 2)}\n${repeated("A\n")(length / 2)}`,
  "here-documents of one command": (length) => `cat ${repeated("<<A ")(length / 2)}\n${repeated("A\n")(length / 2)}`,
  "here-documents without an end": numbered("cat <<A#\n"),
  "a here-document with lines nearly like its end": repeated("A \n", "cat <<A\n"),
  "one long word": repeated("a"),
  "many short words": repeated("a.py ", "python "),
  semicolons: repeated("a;"),
  "semicolons alone": repeated(";"),
  subshells: (length) => `${repeated("(")(length / 2)}${repeated(")")(length / 2)}`,
  "nested substitutions": (length) => `echo ${repeated("$(")(length / 2)}${repeated(")")(length / 2)}`,
  backslashes: repeated("\\"),
  "escaped letters": repeated("\\a "),
  digits: repeated("1"),
  redirections: repeated("> f"),
  wrappers: repeated("sudo timeout 1 ", "", "ls"),
  "shells in shells": numbered("bash -c \"bash -c 'ls a#; python b#.py'\"; "),
  "many files read": numbered("cat f#.py; "),
  "many scripts run": numbered("python f#.py; "),
  "many scripts written and run": numbered("cat > f#.py <<E\nopen('x#','w')\nE\npython f#.py\n"),
  "many scripts whose names end alike": numbered("cat > f#/same_long_name.py <<E\nopen('x#','w')\nE\npython g#/same_long_name.py\n"),
  "one command that writes many files": (length) =>
    `tee ${numbered("f#.py ")(length / 2)} <<E\nopen('x','w')\nE\n${numbered("python g#.py\n")(length / 2)}`,
};

/** Milliseconds of processor time, the better of two: what others do on the machine at the same time does not count. */
function costOf(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 2; round += 1) {
    const { user: before } = process.cpuUsage();
    work();
    best = Math.min(best, (process.cpuUsage().user - before) / 1_000);
  }
  return best;
}

/** Four times the text may cost eleven times as much: linear is 4, collecting garbage makes it 6 at times, quadratic is 16. */
const mostGrowth = 11;
/** Milliseconds below which nothing is told apart. */
const noise = 25;
const length = 25_000;

test.each(Object.entries(shapes))("a command line of %s costs no more than its length", (_, shape) => {
  for (const read of [parseShell, shellIntent]) {
    const [short, long] = [shape(length), shape(4 * length)];
    const cost = costOf(() => read(short));
    expect(
      costOf(() => read(long)),
      `${read.name} of ${long.length} characters, ${cost} ms for a quarter of them`,
    ).toBeLessThan(mostGrowth * Math.max(cost, noise));
  }
});

test("a script that is written and run at once counts what it writes, wherever its name is said to lie", () => {
  const line = (written: string, run: string): readonly string[] =>
    shellIntent(`cat > ${written} <<E\nopen('out.py', 'w')\nE\ncat > other.py <<E\nopen('no.py', 'w')\nE\npython ${run}`).files;
  expect(line("./fix.py", "/repo/fix.py")).toEqual(["./fix.py", "other.py", "out.py"]);
  expect(line("fix.py", "b.py; python fix.py; python z.py")).toContain("out.py");
  expect(line("/tmp/fix.py", "fix.py")).not.toContain("out.py");
  expect(line("fix.py", "unfixed.py")).toEqual(["fix.py", "other.py"]);
});
