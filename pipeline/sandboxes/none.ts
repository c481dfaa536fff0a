import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../schemas/fault.ts";
import type { Sandbox, SandboxSpec } from "../../stages/lib/sandbox.ts";
import type { Cell, Inmate } from "./cell.ts";
import { descendants, signal } from "./host-processes.ts";
import { startOnHost } from "./inmate.ts";
import type { SandboxKind } from "./kind.ts";
import { openSandbox } from "./open-sandbox.ts";
import { diskMeter, makeScratch, removeTree } from "./scratch.ts";

/** Processes that left their parents (`setsid`) still carry the sandbox' name in their environment. */
async function marked(name: string): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")).includes(`CATGEN_SANDBOX=${name}\0`) ? [Number(pid)] : [],
    ),
  );
  return found.flat();
}

/** Ours and the agent's are told apart by the name: the one may be ended without harm to the other. */
async function startInmate(scratch: string, program: readonly string[], whose: "agent" | "ours"): Promise<Inmate> {
  const name = `${basename(scratch)}-${whose}`;
  const env = { PATH: process.env["PATH"], HOME: join(scratch, "home"), LANG: "C.UTF-8", TERM: "dumb", PAGER: "cat", CATGEN_SANDBOX: name };
  const host = await startOnHost(scratch, program, { cwd: join(scratch, "workdir"), env, detached: true });
  return {
    input: host.input,
    output: host.output,
    ended: host.ended,
    interrupt: async (how) => {
      const below = await descendants(host.pid);
      if (how === "ask") signal(-host.pid, "SIGINT");
      for (const { pid } of below) signal(pid, how === "ask" ? "SIGINT" : "SIGKILL");
    },
    kill: async () => {
      for (const { pid } of await descendants(host.pid)) signal(pid, "SIGKILL");
      signal(-host.pid, "SIGKILL");
      host.signal("SIGKILL");
      for (let left = await marked(name); left.length > 0; left = await marked(name)) {
        for (const pid of left) signal(pid, "SIGKILL");
        await sleep(5);
      }
      await host.ended;
    },
  };
}

async function openCell(): Promise<{ readonly cell: Cell; readonly folder: string }> {
  const scratch = await makeScratch();
  for (const name of ["workdir", "home"]) await mkdir(join(scratch, name));
  const inmates: Inmate[] = [];
  const cell: Cell = {
    start: async (program, whose) => {
      const inmate = await startInmate(scratch, program, whose);
      inmates.push(inmate);
      return inmate;
    },
    writtenBytes: diskMeter(scratch),
    residentBytes: null,
    remove: async () => {
      await Promise.all(inmates.map((inmate) => inmate.kill()));
      await removeTree(scratch);
    },
  };
  return { cell, folder: join(scratch, "workdir") };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * No path of the host is made to appear as `workdir`: what is said of it, by name, is taken to mean the folder that it stands for,
 * on the way in and on the way out, so that what an agent sees does not depend on the machine.
 */
function renamed(sandbox: Sandbox, workdir: string, folder: string): Sandbox {
  const name = new RegExp(`(?<![\\w./-])${escaped(workdir)}(?![\\w.-])`, "g");
  const toHost = (text: string): string => text.replace(name, () => folder);
  return {
    exec: async (command, limits) => {
      const execution = await sandbox.exec(toHost(command), limits);
      return { ...execution, output: execution.output.replaceAll(folder, workdir) };
    },
    put: (path, content) => sandbox.put(toHost(path), content),
    get: (path, maxBytes) => sandbox.get(toHost(path), maxBytes),
    snapshot: (path, maxBytes) => sandbox.snapshot(toHost(path), maxBytes),
    destroy: () => sandbox.destroy(),
  };
}

async function open(spec: SandboxSpec): Promise<Sandbox> {
  if (spec.image !== null)
    throw new Fault("SANDBOX_MISSING", "stop", `without a sandbox there are no images, and ${spec.image} was asked for`);
  const { cell, folder } = await openCell();
  return renamed(await openSandbox(cell, spec), spec.workdir, folder);
}

/** The host itself, in a folder of its own and without the host's environment. Bounds time, output and disk; protects nothing. */
export const none: SandboxKind = {
  name: "none",
  confines: false,
  startsFrom: "host",
  probe: async () => ({ ok: true, detail: "no protection" }),
  open,
};
