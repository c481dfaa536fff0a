import type { AttemptOutcome } from "../../../schemas/memory-notes.ts";
import { type Action, actionOf, changesFiles, sameFile, shortened } from "../../lib/commands/actions.ts";
import { givenIn, textIn } from "../../lib/commands/given.ts";
import { bodyOf } from "../../lib/commands/results.ts";
import { oneLine } from "../../lib/memory-text.ts";
import type { RenderedCall, RenderedStep } from "../../lib/render.ts";
import { code, type Note, note, times } from "./note.ts";

/** What was done and how it ended: notes from calls and their results. */

export interface Deed {
  readonly call: RenderedCall;
  readonly action: Action;
  /** 0..1: place in the fold; later ones matter more. */
  readonly lateness: number;
}

export const deedsOf = (steps: readonly RenderedStep[]): Deed[] =>
  steps.flatMap((step, index) => step.calls.map((call) => ({ call, action: actionOf(call), lateness: (index + 1) / steps.length })));

const longestPiece = 110;
/** Lines of an edit that are shown on either side. */
const mostLines = 5;
const piece = (text: string): string => code(shortened(oneLine(text), longestPiece));

/** The command without what only shapes its output. */
export const checkOf = (action: Action): string => oneLine(action.command.replace(/ \| (?:tail|head)\b[^|]*$/, "").replace(/ 2>&1/g, ""));
const tries = (action: Action): boolean =>
  action.kind === "run" || action.kind === "test" || action.kind === "version-control" || action.tests;

/** Lines of installers that say nothing about the work. */
export const noise = /^\s*(?:$|WARNING: |\[notice\]|npm (?:notice|warn)|Requirement already satisfied)/i;

/** The last lines of an answer, as many of four as are short together. */
const lastWords = (call: RenderedCall): string => {
  const lines = bodyOf(call.result ?? "")
    .slice(-4_000)
    .split("\n")
    .filter((line) => !noise.test(line))
    .slice(-4)
    .map(oneLine);
  while (lines.length > 1 && lines.join(" / ").length > 260) lines.shift();
  return lines.join(" / ");
};
/** The end of an attempt's note: what the tool said. */
function ending({ call, action }: Deed): string {
  if (!action.failed) return shortened(action.summary ?? lastWords(call), 280);
  const names = action.failing.length === 0 ? "" : `; failing: ${action.failing.slice(0, 6).join(", ")}`;
  return shortened(`${action.error ?? lastWords(call)}${names}`, 400);
}

const weightOf = ({ action, lateness }: Deed, count: number): number =>
  (action.failed ? 0.6 : action.tests ? 0.5 : 0.3) + (action.tests ? 0.1 : 0) + (count > 1 && action.failed ? 0.1 : 0) + 0.15 * lateness;

const runsNothing = ({ testResult }: Action): boolean => testResult !== null && testResult.passed === 0 && testResult.failed === 0;

/** Attempts and how each ended; equal ones are told once, with their number, at the place of the last. */
export function attempts(deeds: readonly Deed[]): Note[] {
  const groups = new Map<string, Deed[]>();
  for (const deed of deeds) {
    const { action } = deed;
    if (!(tries(action) || (action.failed && action.kind !== "explore" && action.error !== null))) continue;
    const key = `${checkOf(action)}\u0000${action.failed ? action.signature : `ok ${action.tests ? action.summary : ""}`}`;
    const group = groups.get(key) ?? [];
    groups.delete(key);
    groups.set(key, [...group.slice(-9), deed]);
  }
  return [...groups.values()].flatMap((group) => {
    const last = group.at(-1);
    if (last === undefined) return [];
    const { action } = last;
    const ended: AttemptOutcome = action.failed ? "failed" : action.tests && !runsNothing(action) ? "worked" : "ran";
    const summary =
      action.failed && action.summary !== null && action.summary !== action.error ? ` (${action.summary.replace(/[()]/g, "")})` : "";
    const said = ending(last);
    const text = `${ended}: ${code(checkOf(action))}${times(group.length)}${summary}${said === "" ? "" : `: ${said}`}`;
    return [note("attempts", text, weightOf(last, group.length))];
  });
}

