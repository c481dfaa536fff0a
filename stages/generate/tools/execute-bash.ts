import { bashTool } from "../../lib/personas/paper-tools.ts";
import type { Execution } from "../../lib/sandbox.ts";
import { flag, readArguments, seconds, text } from "./arguments.ts";
import { type AgentTool, type Observation, refused, type ToolContext, type ToolLimits } from "./tool.ts";
import { truncate } from "./truncate.ts";

export interface BashCall {
  readonly command: string;
  readonly is_input: boolean | null;
  /** Seconds. */
  readonly timeout: number | null;
}

/** UTF-8 takes at most 3 bytes for a UTF-16 unit; one more, so that what the sandbox leaves out lies inside of what `truncate` does. */
const bytesPerChar = 4;

const noProcess =
  "No process is waiting for input: every command runs until it ends or is interrupted, before the next call. Give input with the command itself, e.g. `printf 'yes\\n' | ./install`, and run what has to go on in the background with its output in a file.";

/** Where folder and variables stand after a command that took the shell with it. */
export const shellRestarted = "[The shell was restarted: its working directory and variables are those of a new one.]";

function ending({ exitCode, timedOut, shellLost }: Execution, timeoutMs: number, limits: ToolLimits): string[] {
  const lost = shellLost ? [shellRestarted] : [];
  if (timedOut) {
    const most = timeoutMs === limits.commandTimeoutMs ? ", the longest a command may take," : "";
    const kept = shellLost ? "" : " The shell is still there, with its working directory and variables.";
    return [...lost, `[The command timed out after ${timeoutMs / 1_000} seconds${most} and was interrupted.${kept}]`];
  }
  return [...lost, exitCode === null ? "[The command gave no exit code.]" : `[The command completed with exit code ${exitCode}.]`];
}

async function run({ command, is_input, timeout }: BashCall, { sandbox, limits }: ToolContext): Promise<Observation> {
  if (is_input === true) return refused(noProcess);
  if (command.trim() === "") return refused(`The command is empty. ${noProcess}`);
  const timeoutMs = Math.min(limits.commandTimeoutMs, Math.ceil((timeout ?? Number.POSITIVE_INFINITY) * 1_000));
  const execution = await sandbox.exec(command, { timeoutMs, outputBytes: limits.observationChars * bytesPerChar });
  const output = truncate(execution.output.trimEnd(), limits.observationChars, execution.droppedBytes);
  const lines = [
    ...(output === "" ? [] : [output]),
    ...(execution.lossy ? ["[Some of the output is no UTF-8 text and is shown as \ufffd.]"] : []),
    ...ending(execution, timeoutMs, limits),
  ];
  return { text: lines.join("\n"), failed: execution.exitCode === null ? true : null, exitCode: execution.exitCode, ends: false };
}

/** A command in the sandbox's one shell: its output without white space at the end, notes in brackets, and how it ended in the last line. */
export const executeBash: AgentTool<BashCall> = {
  name: bashTool.name,
  schema: bashTool.schema,
  parse: (json) => readArguments(bashTool, json, { command: text }, { is_input: flag, timeout: seconds }),
  run,
};
