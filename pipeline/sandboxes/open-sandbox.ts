import { Fault } from "../../schemas/fault.ts";
import type { ExecLimits, Execution, Sandbox, SandboxSpec } from "../../stages/lib/sandbox.ts";
import type { Cell } from "./cell.ts";
import { furnish } from "./furnish.ts";
import { insideFiles } from "./inside-files.ts";
import { agentBash, helperBash, openShell, type Ran, type Shell } from "./shell.ts";
import { excess, watch } from "./watch.ts";

/** A shell that does not answer for so long will not; the slowest engines need about one second. */
const startMs = 30_000;
const helperMs = 60_000;

async function startShell(cell: Cell, whose: "agent" | "ours"): Promise<Shell> {
  const { shell, said } = await openShell(await cell.start(whose === "agent" ? agentBash : helperBash, whose), startMs);
  if (shell !== null) return shell;
  const what = said === "" ? "nothing" : JSON.stringify(said.slice(-500));
  throw new Fault("SANDBOX_BROKEN", "retry", `a bash was to be started in the sandbox and did not answer; it said ${what}`);
}

/** Of a process that a signal killed, an interactive bash without terminal complains that it cannot reset the terminal. */
const complaint = /^bash: \[\d+: \d+ \(-?\d+\)\] tcsetattr: Inappropriate ioctl for device\n/gm;

function executionOf(ran: Ran, freshShell: boolean, stopped: string | null): Execution {
  const { text, droppedBytes, lossy } = ran.output.text();
  const output = text.replace(complaint, "");
  const note = stopped === null ? "" : `${output === "" || output.endsWith("\n") ? "" : "\n"}[every process was stopped: ${stopped}]\n`;
  return {
    output: output + note,
    exitCode: stopped === null ? ran.exitCode : null,
    timedOut: ran.timedOut && stopped === null,
    shellLost: ran.lost || freshShell,
    droppedBytes,
    lossy,
  };
}

/** Makes a sandbox of what its kind supplies. The cell is removed when that fails. */
export async function openSandbox(cell: Cell, spec: SandboxSpec): Promise<Sandbox> {
  let shell: Shell;
  try {
    await furnish(cell, spec);
    shell = await startShell(cell, "agent");
  } catch (error) {
    await cell.remove();
    throw error;
  }
  let helper: Shell | null = null;
  let destroyed: Promise<void> | null = null;

  const exec = async (command: string, { timeoutMs, outputBytes }: ExecLimits): Promise<Execution> => {
    const freshShell = !shell.isAlive(); // it ended since the last command
    if (freshShell) shell = await startShell(cell, "agent");
    let stopped: string | null = null;
    const stopWatching = watch(cell, spec.limits, (why) => {
      stopped = why;
      return shell.kill();
    });
    const ran = await shell.run({ script: command, input: null, timeoutMs, keepBytes: outputBytes }).finally(stopWatching);
    if (stopped === null) {
      stopped = await excess(cell, spec.limits);
      if (stopped !== null) await shell.kill();
    }
    if (!shell.isAlive()) await shell.kill(); // what it left behind
    const lost = !shell.isAlive();
    if (lost) shell = await startShell(cell, "agent");
    return executionOf({ ...ran, lost }, freshShell, stopped);
  };

  return {
    exec,
    ...insideFiles(async (command) => {
      if (!helper?.isAlive()) helper = await startShell(cell, "ours");
      const ran = await helper.run({ ...command, timeoutMs: helperMs });
      // After a failure some of its input may be left unread, which the next script would be mistaken for.
      if (ran.lost || ran.timedOut || (command.input !== null && ran.exitCode !== 0)) await helper.kill();
      return ran.lost || ran.timedOut ? null : ran;
    }),
    destroy: () => {
      destroyed ??= Promise.all([shell.kill(), helper?.kill()]).then(() => cell.remove());
      return destroyed;
    },
  };
}
