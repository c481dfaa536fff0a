/**
 * A small, tolerant reader of shell command lines. It splits, it does not expand: `$x`, `$(...)` and globs stay as text. Whatever bash would
 * refuse (an open quote, a heredoc without its end) runs to the end of the text. Linear in the length of the text; never throws.
 */

export interface Redirection {
  /** `>`, `>>`, `<`, `<<`, `<<<`, `&>`, ...; here-documents as `<<` whatever their dash. */
  readonly operator: string;
  /** File, or delimiter of a here-document; `1` in `2>&1`. */
  readonly target: string;
}

export interface SimpleCommand {
  /** Operator that ends the command before: `|`, `&&`, `||`, `;` (newlines too), `&`; "" at the start. */
  readonly joint: string;
  /** `NAME=value` before the first word. */
  readonly assignments: readonly string[];
  /** Words with quotes and backslashes resolved; reserved words such as `then` and `do` are left out. */
  readonly words: readonly string[];
  readonly redirections: readonly Redirection[];
  /** Text of its here-documents, one after the other; null: none. */
  readonly heredoc: string | null;
  /** The command as written, without the text of here-documents. */
  readonly text: string;
}

/** Targets of redirections and writes that are no files: other descriptors, `-`, `/dev/null`. */
export const noFile = /^(?:&?\d+|-|\/dev\/\w+)$/;

const plain = /[^\s'"\\$`;&|<>()]+/y;
const blank = /(?:[ \t\r\f\v]|\\\r?\n)+/y;
const joint = /&&|\|\||\|&|;;&?|[;|&\n()]/y;
const redirection = /(?:\d+|&)?(?:>>|>\||>&|<<<|<<-?|<&|<>|>|<)/y;
const reserved = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"]);
const closers = new Set(["fi", "done", "esac", "}"]);
/** Backslash escapes inside `$'...'`; others stay as written. */
const ansiEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
};

/** End of a double-quoted stretch whose opening quote stands before `at`: the place after the closing quote. */
function endOfQuotes(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return Math.min(end + 1, text.length);
}

/** End of `$(...)`, `${...}` or a backtick stretch that opens before `at`; quotes inside are respected, nesting is counted. */
function endOfExpansion(text: string, at: number, open: string, close: string): number {
  let depth = 1;
  let end = at;
  while (end < text.length && depth > 0) {
    const char = text[end];
    if (char === "\\") end += 1;
    else if (char === close) depth -= 1;
    else if (char === open) depth += 1;
    else if (close !== "`" && char === "'") {
      const quote = text.indexOf("'", end + 1);
      end = quote < 0 ? text.length : quote;
    } else if (close !== "`" && char === '"') end = endOfQuotes(text, end + 1) - 1;
    end += 1;
  }
  return Math.min(end, text.length);
}

interface Piece {
  readonly value: string;
  readonly end: number;
}