/** Lines that one side has and the other has not; brackets and quotes alone are no lines. */
function changed(old: string, next: string): { removed: string[]; added: string[] } {
  const [before, after] = [old.split("\n"), next.split("\n")];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const middle = (lines: string[]): string[] => lines.slice(start, lines.length - end).filter((line) => /\w.*\w/.test(line));
  const [mine, theirs] = [middle(before), middle(after)];
  const [inOld, inNew] = [new Set(mine), new Set(theirs)];
  const [removed, added] = [mine.filter((line) => !inNew.has(line)), theirs.filter((line) => !inOld.has(line))];
  return removed.length + added.length > 0 ? { removed, added } : { removed: mine, added: theirs };
}

const lines = (all: readonly string[]): string => {
  const shown = all.slice(0, mostLines).map((line) => piece(line));
  return `${shown.join(", ")}${all.length > mostLines ? " …" : ""}`;
};

/** Names that new text defines: functions, classes, tests. */
function defines(text: string): string {
  const names = [
    ...text
      .slice(0, 20_000)
      .matchAll(/^[ \t]{0,8}(?:async )?(?:def|class|function|export (?:const|function|class)|fn|func) ([A-Za-z_]\w{1,60})/gm),
  ].map((found) => found[1] ?? "");
  const all = [...new Set(names)];
  return all.length === 0 ? "" : `, which defines ${all.slice(0, 6).map(code).join(", ")}${all.length > 6 ? " …" : ""}`;
}

const mostStars = 3; // more of them could backtrack for long, and hardly occur

/** Does `rm` with this word take the file away: itself, its folder, or by a pattern? */
function takesAway(word: string, file: string): boolean {
  if (!/[*?]/.test(word)) return sameFile(word, file) || file.startsWith(`${word.replace(/\/+$/, "")}/`);
  if (word.split("*").length - 1 > mostStars) return false;
  const glob = word
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]{0,200}")
    .replaceAll("?", "[^/]");
  return new RegExp(`^(?:\\./)?${glob}$`).test(file);
}

/** A line may both write and remove a file; a removal before the last here-document is not the end. */
const leavesRemoved = ({ removes }: Action, file: string, line: string): boolean =>
  removes.some((word) => takesAway(word, file)) && (!line.includes("<<") || /\brm\s/.test(line.slice(line.lastIndexOf("<<"))));

/** Does what these steps remove include the file, and nothing after that write it again? */
export const removedAtLast = (deeds: readonly Deed[], file: string): boolean => {
  const last = deeds.findLast(
    ({ action }) =>
      !action.failed && (action.removes.some((word) => takesAway(word, file)) || action.files.some((one) => sameFile(one, file))),
  );
  return last !== undefined && leavesRemoved(last.action, file, textIn(givenIn(last.call.arguments), "command") ?? "");
};

