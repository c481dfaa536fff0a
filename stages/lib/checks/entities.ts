import { clausesOf, isPlan, type MemoryLine } from "./lines.ts";

/** Things that a memory names and that can be looked up: what an invented detail would be. */
export type EntityKind = "path" | "symbol" | "command" | "test" | "error" | "number";

export interface Entity {
  readonly kind: EntityKind;
  /** As it stands in the memory. */
  readonly words: string;
  readonly line: MemoryLine;
  /** Words around it that a number belongs to: what stands in the same clause. */
  readonly clause: string;
  /** Is the clause a plan, not a claim? */
  readonly plan: boolean;
  /** Is it between backticks or in a fenced block? */
  readonly code: boolean;
}

/** Endings of files that are named without a folder; a word with any other ending is a dotted name. */
const endings =
  "py|pyi|pyx|ipynb|js|mjs|cjs|jsx|ts|tsx|vue|svelte|css|scss|html?|md|rst|txt|json|jsonl|ya?ml|toml|cfg|ini|conf|env|lock|log|diff|patch|csv|tsv|xml|sql|sh|bash|go|rs|java|kt|scala|c|h|cc|cpp|hpp|cs|rb|php|pl|lua|swift|gradle|properties|bat|ps1|tar|gz|zip|whl|egg|po|pot|tex|proto|tf|dockerfile|mod|sum|in|svg|png|fits|db|sqlite3?";
const file = new RegExp(String.raw`^[\w@+~-][\w.@+~-]*\.(?:${endings})$`, "i");
/** Products and formats that look like files or names of code, and that any writer may know. */
const wellKnown = new Set(
  (
    "node.js vue.js next.js express.js three.js d3.js github gitlab javascript typescript openhands chatgpt openai stackoverflow postgresql mysql " +
    "sqlite numpy scipy pytest pypi macos ios linux e.g i.e etc vs readme todo utf-8 iso-8601 github.com python.org docstring dataframe backend " +
    "frontend snake_case camelcase pascalcase kebab-case none true false null undefined self cls args kwargs"
  ).split(" "),
);

const programs = new Set(
  (
    "python python2 python3 pytest py.test pip pip3 uv tox nox poetry conda git hg npm npx yarn pnpm node deno bun tsc tsx jest mocha vitest eslint prettier make cmake " +
    "cargo rustc go gofmt mvn gradle ./gradlew java javac ruby rspec bundle rake php phpunit composer perl bash sh zsh docker ls cat head tail grep rg find " +
    "sed awk cp mv rm mkdir touch chmod chown ln tree wc diff patch curl wget cd echo export source env sudo apt apt-get tar unzip which ruff black " +
    "mypy flake8 isort pylint django-admin manage.py ./manage.py sqlfluff strace gdb xargs sort uniq tee timeout nohup psql sqlite3 dotnet swift kotlinc ctest ninja meson"
  ).split(" "),
);

