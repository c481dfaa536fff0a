import { edge, linesOf, tailLines } from "./results.ts";

/** What went wrong, by the words of tools, programs and shells. */

/** `TypeError: message`, `pkg.mod.SomeException`, pytest's `E   ` before it; also `Uncaught Error: ...`. */
const typed =
  /^(?:E\s{1,6})?(?:Uncaught )?((?:[A-Za-z_][\w.]{0,100}\.)?[A-Z]\w{0,80}(?:Error|Exception|Exit|Interrupt|Failure|DoesNotExist|NotFound|Warning)\b(?: \[\w{1,60}\])?|(?:[a-z_]\w{0,60}\.){1,8}[A-Z]\w{0,80}(?=: ))(?::\s?(.*))?$/;
/** pytest's short summary: `FAILED tests/a.py::test_b - AssertionError: no`. */
const pytestEntry = /^(?:FAILED|ERROR) \S{1,400} - (?=\S)/;
const shellError =
  /(?:: command not found|: not found|: No such file or directory|: Permission denied|: No module named \S{1,200}|: Is a directory|: cannot access .{0,300}|fatal: .{1,300}|: syntax error near .{1,200})$/;
const compiler =
  /(?:^|\s)(?:fatal )?(?:error|ERROR)(?:\[\w{1,12}\])?:? .{1,300}$|^npm ERR! .{1,300}$|^make(?:\[\d+\])?: \*\*\* .{1,300}$|^panic: .{1,300}$/;
const editor =
  /No replacement was performed.{0,400}|^Parameter `\w{1,40}` is required.{0,300}|Your proposed edit has introduced new syntax error|Invalid `?\w{1,40}`? parameter.{0,300}|The path .{1,300} (?:does not exist|is not an absolute path).{0,200}/;

/** First line of the complaint of an editing tool: Claude Code, Gemini CLI, Codex, pi, Cline, Moatless. */
const refusal =
  /^(?:String to replace not found in file|Found \d{1,6} matches of the string to replace|File has (?:not been read yet|been (?:unexpectedly )?modified)|InputValidationError: |No changes to make: |The user doesn't want to proceed|Failed to edit, |Error: (?:Failed to edit|Old text not found)|Tool "[^"]{1,80}" not found|\[Operation Cancelled\]|apply_patch verification failed|patch rejected|Could not find (?:the exact text|edits\[\d+\]) in |Found \d{1,6} occurrences of (?:the text|edits\[)|The SEARCH block:|The user denied this operation|No changes were made\.|The (?:provided )?old_str (?:and new_str|was not found)|Unable to run tests: )/;
/** The whole answer of tools that look for a file; a program may print the like in passing. */
const missing = /^(?:File does not exist\.|Path must be absolute: |File not found: |ENOENT: |File \S{1,300} (?:not found|does not exist))/;

/** What went wrong, as printed on one line; null: nothing known. The editor's words come first, then a typed error, then shells and compilers. */
export function errorLine(body: string): string | null {
  const lines = tailLines(body);
  const complaint = lines.map((line) => editor.exec(line)?.[0]).findLast((found) => found !== undefined);
  if (complaint !== undefined) return complaint.trim();
  const first = lines.find((line) => line.trim() !== "") ?? "";
  if (body.length <= edge && (refusal.test(first) || isMissing(body))) return first.trim();
  const error = lines.findLast((line) => typed.test(line.trim()) && !/Warning\b/.test(line));
  const listed = lines.findLast((line) => pytestEntry.test(line));
  if (error === undefined && listed !== undefined) return listed.replace(pytestEntry, "").trim();
  return (error ?? lines.findLast((line) => shellError.test(line) || compiler.test(line)))?.trim() ?? null;
}

const isMissing = (body: string): boolean => body.length <= 1_000 && missing.test(body) && linesOf(body.trim()).length <= 2;

const traceback = // Python, IPython, Node, Go, Rust
  /^(?:Traceback \(most recent call last\):|\s*File "[^"\n]{1,300}", line \d+|\s+at \S+ ?\(?.{1,300}:\d+:\d+\)?$|-{2,10}> ?\d+ |panic: |thread '.{1,100}' panicked)/;

/** Is a traceback the last thing in the body? */
export function endsInTraceback(body: string): boolean {
  const lines = linesOf(body.slice(-3_000)).filter((line) => line.trim() !== "");
  const error = lines.findLastIndex((line) => typed.test(line.trim()) && !/Warning\b/.test(line));
  const nearEnd = error >= 0 && lines.length - error <= 3;
  return lines.slice(-16).some((line) => traceback.test(line)) && (nearEnd || traceback.test(lines.at(-1) ?? ""));
}

/** Is the whole body one complaint of the shell or the editor? */
export function isBareError(body: string): boolean {
  const lines = linesOf(body.slice(0, 1_000)).filter((line) => line.trim() !== "");
  const [first] = lines;
  if (first === undefined || body.length > 20_000) return false;
  return (
    editor.test(first) ||
    refusal.test(first) ||
    first.startsWith("ERROR:") ||
    isMissing(body) ||
    (lines.length <= 2 && body.length <= 1_000 && lines.every((line) => shellError.test(line)))
  );
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "#"],
  [/\b0x[0-9a-f]+\b/gi, "#"],
  [/(?:~|\.{1,2})?(?:\/[\w.@+-]{1,100}){2,}\/?/g, "<path>"],
  [/\/[\w.@+-]{1,100}/g, "<path>"],
  [/\b[0-9a-f]{12,64}\b/gi, "#"],
  [/\d+(?:[.:,]\d+)*(?:\s?(?:ms|s|seconds)\b)?/g, "#"],
  [/\s+/g, " "],
];

/** One spelling for one failure: error type and message without numbers, paths, addresses and times; 160 characters at most. */
export function signatureOf(line: string): string {
  let text = line
    .slice(0, 400)
    .replace(/^E\s+/, "")
    .replace(/^FAILED \S+ - /, "");
  for (const [pattern, by] of replacements) text = text.replace(pattern, by);
  return text.trim().slice(0, 160).toWellFormed();
}

const ofSurroundings =
  /ModuleNotFoundError|ImportError|No module named|SyntaxError|IndentationError|command not found|: not found|No such file|can't open file|Permission denied|not configured|AppRegistryNotReady|ImproperlyConfigured/;

/** Is it an error of the agent's surroundings, not of the code in question? A missing module reproduces no bug. `line` as of `errorLine`. */
export const isOfSurroundings = (line: string): boolean => ofSurroundings.test(line);
