/**
 * What kind of thing a call does. `explore`: looks, here or in the web, and changes nothing. `think`: words only, such as plans, notes to
 * itself and questions to the user. `other`: nothing that the call says tells.
 */
export type ActionKind = "explore" | "edit" | "test" | "run" | "version-control" | "submit" | "think" | "other";

/** What a call asks for, before its answer is looked at. */
export interface Intent {
  readonly kind: ActionKind;
  /** Files edited, created, moved or removed, as written. */
  readonly files: readonly string[];
  /** Files and folders shown or searched, as written. */
  readonly reads: readonly string[];
  /** Files removed, as written, patterns included; also among `files` where they are no patterns. */
  readonly removes: readonly string[];
  /** Scripts and test files executed, as written. */
  readonly runs: readonly string[];
  /** Files that the script it writes will write when it is run: `open('a.py', 'w')` in the text of `fix.py`. */
  readonly writesWhenRun: readonly string[];
  /** Does it do nothing but install packages or set up an environment? */
  readonly installs: boolean;
  /** Does it commit to version control? */
  readonly commits: boolean;
  /** Does it run tests? Also true where the same command edits first. */
  readonly tests: boolean;
  /** Short form on one line: without `cd X &&` in front and without here-documents. */
  readonly command: string;
  /** May an exit code of 0 hide a failure (pipe, `|| true`, `;`)? */
  readonly masked: boolean;
}

/** Characters that the short form of a command may have. */
export const longestCommand = 160;

/** `text` on one line, cut at a space where one is near; ends in " …" when cut. */
export function shortened(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most + 200)
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed();
  if (line.length <= most && text.length <= 4 * most + 200) return line;
  const piece = line.slice(0, most - 2);
  const space = piece.lastIndexOf(" ");
  return `${(space > most / 2 ? piece.slice(0, space) : piece).replace(/[\ud800-\udbff]$/, "").trimEnd()} …`;
}

export const unique = (items: Iterable<string>): string[] => [...new Set(items)];

/** Intent of a tool that is no shell; what it prints counts, since only some products say beside it whether it failed. */
export const intent = (kind: ActionKind, command: string, files: readonly string[] = [], reads: readonly string[] = []): Intent => ({
  kind,
  files,
  reads,
  removes: [],
  runs: [],
  writesWhenRun: [],
  installs: false,
  commits: false,
  tests: kind === "test",
  command: shortened(command, longestCommand),
  masked: true,
});

/** In order of what the answer is about: a script that is written and run at once is a run. */
const byWeight: readonly ActionKind[] = ["submit", "test", "run", "edit", "version-control", "explore", "think"];

/** The kind that stands for all of them; `other` when there is none. */
export const weightiest = (kinds: readonly ActionKind[]): ActionKind => byWeight.find((kind) => kinds.includes(kind)) ?? "other";
