import { Entry, type MemoryNotes, type MemoryPart, nothingNoted } from "../../../schemas/memory-notes.ts";
import { attemptOf, emptyNotes, heading, memorySections, oneLine } from "../../lib/memory-text.ts";

/** One bullet of a memory. Its words come from the input; what we add are labels such as "failed twice" or "Files read". */
export interface Note {
  readonly part: MemoryPart;
  /** One line, without the dash; an attempt's begins with its outcome. */
  readonly text: string;
  /** 0..about 1: how much the next steps would miss it. Decides what is dropped when the budget binds, not the order. */
  readonly weight: number;
  /** Two notes with one key tell about one thing; the newer one replaces the older. */
  readonly key: string;
}

/** `text` between backticks, as Markdown has it; two of them where the text holds one. */
export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** How often something was tried. Words up to 9, since the number itself is nowhere in the input. */
export const times = (count: number): string =>
  count === 1 ? "" : count === 2 ? " twice" : count < 10 ? ` ${count} times` : " many times";
/** The count in "failed 3 times"; 1 where none is stated. */
export const timesIn = (words: string): number =>
  /\btwice\b/.test(words) ? 2 : /\bmany times\b/.test(words) ? 10 : Number(/\b([3-9]) times\b/.exec(words)?.[1] ?? 1);

const attempt = /^(failed|worked|ran): (`` .{1,400}? ``|`[^`]{1,400}`)( twice| [3-9] times| many times)?(?: \([^)]{0,300}\))?(?:: |$)/;

/** What an attempt's note is about: command, how it ended, how often; null for other notes. */
export function attemptIn(
  text: string,
): { readonly command: string; readonly ended: string; readonly count: number; readonly rest: string } | null {
  const found = attempt.exec(text);
  if (found === null) return null;
  return { command: found[2] ?? "", ended: found[1] ?? "", count: timesIn(found[3] ?? ""), rest: text.slice(found[0].length) };
}

/** File and line of a note that names a place in the code; null for other notes. */
export function placeIn(text: string): { readonly file: string; readonly line: string } | null {
  const found = /^`([^`]{1,200})` line (\d{1,6}): /.exec(text);
  return found === null ? null : { file: found[1] ?? "", line: found[2] ?? "" };
}

/** What a command printed, in a note of its own. */
export const showingOf = (command: string, lines: string): string => `${command} printed: ${lines}`;
const showing = /^(`` .{1,400}? ``|`[^`]{1,400}`) printed: /;
/** Does a note only tell what was printed? Such notes fill room, and are the first to go. */
export const isShowing = (text: string): boolean => showing.test(text);

/** Notes that hold a list under a label: they are merged, not replaced. */
export const listLabels = ["Files read", "Names that came up often"] as const;
const labels = [...listLabels, "Last test run", "Failing tests", "Last plan"];

/** The key of a note by its text alone, so that notes of an earlier memory meet their successors. */
export function keyOf(part: MemoryPart, text: string): string {
  const label = labels.find((one) => text.startsWith(`${one}:`));
  if (label !== undefined) return label;
  const tried = part === "attempts" ? attemptIn(text) : null;
  if (tried !== null) return `${tried.command} ${tried.ended} ${tried.rest.replace(/\d+/g, "#").slice(0, 80)}`;
  const place = placeIn(text);
  if (place !== null) return `${place.file} line ${place.line}`;
  const shown = showing.exec(text);
  if (shown !== null) return `printed ${shown[1]}`;
  const open = /^Not working yet: (`` .{1,400}? ``|`[^`]{1,400}`)/.exec(text);
  return open === null ? `${part} ${text.toLowerCase()}` : `Not working yet ${open[1]}`;
}

export const note = (part: MemoryPart, text: string, weight: number): Note => ({ part, text, weight, key: keyOf(part, text) });

/** The bullets of an earlier memory, whoever wrote it: each line under a heading is one; lines before the first count as completed. */
export function notesOf(memory: string): Omit<Note, "weight">[] {
  const parts = new Map<string, MemoryPart>(memorySections.map(({ part, title }) => [heading(title), part]));
  let part: MemoryPart = "completed";
  const notes: Omit<Note, "weight">[] = [];
  for (const line of memory.split("\n")) {
    const next = parts.get(line.trim());
    const text = oneLine(line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, ""));
    if (next !== undefined) part = next;
    else if (text !== "" && text !== nothingNoted) notes.push({ part, text, key: keyOf(part, text) });
  }
  return notes;
}

/** The notes as the structure that every memory has; what cannot be an entry of it is left out. */
export function structured(notes: readonly Note[]): MemoryNotes {
  const all = emptyNotes();
  for (const { part, text } of notes) {
    if (!Entry.safeParse(text).success) continue;
    if (part !== "attempts") all[part].push(text);
    else all.attempts.push(attemptOf(text) ?? { outcome: "ran", text });
  }
  return all;
}
