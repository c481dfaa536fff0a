import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../schemas/fault.ts";
import type { Cell, Inmate } from "./cell.ts";
import { bashScript, type HostProcess, run, startOnHost } from "./inmate.ts";

/** A program that keeps containers, driven through its command line. */
export interface Engine {
  /**
   * Starts the container; made so that its first process is `keeper`. In the foreground and with our pipe as its stdin: when we die,
   * however we die, the pipe ends, the keeper with it, and with it every process of the container.
   */
  readonly boot: readonly string[];
  exec(program: readonly string[]): readonly string[];
  /** Ends every process, also where a fork bomb left no room for another. Files stay; `boot` may follow. */
  halt(): Promise<void>;
  remove(): Promise<void>;
  writtenBytes(limit: number): Promise<number>;
}

/** Says so when it runs, and waits for the end of its stdin. */
export const keeper = bashScript("echo ready; read -r _");

/** An image may have to be pulled first. */
const bootMs = 30 * 60_000;
const clientMs = 5_000;

/** For bash: signals a process group, or all that descends from its leader. A program's name may hold anything, also `)`. */
const interruptScript = (how: "ask" | "force", leader: number): string => `
  declare -A parent
  for at in /proc/[0-9]*; do read -r line <$at/stat || continue; set -- \${line##*) }; parent[\${at#/proc/}]=$2; done 2>/dev/null
  ${how === "ask" ? `kill -INT -- -${leader}` : ""}
  for pid in "\${!parent[@]}"; do
    up=\${parent[$pid]}
    while [ -n "$up" ] && [ "$up" != ${leader} ]; do up=\${parent[$up]}; done
    [ -z "$up" ] || kill -${how === "ask" ? "INT" : "KILL"} "$pid"
  done`;

export function engineCell(engine: Engine, scratch: string): Cell {
  const options = { env: process.env, cwd: "/" }; // the client's; nothing of it reaches a container
  let kept: HostProcess | null = null;

  async function boot(): Promise<HostProcess> {
    const host = await startOnHost(scratch, engine.boot, options);
    let said = "";
    const ready = new Promise<true>((resolve) => {
      host.output.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("utf8")).slice(-2_000);
        if (/^ready$/m.test(said)) resolve(true);
      });
    });
    const ended = host.ended.then(() => sleep(100, false as const)); // for its last words
    if (await Promise.race([ready, ended, sleep(bootMs, false as const, { ref: false })])) {
      void host.ended.then(() => (kept = kept === host ? null : kept));
      return host;
    }
    host.signal("SIGKILL");
    throw new Fault(
      "SANDBOX_BROKEN",
      "retry",
      `a container was to be started with ${engine.boot[0]}, which said ${JSON.stringify(said.trim())}`,
    );
  }

  async function halt(): Promise<void> {
    const last = kept;
    await engine.halt();
    if (last === null) return;
    await Promise.race([last.ended, sleep(clientMs, undefined, { ref: false })]);
    last.signal("SIGKILL");
    await last.ended;
    kept = null;
  }

  return {
    start: async (program, whose): Promise<Inmate> => {
      kept ??= await boot();
      // An image may name a file that every bash reads first; agents' commands may need it, ours must not.
      const host = await startOnHost(scratch, engine.exec(whose === "agent" ? program : ["env", "-u", "BASH_ENV", ...program]), options);
      return {
        input: host.input,
        output: host.output,
        ended: host.ended,
        interrupt: async (how, group) => {
          const [file = "", ...rest] = engine.exec(bashScript(interruptScript(how, group)));
          await run(file, rest, { timeout: clientMs }).catch(() => undefined); // no room for it: `kill` comes next
        },
        kill: async () => {
          if (whose === "agent") await halt();
          host.input.end();
          const late = await Promise.race([host.ended.then(() => false), sleep(whose === "agent" ? clientMs : 100, true, { ref: false })]);
          if (late) host.signal("SIGKILL");
          await host.ended;
        },
      };
    },
    writtenBytes: engine.writtenBytes,
    residentBytes: null,
    remove: async () => {
      await halt();
      await engine.remove();
    },
  };
}
