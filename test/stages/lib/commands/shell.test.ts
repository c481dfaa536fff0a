import fc from "fast-check";
import { expect, test } from "vitest";
import { parseShell } from "../../../../stages/lib/commands/shell.ts";

const words = (text: string): (readonly string[])[] => parseShell(text).map((command) => command.words);

test("words are split at blanks, with quotes and backslashes resolved", () => {
  expect(words(`grep -n 'a b' "c \\"d\\" $x" e\\ f --g="h i"`)).toEqual([["grep", "-n", "a b", 'c "d" $x', "e f", "--g=h i"]]);
});

test("pipes, lists and lines separate commands and are told apart", () => {
  const commands = parseShell("cd /a && FOO=1 make -j2 2>&1 | tail -5; ls\npwd || true &");
  expect(commands.map(({ joint, words: [program] }) => [joint, program])).toEqual([
    ["", "cd"],
    ["&&", "make"],
    ["|", "tail"],
    [";", "ls"],
    [";", "pwd"],
    ["||", "true"],
  ]);
  expect(commands[1]?.assignments).toEqual(["FOO=1"]);
  expect(commands[1]?.redirections).toEqual([{ operator: ">&", target: "1" }]);
});

test("a here-document is the input of its command, and what follows goes on after it", () => {
  const commands = parseShell("cat <<'EOF' > f.py && python f.py\nprint('a && b')\nEOF\nls");
  expect(commands.map((command) => command.words)).toEqual([["cat"], ["python", "f.py"], ["ls"]]);
  expect(commands[0]).toMatchObject({ heredoc: "print('a && b')\n", text: "cat <<'EOF' > f.py" });
  expect(commands[0]?.redirections).toEqual([
    { operator: "<<", target: "EOF" },
    { operator: ">", target: "f.py" },
  ]);
});

test("a dashed here-document may indent its end with tabs", () => {
  expect(parseShell("cat <<-X\n\ta\n\tX\nls").map((command) => command.heredoc)).toEqual(["\ta\n", null]);
});

test("groups, loops and conditions are opened, comments are left out", () => {
  expect(words("# first\nif true; then rm x; fi; (cd y && make) # last")).toEqual([["true"], ["rm", "x"], ["cd", "y"], ["make"]]);
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: shell text, no template
test("expansions stay as text, operators inside them included", () => {
  expect(words('echo $(git log | wc -l) "$(cat a; b)" ${x:-y z} `id -u`')).toEqual([
    ["echo", "$(git log | wc -l)", "$(cat a; b)", "${x:-y z}", "`id -u`"],
  ]);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

test("what bash would refuse runs to the end", () => {
  expect(words("echo 'a b")).toEqual([["echo", "a b"]]);
  expect(words('echo "a b')).toEqual([["echo", "a b"]]);
  expect(parseShell("cat <<EOF\nrest")[0]?.heredoc).toBe("rest");
});

test("no text makes it throw", () => {
  const shellish = fc.string({
    unit: fc.constantFrom("a", " ", "'", '"', "\\", "$", "(", ")", "{", "}", "`", "|", "&", ";", "<", ">", "\n", "#", "-", "é", "\ud800"),
  });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), shellish), (text) => {
      for (const command of parseShell(text))
        expect(command.words.length + command.assignments.length + command.redirections.length).toBeGreaterThan(0);
    }),
    { numRuns: 2_000, seed: 24 },
  );
});

test.each(["$(", "'", '"', "a;", "`$(", "\\", "(", "> ", "\n", '${"', "# ", "$'\\x", "<<A ", "1", " \\\n", "<<", "&>", "a='"])(
  "hostile repetition of %j takes linear time",
  (piece) => {
    const start = performance.now();
    parseShell(piece.repeat(100_000));
    parseShell(`cat <<A\n${`A${piece}\n`.repeat(50_000)}`);
    expect(performance.now() - start).toBeLessThan(5_000);
  },
);
