import { type Deeds, deedsOf } from "./deeds.ts";
import { patchedFiles } from "./patches.ts";
import { writtenByScript } from "./scripts.ts";
import { noFile, parseShell, type SimpleCommand } from "./shell.ts";

/** What one simple command is for. `tidy` = moves and removes files; `quiet` = plumbing that says nothing about the turn: `cd`, `echo`. */
export interface Role extends Deeds {
  readonly kind: "explore" | "edit" | "tidy" | "test" | "run" | "version-control" | "submit" | "quiet";
  /** Files it writes, creates, moves or removes, as written. */
  readonly files: readonly string[];
  /** Files or folders it shows or searches, as written. */
  readonly reads: readonly string[];
}
type Plain = Pick<Role, "kind" | "files" | "reads">;

const role = (kind: Role["kind"], files: readonly string[] = [], reads: readonly string[] = []): Plain => ({ kind, files, reads });

/** Programs that run another: how many words of their own follow (options apart). */
const wrappers: Readonly<Record<string, number>> = {
  sudo: 0,
  env: 0,
  time: 0,
  nohup: 0,
  nice: 0,
  exec: 0,
  command: 0,
  timeout: 1,
  npx: 0,
  bunx: 0,
  xvfb: 0,
  "xvfb-run": 0,
  stdbuf: 0,
  setsid: 0,
};
/** Two-word wrappers: `poetry run`, ... */
const runners = new Set(["poetry", "uv", "pipenv", "conda", "hatch", "pdm", "rye", "mamba", "bundle", "pnpm", "yarn", "npm"]);
const optionWithValue = new Set(["-n", "-u", "-k", "-s", "--signal", "-p", "--project", "--with", "--name", "--prefix"]);

