import { chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import type { Sandbox, SandboxLimits, SandboxSpec } from "../../stages/lib/sandbox.ts";
import { type ControlGroup, joinGroups, openControlGroup } from "./control-group.ts";
import { type Engine, engineCell, keeper } from "./engine-cell.ts";
import { agentHome, agentId, hostPrograms, writeEtc } from "./host-programs.ts";
import { bashScript, run } from "./inmate.ts";
import type { SandboxKind } from "./kind.ts";
import { openSandbox } from "./open-sandbox.ts";
import { diskMeter, makeScratch, removeTree } from "./scratch.ts";

/** gVisor's own threads count as processes to the host. */
const ownThreads = 256;

async function layOut(scratch: string, { workdir, limits }: SandboxSpec): Promise<void> {
  const { binds, links, node, environment } = await hostPrograms();
  const root = join(scratch, "root");
  await mkdir(root, { mode: 0o755 });
  for (const { to, at } of links) await symlink(to, join(root, at));
  const written = { workdir, tmp: "/tmp", home: agentHome };
  for (const name of Object.keys(written)) {
    await mkdir(join(scratch, name), { mode: 0o755 });
    if (process.getuid?.() === 0) await chown(join(scratch, name), agentId, agentId);
  }
  const etc = await writeEtc(join(scratch, "etc"));
  const bind = (source: string, destination: string, access: "ro" | "rw") => ({
    type: "bind",
    source,
    destination,
    options: ["rbind", access],
  });
  const readOnly = [
    ...binds,
    ...(node === null ? [] : [node]),
    ...etc.map((name) => ({ from: join(scratch, "etc", name), at: `/etc/${name}` })),
  ];
  const config = {
    ociVersion: "1.0.0",
    hostname: "sandbox",
    root: { path: root, readonly: true },
    process: {
      terminal: false,
      user: { uid: agentId, gid: agentId },
      args: keeper,
      env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      cwd: workdir,
      noNewPrivileges: true,
      capabilities: {},
      rlimits: [
        { type: "RLIMIT_FSIZE", hard: limits.fileBytes, soft: limits.fileBytes },
        { type: "RLIMIT_CPU", hard: limits.cpuSeconds, soft: limits.cpuSeconds },
        { type: "RLIMIT_CORE", hard: 0, soft: 0 },
        { type: "RLIMIT_NPROC", hard: limits.processes, soft: limits.processes },
      ],
    },
    mounts: [
      { type: "proc", source: "proc", destination: "/proc" },
      ...readOnly.map(({ from, at }) => bind(from, at, "ro")),
      ...Object.entries(written).map(([name, at]) => bind(join(scratch, name), at, "rw")),
    ],
    linux: { namespaces: ["pid", "network", "ipc", "uts", "mount"].map((type) => ({ type })) },
  };
  await writeFile(join(scratch, "config.json"), JSON.stringify(config));
}

async function open(spec: SandboxSpec): Promise<Sandbox> {
  if (spec.image !== null)
    throw new Fault(
      "SANDBOX_MISSING",
      "stop",
      `runsc starts from the host's programs here, and ${spec.image} was asked for; use podman or docker`,
    );
  const scratch = await makeScratch();
  const name = basename(scratch);
  let group: ControlGroup | null = null;
  try {
    await layOut(scratch, spec);
    group = await openControlGroup(name, { ...spec.limits, processes: spec.limits.processes + ownThreads });
  } catch (error) {
    await removeTree(scratch);
    throw error;
  }
  const { entrances, remove } = group;
  const rootless = process.getuid?.() === 0 ? [] : ["--rootless"];
  const runsc = [
    "runsc",
    "--root",
    join(scratch, "state"),
    "--network",
    "none",
    "--ignore-cgroups",
    "--file-access-mounts",
    "shared",
    ...rootless,
  ];
  const quietly = ([program = "", ...rest]: readonly string[]): Promise<unknown> => run(program, rest).catch(() => undefined);
  const engine: Engine = {
    boot: [...bashScript(joinGroups, ...entrances, "--"), ...runsc, "run", "--bundle", scratch, name],
    exec: (program) => [...runsc, "exec", "--user", `${agentId}:${agentId}`, "--cwd", spec.workdir, name, ...program],
    halt: async () => {
      await quietly([...runsc, "kill", "--all", name, "KILL"]);
      await quietly([...runsc, "delete", "--force", name]);
    },
    remove: async () => {
      await remove();
      await removeTree(scratch);
    },
    writtenBytes: diskMeter(scratch),
  };
  return openSandbox(engineCell(engine, scratch), spec);
}

const trialLimits: SandboxLimits = { memoryBytes: 2 ** 30, processes: 64, fileBytes: 2 ** 20, diskBytes: 2 ** 20, cpuSeconds: 60 };

async function probe(): ReturnType<SandboxKind["probe"]> {
  const version = await run("runsc", ["--version"]).then(
    ({ stdout }) => stdout.trim().split("\n")[0] ?? "",
    () => null,
  );
  if (version === null) return { ok: false, why: "no program runsc: install gVisor (Debian, Ubuntu: apt-get install runsc)" };
  try {
    const sandbox = await runsc.open({ image: null, workdir: "/workspace", tree: null, limits: trialLimits });
    const { output } = await sandbox
      .exec("ls -l /usr >/dev/null && echo sound", { timeoutMs: 20_000, outputBytes: 4_096 })
      .finally(() => sandbox.destroy());
    return output.trim() === "sound"
      ? { ok: true, detail: version }
      : { ok: false, why: `${version} does not run this host's programs (too old for them?): ${output.trim().split("\n")[0]}` };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, why: `${version} is there and does not work: ${error.message}` };
  }
}

/** gVisor: a kernel of its own in user space between others' code and the host's. Slower, and the strongest. */
export const runsc: SandboxKind = { name: "runsc", confines: true, startsFrom: "host", probe, open };
