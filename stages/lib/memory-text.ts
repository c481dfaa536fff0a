import {
  type AttemptOutcome,
  attemptOutcomes,
  Entry,
  type MemoryNotes,
  type MemoryPart,
  nothingNoted,
} from "../../schemas/memory-notes.ts";

/**
 * The sections of a memory, in order. They follow what CAT 2.4 (3) says a memory has to hold: completed subtasks, attempted strategies
 * and their outcomes, changes of the environment, facts that constrain later decisions, information useful for future steps.
 */
export const memorySections = [
  { part: "task", title: "Task", holds: "what is asked for and what counts as done, in one to three bullets" },
  { part: "completed", title: "Completed", holds: "subtasks that are done, each with what shows it" },
  {
    part: "attempts",
    title: "Attempts and outcomes",
    holds: `what was tried and how it ended; each bullet begins with ${attemptOutcomes.map((one) => `"${one}:"`).join(", ")}`,
  },
  { part: "changes", title: "Changes", holds: "files created, edited or removed and what is now in them; other lasting changes" },
  { part: "tests", title: "Tests", holds: "the last test command, its counts, and the names of the tests that still fail" },
  {
    part: "facts",
    title: "Facts and constraints",
    holds: "paths, symbols, line numbers, commands, error messages and rules that later steps need, word for word",
  },
  { part: "questions", title: "Open questions", holds: "what is not known or not decided yet" },
  { part: "next", title: "Next steps", holds: "what to do next, with exact paths, symbols and commands" },
] as const satisfies readonly { readonly part: MemoryPart; readonly title: string; readonly holds: string }[];

export type SectionTitle = (typeof memorySections)[number]["title"];

export const heading = (title: string): string => `## ${title}`;

/** Text on one line: blanks and control characters become single spaces. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

export const emptyNotes = (): MemoryNotes => ({
  task: [],
  completed: [],
  attempts: [],
  changes: [],
  tests: [],
  facts: [],
  questions: [],
  next: [],
});

/** What follows the dash of each bullet of a section. */
const bulletsOf = (notes: MemoryNotes, part: MemoryPart): string[] =>
  part === "attempts" ? notes.attempts.map(({ outcome, text }) => `${outcome}: ${text}`) : notes[part];

/** The memory's text, without a line end at its end. Valid notes come back unchanged from `parseMemory`. */
export const renderMemory = (notes: MemoryNotes): string =>
  memorySections
    .map(({ part, title }) => {
      const bullets = bulletsOf(notes, part);
      return [heading(title), ...(bullets.length === 0 ? [nothingNoted] : bullets).map((bullet) => `- ${bullet}`)].join("\n");
    })
    .join("\n\n");

export type MemoryProblem =
  | "memory-empty"
  | "memory-preamble"
  | "memory-sections-missing"
  | "memory-sections-disordered"
  | "memory-section-unknown"
  | "memory-section-empty"
  | "memory-line-malformed"
  | "memory-outcome-missing"
  | "memory-json-malformed";

/** Why a text is no memory. */
export interface NoMemory {
  readonly ok: false;
  readonly why: MemoryProblem;
  /** Where, 1 for the first line. */
  readonly line: number;
  /** What was expected there and what came, for whoever has to write it anew. */
  readonly detail: string;
}
export type ParsedMemory = { readonly ok: true; readonly value: MemoryNotes } | NoMemory;

export const noMemory = (why: MemoryProblem, index: number, detail: string): NoMemory => ({ ok: false, why, line: index + 1, detail });
export const quoted = (line: string): string => JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);

/** `failed: it` as its parts; null: it does not say how it ended. */
export function attemptOf(bullet: string): { readonly outcome: AttemptOutcome; readonly text: string } | null {
  const outcome = attemptOutcomes.find((one) => bullet.startsWith(`${one}: `));
  const text = outcome === undefined ? "" : bullet.slice(outcome.length + 2);
  return outcome !== undefined && Entry.safeParse(text).success ? { outcome, text } : null;
}

/** Adds one bullet to its section; what is wrong with it otherwise. */
function take(notes: MemoryNotes, part: MemoryPart, bullet: string, index: number): NoMemory | null {
  if (!Entry.safeParse(bullet).success) return noMemory("memory-line-malformed", index, `expected one bullet, got ${quoted(bullet)}`);
  if (part !== "attempts") {
    notes[part].push(bullet);
    return null;
  }
  const attempt = attemptOf(bullet);
  if (attempt === null)
    return noMemory(
      "memory-outcome-missing",
      index,
      `expected a bullet that begins with ${attemptOutcomes.map((one) => `"${one}: "`).join(", ")}, got ${quoted(bullet)}`,
    );
  notes.attempts.push(attempt);
  return null;
}

/** What is wrong with the headings of a text: each once, in order, nothing before them, no others. */
function headingProblem(lines: readonly string[]): NoMemory | null {
  const wanted = memorySections.map(({ title }) => heading(title));
  const found = lines.flatMap((line, index) => (line.startsWith("## ") ? [{ line, index }] : []));
  const unknown = found.find(({ line }) => !wanted.includes(line));
  const missing = wanted.filter((line) => !found.some((one) => one.line === line));
  if (missing.length > 0)
    return noMemory(
      "memory-sections-missing",
      unknown?.index ?? lines.length - 1,
      `expected every section, ${missing.join(", ")} is not there`,
    );
  if (unknown !== undefined)
    return noMemory("memory-section-unknown", unknown.index, `expected no section but ${wanted.join(", ")}; got ${quoted(unknown.line)}`);
  const wrong = found.findIndex(({ line }, place) => line !== wanted[place]);
  if (wrong >= 0)
    return noMemory(
      "memory-sections-disordered",
      found[wrong]?.index ?? 0,
      `expected ${wanted[wrong] ?? "no further section"}, got ${found[wrong]?.line}: each section once, in the order asked for`,
    );
  return found[0]?.index === 0 ? null : noMemory("memory-preamble", 0, `expected ${wanted[0]} first, got ${quoted(lines[0] ?? "")}`);
}

/**
 * The notes of a memory's text, or why and where it is none. Strict: headings `## `, bullets `- ` of one line, one blank line between
 * sections, `- none noted` alone where there is nothing. Rendering the result gives the text back, byte for byte.
 */
export function parseMemory(text: string): ParsedMemory {
  if (text.trim() === "") return noMemory("memory-empty", 0, "expected a memory, got nothing");
  const lines = text.split("\n");
  const problem = headingProblem(lines);
  if (problem !== null) return problem;
  const notes = emptyNotes();
  let at = 0;
  for (const [place, { part, title }] of memorySections.entries()) {
    at += 1; // its heading
    const first = at;
    for (; lines[at]?.startsWith("- "); at += 1) {
      const bullet = (lines[at] ?? "").slice(2);
      const alone = at === first && !lines[at + 1]?.startsWith("- ");
      const wrong = bullet === nothingNoted && alone ? null : take(notes, part, bullet, at);
      if (wrong !== null) return wrong;
    }
    const isLast = place === memorySections.length - 1;
    const [here, after] = [lines[at], lines[at + 1]];
    if (at === first && (here === undefined || here === "" || here.startsWith("## ")))
      return noMemory("memory-section-empty", at - 1, `expected "- ${nothingNoted}" where ${heading(title)} has nothing to say`);
    if (isLast ? here !== undefined : here !== "" || !after?.startsWith("## "))
      return noMemory("memory-line-malformed", at, `expected a bullet, or one blank line and the next heading; got ${quoted(here ?? "")}`);
    at += 1; // the blank line
  }
  return { ok: true, value: notes };
}
