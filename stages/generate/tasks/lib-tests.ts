import type { TestLogFormat } from "../../../schemas/task-instance.ts";
import { shellWord } from "../../lib/shell-quote.ts";

/** How the tests are run, and how what they print is read. */
export interface TestRun {
  readonly command: string;
  readonly log: TestLogFormat;
}

export const words = (command: string, more: readonly string[]): string => [command, ...more.map(shellWord)].join(" ");

/** Images of the SWE-bench family keep the repository's packages in a conda environment of this name. */
export const inTestbed = (command: string): string => `source /opt/miniconda3/bin/activate && conda activate testbed && ${command}`;

/** Several commands of which the first that fails is the last; the shell they run in stays as it was. */
export const inOrder = (commands: readonly string[]): string =>
  commands.length === 1 ? (commands[0] ?? "") : ["(set -e", ...commands, ")"].join("\n");

/** A shell command with `text` on its standard input; nothing of it stays in a file. */
export function fed(command: string, text: string): string {
  const lines = new Set(text.split("\n"));
  let end = "CATGEN_END";
  while (lines.has(end)) end += "_";
  return `${command} <<'${end}'\n${text.endsWith("\n") ? text : `${text}\n`}${end}`;
}

/** What the SWE-bench harness does not hand to a test runner (`NON_TEST_EXTS`). */
const noTests = /(?:\.json|\.png|csv|\.txt|\.md|\.jpg|\.jpeg|\.pkl|\.yml|\.yaml|\.toml)$/;

/** Test files that a diff leaves behind, in its order; the harness would hand over deleted ones too, and pytest then runs nothing. */
export function testFilesIn(patch: string | null): string[] {
  const parts = (patch ?? "").split(/^(?=diff --git )/m);
  const files = parts.flatMap((part) => {
    const path = /^diff --git a\/.* b\/(.*)$/m.exec(part)?.[1];
    return path === undefined || /^deleted file mode|^\+\+\+ \/dev\/null$/m.test(part) || noTests.test(path) ? [] : [path];
  });
  return [...new Set(files)];
}

/** Files named by pytest's ids (`path::Class::test`), sorted; other names say nothing about files. */
export const filesNamed = (names: readonly string[]): string[] =>
  [...new Set(names.flatMap((name) => (/^[^:\s]+\.\w+(?=::)/.exec(name) ?? []).slice(0, 1)))].sort();

/** What is usual where nothing is known of a repository but the language of its tests; null: that language has no usual runner. */
export function usualRun(files: readonly string[]): TestRun | null {
  if (files.length === 0) return null;
  if (files.every((file) => file.endsWith(".py"))) return { command: inTestbed(words("pytest -rA", files)), log: "pytest" };
  const go = files.filter((file) => file.endsWith("_test.go"));
  if (go.length > 0) return { command: words("go test -v", [...new Set(go.map(goPackage))].sort()), log: "go-test" };
  if (files.some((file) => file.endsWith(".rs"))) return { command: "cargo test --no-fail-fast", log: "cargo-test" };
  return null;
}

const goPackage = (file: string): string => `./${file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ""}`;