/** Does a code span name a command: a known program (or a script that is run) and at least one word behind it? */
export function isCommand(span: string): boolean {
  const words = span
    .replace(/^\$\s+/, "")
    .trim()
    .split(/\s+/);
  const first = words.find((word) => !/^\w+=\S*$/.test(word)) ?? "";
  const program = first.slice(first.lastIndexOf("/") + 1);
  return (
    words.length >= 2 && (programs.has(first) || programs.has(program) || /^\.\/[\w./-]+$/.test(first)) && !/^[\w.]+\s*[=(:]/.test(span)
  );
}

/** A path without quotes, place and punctuation around it, `/`-separated. */
export const pathOf = (words: string): string =>
  words
    .replaceAll("\\", "/")
    .replace(/^["'(<[]+|["')>\].,;:!?]+$/g, "")
    .replace(/(?::\d{1,7}(?:[-:,]\d{1,7})*|#L\d{1,7}(?:-L?\d{1,7})?)$/, "")
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/{2,}/g, "/");

/** Is the word a path? In prose a `/` alone is none (`read/write`); in code it is. */
function isPath(word: string, code: boolean): boolean {
  if (/[*?<>{}$|\\]|\.\.\.|…|^\/\/|^https?:|^-/.test(word) || word.length > 300 || wellKnown.has(word.toLowerCase())) return false;
  const path = pathOf(word);
  if (file.test(path)) return true;
  if (!path.includes("/") || !/[A-Za-z]/.test(path) || !/^[\w.@+~/-]+$/.test(path)) return false;
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (
    file.test(last) ||
    (path.startsWith("/") && path.length > 3 && /^\/[\w.~-]+\/|^\/(?:tmp|testbed|app|repo|workspace|home|usr|etc|opt|var)\b/.test(path))
  )
    return true;
  // `m/s` and `km/h` are no paths: without a file's ending, a path has folders of some length.
  return code
    ? /^(?:\.{1,2}\/|~\/)/.test(path) || /^[\w@-]{3,}(?:\/[\w@-]{2,})+\/?$|^[\w@.-]{2,}\/$/.test(path)
    : path.split("/").length > 2 && /[_.-]/.test(path) && /^[a-z]/.test(path);
}

const keywords = new Set(
  (
    "and or not if elif else for while in is def class return import from as with try except finally raise pass break continue lambda yield None True False " +
    "self cls const let var function new this null undefined async await true false int str float bool list dict set tuple print len the a an to of on be by it no"
  ).split(" "),
);

const isCodeShaped = (word: string): boolean =>
  /^_+\w+$|\w_\w|^__\w+__$/.test(word) || /^[a-z]+[A-Z]\w*$/.test(word) || (/^[A-Z][a-z0-9]+[A-Z]\w*$/.test(word) && /[a-z]/.test(word));

const errorType = /^(?:[\w.]*\.)?[A-Z]\w{0,80}(?:Error|Exception|Warning|Interrupt|SystemExit|Failure|Fault)$/;
const genericError = /^(?:Error|Exception|Warning|Failure|Fault)$/;

/** A number that says something: `context` tells what it belongs to. */
const numberToken = /(?<![\w.#-]|\d[,:])(?:v)?(\d+(?:,\d{3})+|\d+(?:\.\d+)*)(?![\w]|\.\d)/g;
/** What follows a number that no one has to find again: shares and durations are rounded, steps and list places are the writer's own. */
const notLookedUp =
  /^\s?(?:%|percent|ms\b|s\b|sec|second|minute|min\b|hour|st\b|nd\b|rd\b|th\b|x\b|×|times\b|[kKMG]B?\b|steps?\b|ways?\b|lines? (?:long|of code))/;
const lineBefore =
  /\blines?\s*(?:numbers?|no\.?|#)?\s*(?:~|≈|around|about|near)?\s*(?:\d+\s*(?:-|–|to|and|,|&)\s*)*$|:\s?$|[-–]$|#L$|\bL$/i;

/** Does the text before a number say that it is a line (`line 12`, `a.py:12`, `lines 3-12`)? */
export const isLineNumber = (before: string): boolean =>
  /\blines?\b.{0,24}$|\.\w{1,5}:$|:\d{1,7}[-–:]$/i.test(before) && lineBefore.test(before);

const leastCount = 13; // smaller counts are words of prose ("3 files", "two cases") and are derived as often as read: our choice
/** Sizes of words and round figures, which are general knowledge ("the low 32 bits", "a 64-bit build"). */
const round = new Set([16, 32, 64, 100, 128, 256, 512, 1_000, 1_024]);

function numbersIn(stretch: string, make: (kind: EntityKind, words: string) => Entity, code: boolean): Entity[] {
  const found: Entity[] = [];
  for (const match of stretch.matchAll(numberToken)) {
    const digits = match[1] ?? "";
    const before = stretch.slice(Math.max(0, match.index - 60), match.index);
    const after = stretch.slice(match.index + match[0].length, match.index + match[0].length + 24);
    const line = isLineNumber(before);
    if (!line && (notLookedUp.test(after) || /\b(?:steps?|~|≈|about|around|approximately|roughly|nearly|over|almost)\s*#?$/i.test(before)))
      continue;
    if (!line && !code && (Number(digits) < leastCount || round.has(Number(digits))) && !/\d\.\d/.test(digits)) continue;
    if (code && (Number(digits) < 2 || /^:\d\d/.test(after))) continue; // 22:36:15 is a time
    found.push(make("number", digits));
  }
  return found;
}

type Make = (kind: EntityKind, words: string) => Entity;

/** What most words of prose are: no name, whatever stands around it. */
const plainWord = /^[a-z]+[.,;:!?]?$/;

/** The entity that one word is, if any. */
function ofWord(raw: string, code: boolean, make: Make): Entity[] {
  if (plainWord.test(raw)) return [];
  const word = raw.replace(/^[("'[{<]+/, "").replace(/(?:\(\)?|[)"'\]}>,;:!?…]|\.(?=$)|'s)+$/g, "");
  if (word === "" || raw.includes("…") || raw.includes("...") || wellKnown.has(word.toLowerCase())) return [];
  if (/^\S{1,300}::\S/.test(raw) && /[./]/.test(raw.split("::")[0] ?? "")) return [make("test", raw.replace(/[.,;:)]+$/, ""))];
  if (isPath(word, code)) return [make("path", word)];
  if (errorType.test(word)) return genericError.test(word) ? [] : [make("error", word)];
  if (/^test_\w+$|^Test[A-Z]\w+$/.test(word)) return [make("test", word)];
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(word)) return [make("symbol", word)];
  if (/^[A-Za-z_$][\w$]*$/.test(word) && (isCodeShaped(word) || /\w\(\)/.test(raw)) && !keywords.has(word)) return [make("symbol", word)];
  return [];
}

/** Names inside a piece of code: each identifier, dotted ones whole; strings and brackets are passed over. */
function ofFragment(span: string, make: Make): Entity[] {
  const found: Entity[] = [];
  for (const [raw] of span.matchAll(/[\w.@+~/$:-]+/g)) {
    const own = ofWord(raw, true, make);
    if (own.length > 0) found.push(...own);
    else
      for (const word of raw.split(/[^\w$]+/))
        if (word.length >= 3 && /^[A-Za-z_$]/.test(word) && !keywords.has(word) && !wellKnown.has(word.toLowerCase()))
          found.push(make("symbol", word));
  }
  return [...found, ...numbersIn(span, make, true)];
}

function ofSpan(span: string, make: Make): Entity[] {
  const text = span.trim();
  if (text === "" || /^[\s\W]*$/.test(text)) return [];
  if (isCommand(text)) return [make("command", text)];
  if (!/\s/.test(text)) {
    const whole = ofWord(text, true, make);
    if (whole.length > 0) return [...whole, ...(isPath(text, true) ? numbersIn(placeIn(text), make, true) : [])];
  }
  return ofFragment(text, make);
}

/** `:12-40` behind a path. */
const placeIn = (text: string): string =>
  (/:\d{1,7}(?:[-:,]\d{1,7})*$/.exec(text)?.[0] ?? "").replaceAll("-", " ").replaceAll(":", " line ");

function ofProse(stretch: string, make: Make): Entity[] {
  const found: Entity[] = [];
  for (const [raw] of stretch.matchAll(/[^\s,()[\]|=→"“”]+(?:\(\))?/g)) {
    const own = ofWord(raw, false, make);
    found.push(...own);
    if (own.some(({ kind }) => kind === "path")) found.push(...numbersIn(placeIn(raw.replace(/[.,;]+$/, "")), make, false));
  }
  return [...found, ...numbersIn(stretch, make, false)];
}

/** Stretches of a clause, code and prose by turns. */
function stretches(text: string): { readonly text: string; readonly code: boolean }[] {
  const pieces: { text: string; code: boolean }[] = [];
  let last = 0;
  for (const found of text.matchAll(/`` ?(.+?) ?``|`([^`]+)`/g)) {
    pieces.push({ text: text.slice(last, found.index), code: false }, { text: found[1] ?? found[2] ?? "", code: true });
    last = found.index + found[0].length;
  }
  pieces.push({ text: text.slice(last), code: false });
  return pieces;
}

/** A word before an ellipsis may be half a word. */
const withoutCutWords = (text: string): string =>
  /…|\.\.\./.test(text) ? text.replace(/[\w./-]{1,80} ?(?:…|\.\.\.)/g, (all) => `${" ".repeat(all.length - 1)}…`) : text;

/** What a line names, clause by clause. Linear in its length. */
export const entitiesOf = (line: MemoryLine): Entity[] => clausesOf(line.text).flatMap((clause) => entitiesIn(line, clause));

/** What one clause of a line names, in order. */
export function entitiesIn(line: MemoryLine, whole: string): Entity[] {
  const text = withoutCutWords(whole);
  if (line.code) {
    const make: Make = (kind, words) => ({ kind, words, line, clause: text, plan: line.plan, code: true });
    return ofSpan(text, make);
  }
  const plan = isPlan(line, whole);
  return stretches(text).flatMap((piece) => {
    const make: Make = (kind, words) => ({ kind, words, line, clause: text, plan, code: piece.code });
    return piece.code ? ofSpan(piece.text, make) : ofProse(piece.text, make);
  });
}
