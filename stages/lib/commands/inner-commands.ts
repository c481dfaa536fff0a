import { commandIn, givenIn } from "./given.ts";
import { unwrapped } from "./programs.ts";
import { parseShell, type SimpleCommand } from "./shell.ts";

/** A simple command without wrappers such as `sudo` and `timeout 60` in front. */
export interface InnerCommand {
  /** Name of the program without its folder. */
  readonly program: string;
  readonly words: readonly string[];
  /** Text of its here-documents; null: none. */
  readonly heredoc: string | null;
}

const shells = /^(?:bash|sh|zsh|dash)$/;
const deepest = 3; // `bash -c "bash -c ..."`; nobody nests further

function inner(command: SimpleCommand, depth: number): InnerCommand[] {
  const words = unwrapped(command.words);
  const program = (words[0] ?? "").slice((words[0] ?? "").lastIndexOf("/") + 1);
  const flag = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = shells.test(program) ? (flag > 0 ? (words[flag + 1] ?? null) : command.heredoc) : null;
  if (script !== null && depth < deepest) return parseShell(script).flatMap((one) => inner(one, depth + 1));
  return [{ program, words, heredoc: command.heredoc }];
}

/** The simple commands of a call to a shell, those inside `bash -c "..."` in place of the shell; none where the call has no command line. */
export function innerCommands(call: { readonly arguments: string }): InnerCommand[] {
  const line = commandIn(givenIn(call.arguments), "script", "keystrokes", "code");
  return line === null ? [] : parseShell(line).flatMap((command) => inner(command, 0));
}
