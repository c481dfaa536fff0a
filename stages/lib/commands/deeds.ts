/** What a simple command does beside its role. */
export interface Deeds {
  /** Files it removes, as written, patterns included. */
  readonly removes: readonly string[];
  /** Scripts and test files it executes, as written. */
  readonly runs: readonly string[];
  /** Does it install packages or set up an environment? */
  readonly installs: boolean;
  readonly commits: boolean;
}

const base = (word: string): string => word.slice(word.lastIndexOf("/") + 1);
const operands = (words: readonly string[]): string[] => words.slice(1).filter((word) => !word.startsWith("-") && word !== "");

/** Package managers and the words that make them install; no words: any use of them does. */
const installers: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    "pip install uninstall download",
    "conda install create update activate env",
    "mamba install create update",
    "apt",
    "apt-get",
    "apk",
    "yum",
    "dnf",
    "brew install",
    "npm i ci install add",
    "pnpm i install add",
    "yarn install add",
    "bun install add",
    "poetry install add lock",
    "pdm install add sync",
    "pipenv install sync",
    "uv sync add venv lock",
    "bundle install",
    "gem install",
    "composer install require update",
    "cargo add fetch install",
    "rustup",
    "virtualenv",
  ].map((line) => {
    const [program = "", ...verbs] = line.split(" ");
    return [program, new Set(verbs)];
  }),
);

/** `pip3` is `pip`; `python -m pip` is `pip`, too. */
function packageManager(words: readonly string[]): readonly string[] {
  const program = base(words[0] ?? "");
  if (/^(?:python|pypy)[\d.]*$/.test(program) && words[1] === "-m") return packageManager(words.slice(2));
  return [/^pip[\d.]*$/.test(program) ? "pip" : program, ...words.slice(1)];
}

/** What may install, too, by verbs of more than one kind. */
const others = /^(?:go|(?:python|pypy)[\d.]*)$/;

function installs(words: readonly string[]): boolean {
  const own = packageManager(words);
  const [program = ""] = own;
  const verbs = installers.has(program) || others.test(program) ? operands(own) : [];
  if (program === "uv" && verbs[0] === "pip") return verbs[1] === "install";
  if (program === "go") return verbs[0] === "get" || verbs[0] === "install" || (verbs[0] === "mod" && verbs[1] !== "graph");
  if (/^(?:python|pypy)[\d.]*$/.test(program)) return verbs[0] === "setup.py" && /^(?:install|develop|build_ext)$/.test(verbs[1] ?? "");
  if (program === "venv") return true;
  const makeItInstall = installers.get(program);
  if (makeItInstall === undefined) return false;
  return makeItInstall.size === 0 || makeItInstall.has(verbs[0] ?? "") || (program === "yarn" && verbs.length === 0);
}

const interpreters = /^(?:python|pypy|node|ruby|perl|tsx|ts-node|deno|bun|php|bash|sh|zsh|coverage)[\d.]*$/;
const scriptFile = /^[^-\s=*]{1,300}\.(?:py|js|mjs|cjs|jsx|ts|tsx|rb|pl|sh|bash|php|go|rs|java|kt|scala|c|cc|cpp|ipynb)$/;
/** Options of interpreters that take the next word. */
const takesWord = new Set("--require --import -m -c -e -W -X -k -p -n -r".split(" "));

/** `tests/a.py::test_b` and `a_test.go:12` are the file before the colon. */
const fileOf = (word: string): string => word.replace(/::?[^/].*$/, "").replace(/^file:\/\//, "");

/** The script of `python a.py x`, `./run.sh`, `node --test a.js`; test files and folders of a runner. */
function executed(words: readonly string[], tests: boolean): string[] {
  const [program = ""] = words;
  if (program.includes("/") && scriptFile.test(program)) return [program];
  const given = words.slice(1).filter((word, index, all) => !word.startsWith("-") && !takesWord.has(all[index - 1] ?? ""));
  const files = given.map(fileOf).filter((word) => scriptFile.test(word));
  const isModule = words.includes("-m");
  return interpreters.test(base(program)) && !isModule && !tests ? files.slice(0, 1) : files;
}

function removed(words: readonly string[]): string[] {
  const program = base(words[0] ?? "");
  if (program === "rm" || program === "unlink" || program === "rmdir") return operands(words);
  if (program === "git" && words[1] === "rm") return operands(words.slice(1));
  return program === "git" && words[1] === "clean" ? operands(words.slice(1)) : [];
}

/** The word behind git's own options: `git -C /repo commit`. */
function gitVerb(words: readonly string[]): string | undefined {
  let at = 1;
  while (words[at]?.startsWith("-")) at += words[at] === "-C" || words[at] === "-c" ? 2 : 1;
  return words[at];
}

/** `words` are those without wrappers such as `sudo`; `kind` says whether they run a program or tests. */
export const deedsOf = (words: readonly string[], kind: string): Deeds => ({
  removes: removed(words),
  runs: kind === "run" || kind === "test" ? executed(words, kind === "test") : [],
  installs: installs(words),
  commits: base(words[0] ?? "") === "git" && gitVerb(words) === "commit",
});
