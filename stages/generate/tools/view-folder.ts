import { shellQuoted } from "../../lib/shell-quote.ts";
import { shellRestarted } from "./execute-bash.ts";
import { type Observation, refused, succeeded, type ToolContext } from "./tool.ts";

/** Bytes of a list that are read; a folder with more is refused. Far more than an observation holds. */
const listBytes = 1_048_576;

/** What every find has, GNU's and busybox's; folders get a slash. The agent's aliases and functions are stepped over. */
const listing = (root: string): string =>
  `command find ${shellQuoted(root)} -mindepth 1 -maxdepth 2 -name '.*' -prune -o -type d -exec printf '%s/\\n' {} + -o -print 2>/dev/null`;

/** Files and folders up to 2 levels deep, sorted by code unit, hidden ones left out. */
export async function viewFolder(path: string, { sandbox, limits }: ToolContext): Promise<Observation> {
  const root = `${path.replace(/\/+$/, "")}/`;
  const execution = await sandbox.exec(listing(root), { timeoutMs: limits.commandTimeoutMs, outputBytes: listBytes });
  const lost = execution.shellLost ? `\n${shellRestarted}` : "";
  // 1: some folder in it may not be read, or went away meanwhile.
  if (execution.exitCode === null || execution.exitCode > 1 || execution.droppedBytes > 0)
    return refused(`${path} could not be listed, or holds too many files. Look at parts of it with execute_bash, e.g. \`ls\`.${lost}`);
  const entries = execution.output.split("\n").flatMap((entry) => (entry === "" ? [] : [entry.replace(/\/{2,}/g, "/")]));
  const list = [root, ...entries.sort()].join("\n");
  return succeeded(`Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n${list}${lost}`);
}