const base = (word: string): string => word.slice(word.lastIndexOf("/") + 1);
const operands = (words: readonly string[]): string[] => words.slice(1).filter((word) => !word.startsWith("-") && word !== "");
/** Operands that can name a file: no counts (`head -n 20`), no substitutions. */
const paths = (words: readonly string[]): string[] => operands(words).filter((word) => !/^[\d+,]*$|[$`*]/.test(word));

/** Words without `sudo`, `timeout 60`, `poetry run`, `npx`, ... in front. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let at = 0;
  for (;;) {
    const word = base(words[at] ?? "");
    const next = words[at + 1];
    const runs = runners.has(word) && (next === "run" || next === "exec" || next === "dlx");
    if (runs && (word === "npm" || word === "yarn" || word === "pnpm") && next === "run") break;
    if (!runs && !Object.hasOwn(wrappers, word)) break;
    let own = runs ? 0 : (wrappers[word] ?? 0);
    at += runs ? 2 : 1;
    for (; at < words.length; at += 1) {
      const one = words[at] ?? "";
      if (one.startsWith("-")) at += optionWithValue.has(one) ? 1 : 0;
      else if (word === "env" && /^\w+=/.test(one)) continue;
      else if (own > 0) own -= 1;
      else break;
    }
  }
  return at === 0 ? words : words.slice(at);
}

const testPrograms = new Set([
  "pytest",
  "py.test",
  "tox",
  "nox",
  "vitest",
  "jest",
  "mocha",
  "ava",
  "ctest",
  "rspec",
  "phpunit",
  "nosetests",
  "nose2",
  "trial",
  "stestr",
  "karma",
  "jasmine",
  "bats",
  "runtests.py",
]);
const testScript =
  /^(?:runtests?|run_tests?|test_\w*|\w+_tests?|tests?)\.(?:py|js|mjs|cjs|ts|rb|sh|php)$|\.(?:test|spec)\.(?:m|c)?[jt]sx?$/;
const testModules = new Set(["pytest", "unittest", "nose", "tox", "nox", "doctest", "django", "twisted.trial", "test", "sympy.testing"]);
const pythons = /^(?:python|pypy)(?:\d(?:\.\d+)?)?$/;

const rests: Readonly<Record<string, RegExp>> = {
  go: /^test$/,
  cargo: /^(?:test|nextest)$/,
  npm: /^(?:test|t|tst)$|^test:/,
  pnpm: /^(?:test|t)$|^test:/,
  yarn: /^test$|^test:/,
  bun: /^test$/,
  deno: /^test$/,
  mvn: /^(?:test|verify|integration-test)$/,
  mvnw: /^(?:test|verify)$/,
  gradle: /(?:^|:)(?:test|check)\w*$/,
  gradlew: /(?:^|:)(?:test|check)\w*$/,
  make: /^(?:test|tests|check|unittest|pytest)\b|^test[-_:]/,
  ninja: /^(?:test|check)$/,
  dotnet: /^test$/,
  rake: /^(?:test|spec)\b/,
  swift: /^test$/,
  mix: /^test$/,
  sbt: /^test/,
  bazel: /^test$/,
  rails: /^test$/,
  composer: /^test$/,
  ant: /^test/,
  meson: /^test$/,
  lerna: /^test$/,
  hatch: /^test$/,
};

function isPythonTest(words: readonly string[]): boolean {
  const module = words.indexOf("-m");
  if (module > 0) {
    const name = words[module + 1] ?? "";
    return name === "django" ? words.includes("test") : testModules.has(name);
  }
  const script = operands(words)[0] ?? "";
  if (base(script) === "manage.py") return words.includes("test");
  return (
    (base(script) === "setup.py" && words.includes("test")) ||
    base(script) === "bin/test" ||
    testScript.test(base(script)) ||
    script.endsWith("bin/test")
  );
}

/** Does the command run tests, by a runner or by a script named after tests? */
export function runsTests(words: readonly string[]): boolean {
  const program = base(words[0] ?? "");
  if (testPrograms.has(program) || (words[0] ?? "").endsWith("bin/test")) return true;
  if (pythons.test(program) || program === "coverage") return isPythonTest(program === "coverage" ? words.slice(1) : words);
  if (/^(?:node|tsx|bun|ts-node|ruby|php|bash|sh)$/.test(program)) {
    if (program === "node" && words.includes("--test")) return true;
    const script = operands(words)[0] ?? "";
    if (testScript.test(base(script)) && !/^(?:bash|sh)$/.test(program)) return true;
  }
  if (program === "manage.py") return words.includes("test");
  if (testScript.test(program)) return true;
  const rest = Object.hasOwn(rests, program) ? rests[program] : undefined;
  if (rest === undefined) return false;
  const own = operands(words);
  const [first = "", second = ""] = own;
  if (first === "run" || first === "run-script") return rest.test(second);
  return /^(?:make|mvnw?|gradlew?|ninja|ant|sbt|rake)$/.test(program) ? own.some((word) => rest.test(word)) : rest.test(first);
}

const viewers = new Set([
  "cat",
  "head",
  "tail",
  "less",
  "more",
  "nl",
  "bat",
  "view",
  "tac",
  "wc",
  "file",
  "stat",
  "md5sum",
  "sha256sum",
  "od",
  "xxd",
  "hexdump",
  "strings",
  "diff",
  "cmp",
  "sort",
  "uniq",
  "cut",
  "column",
  "jq",
  "tr",
  "awk",
  "gawk",
  "sed",
  "readlink",
  "realpath",
  "base64",
]);
const lookers = new Set([
  "ls",
  "find",
  "tree",
  "du",
  "df",
  "which",
  "whereis",
  "type",
  "locate",
  "ps",
  "env",
  "printenv",
  "uname",
  "id",
  "whoami",
  "hostname",
  "date",
  "man",
  "history",
  "pwd",
  "fd",
  "dir",
  "free",
  "lscpu",
  "basename",
  "dirname",
  "comm",
]);
const searchers = new Set(["grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"]);
const quiet = new Set([
  "cd",
  "export",
  "source",
  ".",
  "set",
  "unset",
  "true",
  "false",
  ":",
  "sleep",
  "pushd",
  "chmod",
  "chown",
  "popd",
  "shopt",
  "alias",
  "wait",
  "clear",
  "exit",
  "return",
  "break",
  "continue",
  "for",
  "case",
  "function",
  "[",
  "[[",
  "test",
  "read",
  "local",
  "ulimit",
  "umask",
  "trap",
  "echo",
  "printf",
  "tee",
  "xargs",
  "yes",
  "kill",
  "pkill",
]);
const movers = new Set(["mv", "cp", "rm", "touch", "rmdir", "truncate", "rsync", "install", "unlink"]);
/** Commands whose redirected output is content that the agent writes; of others it is a log. */
const writers = new Set([
  "cat",
  "echo",
  "printf",
  "tee",
  "sed",
  "awk",
  "head",
  "tail",
  "grep",
  "sort",
  "jq",
  "tr",
  "cut",
  "base64",
  ":",
  "nl",
  "",
]);

const written = (command: SimpleCommand): string[] =>
  command.redirections.flatMap(({ operator, target }) =>
    /^(?:&?>>?|>\|)$/.test(operator) && target !== "" && !noFile.test(target) ? [target] : [],
  );

const gitExplores = new Set([
  "diff",
  "log",
  "show",
  "status",
  "blame",
  "grep",
  "ls-files",
  "rev-parse",
  "describe",
  "config",
  "shortlog",
  "cat-file",
  "ls-tree",
  "reflog",
  "version",
  "bisect",
  "remote",
  "help",
]);

function gitRole(words: readonly string[], heredoc: string | null): Plain {
  let at = 1;
  while (words[at]?.startsWith("-")) at += words[at] === "-C" || words[at] === "-c" ? 2 : 1;
  const [verb = "", ...rest] = words.slice(at);
  const paths = rest.filter((word) => !word.startsWith("-"));
  const dashes = rest.indexOf("--");
  const afterDashes = dashes < 0 ? [] : rest.slice(dashes + 1);
  if (verb === "apply" || verb === "am")
    return rest.includes("--check") || rest.includes("--stat") ? role("explore") : role("edit", patchedFiles(heredoc ?? ""));
  if (verb === "checkout" && (afterDashes.length > 0 || paths.some((path) => /[./]/.test(path) && !rest.includes("-b"))))
    return role("edit", afterDashes.length > 0 ? afterDashes : paths.filter((path) => /\w[./]|^\.$/.test(path)));
  if (verb === "restore" && !rest.includes("--staged")) return role("edit", paths);
  if (verb === "rm" || verb === "mv") return role("edit", paths);
  if (verb === "stash" && /^(?:list|show)$/.test(paths[0] ?? "")) return role("explore");
  if (verb === "branch" && paths.length === 0) return role("explore");
  return role(gitExplores.has(verb) ? "explore" : "version-control", [], gitExplores.has(verb) ? afterDashes : []);
}

/** `grep -A 20 pattern file` without the counts of its options. */
const withoutCounts = (words: readonly string[]): string[] => words.filter((_, index) => !/^-[ABCm]$/.test(words[index - 1] ?? ""));

const interpreters = /^(?:python|pypy|node|ruby|perl|tsx|deno|bun|php)[\d.]*$/;

/** Program text given on the command line or by here-document; null: none. */
function inlineScript(words: readonly string[], command: SimpleCommand): string | null {
  if (!interpreters.test(base(words[0] ?? ""))) return null;
  const flag = words.findIndex((word) => word === "-c" || word === "-e" || word === "--eval" || word === "-r");
  return flag > 0 ? (words[flag + 1] ?? null) : command.heredoc;
}

/** `sed -i`, also `-i.bak`, `-ni`, `--in-place`; perl's `-pi`. */
const inPlace = (words: readonly string[]): boolean =>
  words.some((word) => /^-[a-zA-Z]*i(?:\.\w+|$)|^--in-place/.test(word) && !/^-[eE]./.test(word));

function sedRole(words: readonly string[]): Plain {
  const scripted = words.some((word) => word === "-e" || word === "-f" || word.startsWith("--expression"));
  const rest = words.slice(1).filter((word, index, all) => !word.startsWith("-") && !(all[index - 1] === "-e" || all[index - 1] === "-f"));
  const files = scripted ? rest : rest.slice(1);
  return inPlace(words) ? role("edit", files) : role("explore", [], files);
}

/** Role of one simple command; `depth` bounds `bash -c "bash -c ..."`. */
export function rolesOf(command: SimpleCommand, depth = 0): Role[] {
  const words = unwrapped(command.words);
  const program = base(words[0] ?? "");
  const flag = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  if (/^(?:bash|sh|zsh|dash|eval)$/.test(program) && depth < 3) {
    const inner = program === "eval" ? words.slice(1).join(" ") : flag > 0 ? (words[flag + 1] ?? "") : command.heredoc;
    if (inner !== null) return parseShell(inner).flatMap((one) => rolesOf(one, depth + 1));
  }
  const own = roleOf(words, command);
  return [{ ...own, ...deedsOf(words, own.kind) }];
}

/** What a command without a shell in it is for; `words` are its own, without wrappers. */
function roleOf(words: readonly string[], command: SimpleCommand): Plain {
  const program = base(words[0] ?? "");
  const outputs = written(command);
  if (/^(?:--version|--help|--collect-only|--co)$/.test(words.at(-1) ?? "")) return role("explore");
  if (runsTests(words)) return role("test");
  if (program === "perl" && inPlace(words)) return role("edit", paths(words).slice(1));
  const script = inlineScript(words, command);
  if (script !== null) {
    const files = writtenByScript(script);
    return role(files.length > 0 ? "edit" : "run", files);
  }
  if (
    program === "submit" ||
    (program === "echo" && /^(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)/.test(words[1] ?? ""))
  )
    return role("submit");
  const tees = program === "tee" ? operands(words).filter((file) => !noFile.test(file)) : [];
  if (writers.has(program) && outputs.length + tees.length > 0) return role("edit", [...outputs, ...tees]);
  if (program === "git") return gitRole(words, command.heredoc);
  if (program === "sed") return sedRole(words);
  if (program === "patch") {
    const named = operands(words).slice(0, 1);
    return role(words.includes("--dry-run") ? "explore" : "edit", named.length > 0 ? named : patchedFiles(command.heredoc ?? ""));
  }
  if (program === "apply_patch" || program === "applypatch") return role("edit", patchedFiles(words[1] ?? command.heredoc ?? ""));
  if (program === "ed" || program === "ex") return role("edit", operands(words).slice(-1));
  if (program === "mkdir") return role("quiet");
  if (program === "cp" || program === "ln" || program === "rsync") return role("tidy", paths(words).slice(-1));
  if (movers.has(program)) return role("tidy", paths(words));
  if (searchers.has(program))
    return role("explore", [], paths(withoutCounts(words)).slice(words.includes("-e") || words.includes("-f") ? 0 : 1));
  if (program === "awk" || program === "gawk") return role("explore", [], paths(words).slice(1));
  if (viewers.has(program)) return role("explore", [], paths(words));
  if (lookers.has(program)) return role("explore", [], /^(?:find|ls|tree)$/.test(program) ? paths(words).slice(0, 1) : []);
  if (quiet.has(program) || program === "") return role("quiet");
  if (words.length === 2 && /^(?:--version|-V|-v|version|--help|-h)$/.test(words[1] ?? "")) return role("explore");
  if (/^pip\d?$/.test(program) && /^(?:show|list|freeze)$/.test(words[1] ?? "")) return role("explore");
  return role("run");
}
