import { randomBytes } from "node:crypto";
import { Fault } from "../../schemas/fault.ts";
import type { SandboxSpec } from "../../stages/lib/sandbox.ts";
import { type Engine, engineCell, keeper } from "./engine-cell.ts";
import { run } from "./inmate.ts";
import type { SandboxKind } from "./kind.ts";
import { openSandbox } from "./open-sandbox.ts";
import { isOrphan, makeScratch, ownedPrefix, removeTree } from "./scratch.ts";

interface Client {
  readonly name: "docker" | "podman";
  readonly program: string;
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

/** What a client said when it failed, in one line. */
async function said(client: Client, ...words: string[]): Promise<{ readonly ok: boolean; readonly text: string }> {
  try {
    return { ok: true, text: (await run(client.program, words, { maxBuffer: 2 ** 24 })).stdout.trim() };
  } catch (error) {
    const { stderr, code } = error as { stderr?: string; code?: string | number };
    return { ok: false, text: code === "ENOENT" ? `no program ${client.name}` : lastLine(stderr ?? "") || `ended with ${code}` };
  }
}

/** Containers whose process was killed have ended with it; they still hold their files. */
async function sweep(client: Client): Promise<void> {
  const { ok, text } = await said(client, "ps", "--all", "--filter", "name=catgen-sandbox-", "--format", "{{.Names}}");
  for (const name of ok ? text.split("\n") : []) if (await isOrphan(name)) await said(client, "rm", "--force", name);
}

/** Without network, capabilities and ways to win them; nothing of the host mounted. */
export const createWords = (name: string, image: string, { workdir, limits }: SandboxSpec): string[] => [
  ...["create", "--interactive", "--name", name, "--hostname", "sandbox", "--network", "none"],
  ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ...["--pids-limit", `${limits.processes}`, "--memory", `${limits.memoryBytes}`, "--memory-swap", `${limits.memoryBytes}`],
  ...["--ulimit", `fsize=${limits.fileBytes}`, "--ulimit", `cpu=${limits.cpuSeconds}`, "--ulimit", "core=0"],
  ...["--workdir", workdir, "--entrypoint", keeper[0] ?? "", image, ...keeper.slice(1)],
];

/** The engine has to walk a container's files to know their size: not more often than this, ms. */
const sizeEveryMs = 5_000;

async function open(client: Client, spec: SandboxSpec) {
  if (spec.image === null)
    throw new Fault("SANDBOX_MISSING", "stop", `${client.name} starts from an image, and the task names none; use bwrap`);
  await sweep(client);
  const name = `${await ownedPrefix()}${randomBytes(4).toString("hex")}`;
  const created = await said(client, ...createWords(name, spec.image, spec));
  if (!created.ok)
    throw new Fault("SANDBOX_BROKEN", "retry", `${client.name} could not make a container of ${spec.image}: ${created.text}`);
  const scratch = await makeScratch();
  let size = { bytes: 0, untilMs: 0 };
  const engine: Engine = {
    boot: [client.program, "start", "--attach", "--interactive", name],
    exec: (program) => [client.program, "exec", "--interactive", "--workdir", spec.workdir, name, ...program],
    halt: async () => void (await said(client, "kill", name)),
    remove: async () => {
      await said(client, "rm", "--force", "--volumes", name);
      await removeTree(scratch);
    },
    writtenBytes: async () => {
      if (Date.now() < size.untilMs) return size.bytes;
      const { text } = await said(client, "inspect", "--size", "--format", "{{.SizeRw}}", name);
      size = { bytes: Number.parseInt(text, 10) || 0, untilMs: Date.now() + sizeEveryMs };
      return size.bytes;
    },
  };
  return openSandbox(engineCell(engine, scratch), spec);
}

/** Docker and Podman understand the same words. */
export function containerKind(client: Client): SandboxKind {
  return {
    name: client.name,
    confines: true,
    startsFrom: "image",
    probe: async () => {
      const { ok, text } = await said(client, "version", "--format", "{{.Server.Version}}");
      if (ok) return { ok, detail: `${client.name} ${text}` };
      return { ok, why: `${text}${text.startsWith("no program") ? "" : ` (is ${client.name} running, and may this user reach it?)`}` };
    },
    open: (spec) => open(client, spec),
  };
}

export const docker = containerKind({ name: "docker", program: "docker" });
export const podman = containerKind({ name: "podman", program: "podman" });