/** One quoted, escaped or expanded piece of a word at `at`, where no plain character stands. */
function specialPiece(text: string, at: number): Piece {
  const char = text[at];
  const next = text[at + 1];
  if (char === "\\") return { value: next === "\n" ? "" : (next ?? ""), end: Math.min(at + 2, text.length) };
  if (char === "'") {
    const quote = text.indexOf("'", at + 1);
    const end = quote < 0 ? text.length : quote;
    return { value: text.slice(at + 1, end), end: Math.min(end + 1, text.length) };
  }
  if (char === '"') {
    const end = endOfQuotes(text, at + 1);
    const closed = text[end - 1] === '"' && end > at + 1;
    return {
      value: text.slice(at + 1, closed ? end - 1 : end).replace(/\\(["\\$`\n])/g, (_, kept: string) => (kept === "\n" ? "" : kept)),
      end,
    };
  }
  if (char === "$" && next === "'") {
    let end = at + 2;
    while (end < text.length && text[end] !== "'") end += text[end] === "\\" ? 2 : 1;
    return {
      value: text.slice(at + 2, end).replace(/\\(.)/g, (all, kept: string) => ansiEscapes[kept] ?? all),
      end: Math.min(end + 1, text.length),
    };
  }
  const end =
    char === "`"
      ? endOfExpansion(text, at + 1, "", "`")
      : next === "("
        ? endOfExpansion(text, at + 2, "(", ")")
        : next === "{"
          ? endOfExpansion(text, at + 2, "{", "}")
          : at + 1;
  return { value: text.slice(at, end), end };
}

/** A word at `at`, and whether any of it was quoted. `end === at`: no word here. */
function wordAt(text: string, at: number): Piece {
  const parts: string[] = [];
  let end = at;
  while (end < text.length) {
    const run = matchAt(plain, text, end);
    if (run !== "") {
      parts.push(run);
      end += run.length;
    } else if ("'\"\\$`".includes(text[end] ?? " ")) {
      const piece = specialPiece(text, end);
      parts.push(piece.value);
      end = piece.end;
    } else break;
  }
  return { value: parts.join(""), end };
}

/** Text of a here-document that starts at the line `at`, up to the line that is `delimiter`. */
function heredocAt(text: string, at: number, delimiter: string, dash: boolean): Piece {
  for (let line = at; line < text.length; ) {
    const found = text.indexOf("\n", line);
    const lineEnd = found < 0 ? text.length : found;
    const content = text.slice(line, lineEnd).replace(/\r$/, "");
    if ((dash ? content.replace(/^\t+/, "") : content) === delimiter) return { value: text.slice(at, line), end: lineEnd };
    line = lineEnd + 1;
  }
  return { value: text.slice(at), end: text.length };
}

/** A command while its line is read. It becomes the result without a copy: most of what a line of 100,000 commands costs is memory. */
interface Draft {
  readonly command: Writable<SimpleCommand>;
  readonly words: string[];
  readonly assignments: string[];
  readonly redirections: Redirection[];
  start: number;
  /** null: it has none. */
  heredocs: { readonly delimiter: string; readonly dash: boolean }[] | null;
}
type Writable<T> = { -readonly [K in keyof T]: T[K] };

const assignment = /^[A-Za-z_]\w*\+?=/;
function draftAt(start: number, joint: string): Draft {
  const [assignments, words, redirections]: [string[], string[], Redirection[]] = [[], [], []];
  return {
    command: { joint, assignments, words, redirections, heredoc: null, text: "" },
    words,
    assignments,
    redirections,
    start,
    heredocs: null,
  };
}
/** The operator as commands name it: lines and brackets part as `;` does, and `|&` is a pipe. */
const jointOf = (by: string): string => (by === "\n" || by.startsWith(";") || by === "(" || by === ")" ? ";" : by === "|&" ? "|" : by);
const holdsSomething = (draft: Draft): boolean => draft.words.length + draft.assignments.length + draft.redirections.length > 0;
const addWord = (draft: Draft, word: string, quoted: boolean): void => {
  if (draft.words.length > 0) draft.words.push(word);
  else if (!quoted && assignment.test(word)) draft.assignments.push(word);
  else if (quoted || !(reserved.has(word) || closers.has(word))) draft.words.push(word);
};

/** The simple commands of a command line, in order. Groups, loops and subshells are opened: their inner commands are listed. */
export function parseShell(text: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let waiting: Draft[] = [];
  let draft = draftAt(0, "");
  let at = 0;
  const close = (end: number, by: string): void => {
    if (holdsSomething(draft)) {
      draft.command.text = text.slice(draft.start, end).trim();
      commands.push(draft.command);
    }
    draft = draftAt(end + by.length, commands.length > 0 ? jointOf(by) : "");
  };
  const readHeredocs = (): void => {
    for (const owner of waiting)
      for (const { delimiter, dash } of owner.heredocs ?? []) {
        const body = heredocAt(text, at, delimiter, dash);
        owner.command.heredoc = (owner.command.heredoc ?? "") + body.value;
        at = Math.min(body.end + 1, text.length);
      }
    waiting = [];
    draft.start = at;
  };
  while (at < text.length) {
    const gap = matchAt(blank, text, at);
    if (gap !== "") {
      at += gap.length;
      continue;
    }
    if (text[at] === "#") {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      if (!holdsSomething(draft)) draft.start = at;
      continue;
    }
    const redirect = matchAt(redirection, text, at);
    if (redirect !== "") {
      at += redirect.length;
      at += matchAt(blank, text, at).length;
      const target = wordAt(text, at);
      at = target.end;
      const operator = redirect.replace(/^\d+/, "").replace("<<-", "<<");
      draft.redirections.push({ operator, target: target.value });
      if (operator === "<<") {
        if (draft.heredocs === null) waiting.push(draft);
        draft.heredocs ??= [];
        draft.heredocs.push({ delimiter: target.value, dash: redirect.endsWith("-") });
      }
      continue;
    }
    const by = matchAt(joint, text, at);
    if (by !== "") {
      close(at, by);
      at += by.length;
      if (by === "\n" && waiting.length > 0) readHeredocs();
      continue;
    }
    const word = wordAt(text, at);
    const quoted = /['"\\]/.test(text[at] ?? "");
    at = Math.max(word.end, at + 1);
    addWord(draft, word.value, quoted);
  }
  close(text.length, "");
  return commands;
}
