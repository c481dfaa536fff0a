import { type ActionKind, type Intent, longestCommand, shortened, unique, weightiest } from "./intent.ts";
import { type Role, rolesOf } from "./programs.ts";
import { writtenByScript } from "./scripts.ts";
import { parseShell, type SimpleCommand } from "./shell.ts";

const writesText = (command: SimpleCommand): boolean => command.heredoc !== null && /^(?:cat|tee)$/.test(command.words[0] ?? "");

/** Ways there, and files that are written first, are left out: their text is not shown anyhow. */
function shortCommand(commands: readonly SimpleCommand[], kind: ActionKind, text: string): string {
  const follows = kind === "run" || kind === "test";
  const first = commands.findIndex(
    (command) => !(/^(?:cd|export|source|\.|set|true|:)$/.test(command.words[0] ?? ":") || (follows && writesText(command))),
  );
  if (first < 0) return shortened(text, longestCommand);
  let line = "";
  for (const command of commands.slice(first)) {
    const by = line === "" ? "" : command.joint === ";" ? "; " : ` ${command.joint} `;
    line += `${by}${command.text.replace(/\\\r?\n/g, " ")}`;
    if (line.length > 4 * longestCommand) break;
  }
  return shortened(line, longestCommand);
}

/** Kind of an action whose commands have this role. Moving files about is an edit, plumbing alone a look around. */
const kindOf = ({ kind }: Role): ActionKind => (kind === "tidy" ? "edit" : kind === "quiet" ? "explore" : kind);

/** Here-documents that become files, each with the files it is written to and those it writes when it is run. */
const writtenScripts = (commands: readonly SimpleCommand[]): { targets: string[]; writes: string[] }[] =>
  commands.filter(writesText).map((command) => ({
    targets: [...command.redirections.map(({ target }) => target), ...command.words.slice(1)].filter((target) => target !== ""),
    writes: writtenByScript(command.heredoc ?? ""),
  }));
const reversed = (text: string): string => text.split("").reverse().join("");

/** Asks whether any of the names ends in some text. They are sorted by their ends, so that a question costs a few looks however many there are. */
function endingIn(names: readonly string[]): (end: string) => boolean {
  const sorted = names.map(reversed).sort();
  return (end) => {
    const wanted = reversed(end);
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? "") < wanted) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(wanted) ?? false;
  };
}

/** What the scripts will write that are both written and run. */
function writtenAtOnce(scripts: readonly { targets: string[]; writes: string[] }[], runs: readonly string[]): string[] {
  const writing = scripts.filter(({ writes }) => writes.length > 0);
  if (writing.length === 0 || runs.length === 0) return [];
  const isRun = endingIn(runs);
  return writing.flatMap(({ targets, writes }) => (targets.some((target) => isRun(target.replace(/^\.\//, ""))) ? writes : []));
}

/** What a command line is for. */
export function shellIntent(text: string): Intent {
  const commands = parseShell(text);
  const roles = commands.flatMap((command) => rolesOf(command));
  const kind = weightiest(roles.map(kindOf));
  const own = commands.slice(commands.findIndex((command) => command.words[0] !== "cd"));
  const runs = unique(roles.flatMap((role) => role.runs));
  const scripts = writtenScripts(commands);
  const tried = roles.filter((role) => role.kind === "run" || role.kind === "test");
  return {
    kind,
    files: unique([...roles.flatMap((role) => role.files), ...writtenAtOnce(scripts, runs)]),
    reads: unique(roles.flatMap((role) => role.reads)),
    removes: unique(roles.flatMap((role) => role.removes)),
    runs,
    writesWhenRun: unique(scripts.flatMap(({ writes }) => writes)),
    installs: tried.length > 0 && tried.every((role) => role.installs),
    commits: roles.some((role) => role.commits),
    tests: roles.some((role) => role.kind === "test"),
    command: shortCommand(commands, kind, text),
    masked: own.slice(1).some((command) => command.joint !== "&&"),
  };
}
