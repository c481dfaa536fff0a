/** C-style escapes that git puts into a quoted path; octal ones are bytes of UTF-8. */
const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of text.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(plain ?? escapes[letter ?? ""] ?? letter));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** A path as a header line has it: quoted, or up to the tab that some tools put before a date. */
function pathOf(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return quoted === undefined ? (text.split("\t")[0] ?? "").trimEnd() : unquoted(quoted);
}

const withoutSide = (path: string): string[] => (path === "/dev/null" ? [] : [path.replace(/^[^/]+\//, "")]);

/** `a/x b/x`: both names are the same where git says no other (`rename`, `---`), so the line is twice as long as one. */
function fromGitLine(text: string): string[] {
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text);
  if (quoted !== null) return [quoted[1], quoted[2]].flatMap((side) => withoutSide(pathOf(side ?? "")));
  const half = (text.length - 1) / 2;
  const [left, right] = [text.slice(0, half), text.slice(half + 1)].map((side) => side.slice(side.indexOf("/") + 1));
  return left === right && left !== undefined ? [left] : [];
}

const headers: readonly (readonly [string, (text: string) => string[]])[] = [
  ["diff --git ", fromGitLine],
  ["--- ", (text) => withoutSide(pathOf(text))],
  ["+++ ", (text) => withoutSide(pathOf(text))],
  ["rename from ", (text) => [pathOf(text)]],
  ["rename to ", (text) => [pathOf(text)]],
  ["copy from ", (text) => [pathOf(text)]],
  ["copy to ", (text) => [pathOf(text)]],
  ["Index: ", (text) => [pathOf(text)]],
];

/** Every path that a unified diff names, old and new, without `a/` and `b/`; sorted, without repeats. Lines of hunks are not looked at. */
export function pathsIn(patch: string): string[] {
  const paths = new Set<string>();
  let [old, made] = [0, 0]; // lines that the hunk still has
  for (const line of patch.split("\n")) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (old <= 0 && made <= 0 && hunk !== null) [old, made] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else if (old > 0 || made > 0) {
      if (!line.startsWith("+") && !line.startsWith("\\")) old -= 1;
      if (!line.startsWith("-") && !line.startsWith("\\")) made -= 1;
    } else for (const [head, read] of headers) if (line.startsWith(head)) for (const path of read(line.slice(head.length))) paths.add(path);
  }
  return [...paths].sort();
}

/** Paths that no patch may touch: out of the repository, or what git keeps for itself. `git apply` refuses them, too; `patch` does not refuse all. */
export const forbiddenPaths = (patch: string): string[] =>
  pathsIn(patch).filter((path) => path.startsWith("/") || path.split("/").some((part) => part === ".." || /^\.git[ .]*$/i.test(part)));

/** Files that steer how tests are found and run. */
const runnerConfig =
  /(?:^|\/)(?:conftest\.py|pytest\.ini|\.pytest\.ini|setup\.cfg|tox\.ini|pyproject\.toml|noxfile\.py|(?:site|user)customize\.py|[^/]+\.pth|package\.json|(?:jest|vitest|vite|babel)\.config\.[^/]+|jest\.setup\.[^/]+|\.babelrc[^/]*|\.mocharc[^/]*|Cargo\.toml|build\.rs|\.cargo\/config(?:\.toml)?|go\.mod|pom\.xml|\.mvn\/.+|Makefile)$/;

export const runnerConfigIn = (patch: string): string[] => pathsIn(patch).filter((path) => runnerConfig.test(path));
