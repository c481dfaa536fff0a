import { failsForSurroundings } from "../../lib/commands/actions.ts";
import type { Conduct, Done } from "./conduct.ts";
import { writesWhole } from "./test-files.ts";

/**
 * Did a command that is named after tests test anything of the project? Names and answers tell, and what the run itself wrote into a
 * script. In doubt it did.
 */

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Modules of Python's standard library that are also what folders of projects are called: `import io` is not for `astropy/io`. */
const standard = new Set(
  (
    "abc ast asyncio base64 collections contextlib copy csv dataclasses datetime decimal email enum functools glob hashlib html http inspect " +
    "io itertools json logging math operator os pathlib pickle platform random re shutil signal socket sqlite3 string struct subprocess sys " +
    "tempfile test textwrap threading time traceback types typing unittest urllib uuid warnings weakref xml"
  ).split(" "),
);

/** Both forms of Python; the text may be JSON, where a line ends in `\n`. */
const pythonImport = /(?:^|\\n|["\n;])[ \t]{0,60}(?:from[ \t]{1,4}([\w.]{1,200})[ \t]{1,4}import\b|import[ \t]{1,4}([\w., ]{1,200}))/g;
/** The name behind `require` or `import` in JavaScript, quotes of JSON text included. */
const scriptImport = /\b(?:require\(|import\(|from|import)\s{0,4}\\?["']([^"'\\\n]{1,200})/g;
/** Whatever loads or starts something that these names do not tell. */
const starts =
  /\b(?:importlib|__import__|runpy|subprocess|os\.system|os\.popen|pytest\.main|unittest\.main|django\.setup|execfile|exec\(|eval\(|child_process|execSync|spawn(?:Sync)?\()/;

const readable = /\.(?:py|[cm]?[jt]s)$/;

/** Does the text of a script load a module that lies among the project's files, or start a program? */
export function loadsProject(text: string, parts: ReadonlySet<string>): boolean {
  const script = text.slice(0, 200_000); // as much as is read of scripts elsewhere
  if (starts.test(script)) return true;
  for (const [, from, list] of script.matchAll(pythonImport))
    for (const name of (from ?? list ?? "").split(",")) {
      const [top = ""] = name.trim().split(/[. ]/);
      if (name.trim().startsWith(".") || (parts.has(top) && !standard.has(top))) return true;
    }
  for (const [, name = ""] of script.matchAll(scriptImport))
    if (name.startsWith(".") || name.split("/").some((part) => parts.has(part))) return true;
  return false;
}

/** Folders and names, without their endings, on the way to every file of the project that was to be changed. */
function projectParts({ steps }: Conduct): Set<string> {
  const parts = new Set<string>();
  for (const { work } of steps)
    for (const source of work.sources) for (const part of source.split("/")) parts.add(part.replace(/\.\w{1,8}$/, ""));
  return parts;
}

/** Scripts that the run wrote whole, by name, and whether what they hold by now loads the project. Read call by call, in order. */
function scriptReader(conduct: Conduct): { read(one: Done): void; loadsNothing(script: string): boolean } {
  const parts = projectParts(conduct);
  const scripts = new Map<string, boolean>();
  return {
    read: ({ action, call }) => {
      for (const file of action.failed ? [] : action.files) {
        const name = baseName(file);
        if (!readable.test(name)) continue;
        const before = writesWhole(action) ? false : scripts.get(name); // undefined: it was there before the run
        if (before !== undefined) scripts.set(name, before || loadsProject(call.arguments, parts));
      }
    },
    loadsNothing: (script) => scripts.get(baseName(script)) === false,
  };
}

/** Runners that state how many tests they ran whenever they ran any. */
const runner =
  /(?:^|[\s/])(?:pytest|py\.test|unittest|jest|vitest|mocha|ctest|phpunit|rspec)(?=\s|$)|(?:^|\s)(?:cargo|go) test\b|runtests\.py\b/;
/** What a runner prints of tests that ran, where the end with its counts is cut off. */
const began =
  /\bcollected [1-9]\d{0,6} items?|={3,} FAILURES ={3,}|::\S{1,200} (?:PASSED|FAILED|ERROR)\b|^(?:(?:FAIL|ERROR): \S{1,200} \(|not ok |--- FAIL)|\.{3} (?:ok|FAIL|ERROR)$/m;
const notImported = /\b(?:failed to|could not|cannot|can't|unable to) import\b/i;
/** Beginning and end of an answer, which is where these words stand. */
const edges = (text: string): string => (text.length > 20_000 ? text.slice(0, 10_000) + text.slice(-10_000) : text);

/** Did it fail before a test could run? */
function failedBefore({ action, call }: Done): boolean {
  if (!action.failed) return false;
  const answer = edges(call.result ?? "");
  if (failsForSurroundings(action)) return true;
  return runner.test(action.command) ? !began.test(answer) : notImported.test(answer);
}

/** Asks of one call after the other whether it ran a test of the project. */
export function testRunReader(conduct: Conduct): (one: Done) => boolean {
  const scripts = scriptReader(conduct);
  return (one) => {
    const { action, call } = one;
    scripts.read(one);
    if (action.testResult !== null) {
      const { passed, failed } = action.testResult;
      return (passed ?? 1) + (failed ?? 1) > 0 && !/\[(?:build|setup) failed\]/.test(action.summary ?? "");
    }
    if (!action.tests || call.result === null || failedBefore(one)) return false;
    return action.runs.length === 0 || !action.runs.every(scripts.loadsNothing);
  };
}