/** How an edit changed a file, in one line. */
function editText(call: RenderedCall, action: Action, file: string): string {
  const given = givenIn(call.arguments);
  const text = (...keys: string[]): string => textIn(given, ...keys) ?? "";
  const verb = text("command");
  const before = textIn(given, "oldstr", "oldstring", "oldtext");
  const whole = textIn(given, "filetext", "content", "contents");
  if (verb === "create") return `Created ${code(file)}${defines(text("filetext"))}`;
  if (verb === "undo_edit") return `Undid the last edit of ${code(file)}`;
  if (verb === "insert")
    return `Edited ${code(file)}: added ${lines(
      text("newstr", "newstring", "newtext")
        .split("\n")
        .filter((line) => line.trim() !== ""),
    )}`;
  if (verb === "str_replace" || (verb === "" && before !== null)) {
    const { removed, added } = changed(before ?? "", text("newstr", "newstring", "newtext"));
    if (added.length === 0)
      return removed.length === 0 ? `Edited ${code(file)}: blank lines only` : `Edited ${code(file)}: removed ${lines(removed)}`;
    return `Edited ${code(file)}: ${removed.length === 0 ? "added" : `replaced ${lines(removed)} with`} ${lines(added)}`;
  }
  if (verb === "" && whole !== null) return `Wrote ${code(file)}${defines(whole)}`;
  if (call.name === "create") return `Created ${code(file)}`;
  const typedIn =
    call.name === "edit" || call.name === "insert"
      ? verb
          .split("\n")
          .slice(1)
          .filter((line) => /\w.*\w/.test(line) && line !== "end_of_edit")
      : [];
  if (typedIn.length > 0) return `Edited ${code(file)} by ${code(action.command)}: ${lines(typedIn)}`;
  if (leavesRemoved(action, file, verb)) return `Removed ${code(file)}`;
  if (verb.includes("<<") && /\b(?:cat|tee)\b/.test(verb) && !/\bsed -i\b/.test(verb)) return `Wrote ${code(file)}${defines(verb)}`;
  return `Changed ${code(file)} with ${code(action.command)}`;
}

/** Files of one call that are told of; a call that touches more is one about all of them. Our choice. */
const mostFiles = 8;

/** Changes of files, in order; of a file that was removed again only that. `seen` tells files of the repository from the agent's own. */
export function edits(deeds: readonly Deed[], seen: (file: string) => boolean): Note[] {
  const changes: { file: string; text: string; weight: number }[] = [];
  for (const { call, action, lateness } of deeds) {
    if (!action.failed)
      for (const word of action.removes)
        for (let at = changes.length - 1; at >= 0; at -= 1) if (takesAway(word, changes[at]?.file ?? "")) changes.splice(at, 1);
    if (!changesFiles(action)) continue;
    for (const file of action.files.slice(0, mostFiles).map(oneLine)) {
      const text = shortened(editText(call, action, file), 700);
      changes.push({ file, text, weight: text.startsWith("Removed ") ? 0.25 : (seen(file) ? 0.75 : 0.4) + 0.1 * lateness });
    }
  }
  const newest = new Map<string, (typeof changes)[number]>();
  for (const change of changes) {
    newest.delete(change.text);
    newest.set(change.text, change);
  }
  return [...newest.values()].map((change) => note("changes", change.text, change.weight));
}

/** The last test run that printed something, and the names of what fails in it. */
export function lastTests(deeds: readonly Deed[]): Note[] {
  const last = deeds.findLast(({ action }) => action.tests && (action.summary !== null || action.failed));
  if (last === undefined) return [];
  const { action } = last;
  const said = action.summary ?? action.error ?? "failed";
  const run = note("tests", `Last test run: ${code(checkOf(action))}: ${said}`, 0.95);
  return action.failing.length === 0 ? [run] : [run, note("tests", `Failing tests: ${shortened(action.failing.join(", "), 600)}`, 0.95)];
}

/** Checks whose last outcome is a failure, with their error; the two latest. */
export function unsolved(deeds: readonly Deed[]): Note[] {
  const last = new Map<string, Deed>();
  for (const deed of deeds) {
    if (!tries(deed.action)) continue;
    last.delete(checkOf(deed.action));
    last.set(checkOf(deed.action), deed);
  }
  return [...last.values()]
    .filter(({ action }) => action.failed && action.error !== null)
    .slice(-2)
    .map(({ action, lateness }) =>
      note("questions", `Not working yet: ${code(checkOf(action))}: ${action.error ?? ""}`, 0.6 + 0.2 * lateness),
    );
}

/** Checks that work in these steps: what an earlier memory says about their failing is over. */
export const working = (deeds: readonly Deed[]): Set<string> =>
  new Set(deeds.filter(({ action }) => tries(action) && !action.failed).map(({ action }) => code(checkOf(action))));
