import { randomInt } from "node:crypto";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../schemas/fault.ts";
import type { SandboxLimits, SandboxSpec } from "../../stages/lib/sandbox.ts";
import { shellQuoted } from "../../stages/lib/shell-quote.ts";
import type { Cell, Inmate } from "./cell.ts";
import { type ControlGroup, joinGroups, openControlGroup } from "./control-group.ts";
import { bornAt, descendants, signal } from "./host-processes.ts";
import { agentHome, agentId, type HostPrograms, hostPrograms, writeEtc } from "./host-programs.ts";
import { bashScript, type HostProcess, run, startOnHost } from "./inmate.ts";
import type { SandboxKind } from "./kind.ts";
import { openSandbox } from "./open-sandbox.ts";
import { diskMeter, makeScratch, removeTree } from "./scratch.ts";
import { callFilter } from "./system-calls.ts";

/**
 * A user of the host that nobody else is, for one sandbox started by root: it owns no file and no process but the sandbox', and the
 * kernel counts its processes apart. From the upper half of the ids that are mapped here (a container may map few).
 */
async function freshUser(): Promise<number> {
  const ranges = (await readFile("/proc/self/uid_map", "utf8")).trim().split("\n");
  const [first = 0, count = 0] = ranges
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([inside = 0, , length = 0]) => [inside, Math.min(length, 2 ** 31 - inside)] as const)
    .reduce((widest, range) => (range[1] > widest[1] ? range : widest));
  return first + randomInt(Math.floor(count / 2), count);
}

interface Site {
  readonly scratch: string;
  readonly workdir: string;
  readonly programs: HostPrograms;
  readonly limits: SandboxLimits;
  readonly group: ControlGroup;
  readonly etc: readonly string[];
  /** null: started by an ordinary user, who stays who they are. */
  readonly user: number | null;
  /** File with the filter of system calls; null: none for this machine. */
  readonly filter: string | null;
}

const sharedMemoryBytes = 2 ** 28;
/** Beside the agent's: bwrap itself, twice, and the helper with what it starts. A fork bomb must leave room for them. */
const ownProcesses = 16;

/** What the process sees. Order matters to bwrap: later ones lie over earlier ones. */
function view({ scratch, workdir, programs, etc, user, limits, filter }: Site): string[] {
  const { binds, links, node, environment } = programs;
  const nodeFrom = node !== null && user !== null ? join(scratch, "node") : node?.from;
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--uid", `${agentId}`, "--gid", `${agentId}`, "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...binds.flatMap(({ from, at }) => ["--ro-bind", from, at]),
    ...links.flatMap(({ to, at }) => ["--symlink", to, at]),
    ...(node === null ? [] : ["--ro-bind", nodeFrom ?? node.from, node.at]),
    ...etc.flatMap((name) => ["--ro-bind", join(scratch, "etc", name), `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--size", `${Math.min(sharedMemoryBytes, limits.memoryBytes)}`, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--bind", join(scratch, "tmp"), "/tmp", "--bind", join(scratch, "home"), agentHome],
    ...["--bind", join(scratch, "workdir"), workdir, "--chdir", workdir, "--remount-ro", "/", "--info-fd", "3"],
    ...(filter === null ? [] : ["--seccomp", "4"]),
  ];
}

/**
 * Set inside: the kernel counts the processes of a user namespace apart (since 5.14), so that an ordinary user's own do not count.
 * Address space is left alone: V8 and WebAssembly reserve gigabytes that they never touch. Without a control group the writable
 * memory of each process is bounded, and that of all together is watched.
 */
const bounds = ({ limits, group }: Site): string[] => [
  ...["prlimit", `--nproc=${limits.processes}`, `--fsize=${limits.fileBytes}`, `--cpu=${limits.cpuSeconds}`, "--core=0"],
  ...(group.boundsMemory ? [] : [`--data=${limits.memoryBytes}`]),
  "--",
];

/** Descriptors of ours that whoever started us left open: a program inside could read and write what they lead to. */
const closeInherited = `for at in /proc/self/fd/*; do at=\${at##*/}; [ "$at" -le 3 ] || eval "exec $at>&-"; done`;

/** In a mount namespace of its own, where root lays Node's folder (perhaps in root's home) where the sandbox' user can reach it. */
const layNode = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';

function commandLine(site: Site, program: readonly string[]): string[] {
  const { user, group, programs, scratch, filter } = site;
  const asUser = user === null ? [] : ["setpriv", "--reuid", `${user}`, "--regid", `${user}`, "--clear-groups", "--inh-caps=-all"];
  const withNode =
    user === null || programs.node === null
      ? []
      : ["unshare", "--mount", "--propagation", "private", "sh", "-c", layNode, "sh", programs.node.from, join(scratch, "node")];
  const openFilter = filter === null ? "" : `exec 4<${shellQuoted(filter)}; `;
  const launch = bashScript(`${closeInherited}; ${openFilter}${joinGroups}`, ...group.entrances, "--");
  return [...launch, ...withNode, ...asUser, "bwrap", ...view(site), ...bounds(site), ...program];
}

/** Process 1 of the namespace, seen from the host: what it starts dies with it. null: bwrap ended before it had one. */
async function firstProcess(host: HostProcess): Promise<number | null> {
  const told = await Promise.race([host.about, host.ended.then(() => "")]);
  return told === "" ? null : (JSON.parse(told) as { "child-pid": number })["child-pid"];
}

async function startInmate(site: Site, program: readonly string[]): Promise<Inmate & { readonly first: number | null }> {
  const host = await startOnHost(site.scratch, commandLine(site, program), { env: { PATH: process.env["PATH"] }, cwd: "/" });
  const first = await firstProcess(host);
  const born = first === null ? null : await bornAt(first);
  const lives = async (): Promise<boolean> => first !== null && born !== null && (await bornAt(first)) === born;
  return {
    first,
    input: host.input,
    output: host.output,
    ended: host.ended,
    interrupt: async (how) => {
      if (first === null || !(await lives())) return;
      const [, ...below] = await descendants(first); // the shell is the oldest child
      if (how === "ask") signal(-first, "SIGINT"); // leads the shell's group, and as process 1 heeds no signal itself
      for (const { pid } of below) signal(pid, how === "ask" ? "SIGINT" : "SIGKILL");
    },
    kill: async () => {
      // Process 1 is gone only when all others are. It outlives bwrap for a moment when the program inside ended by itself.
      if (first === null) host.signal("SIGKILL");
      for (; first !== null && (await lives()); await sleep(2)) signal(first, "SIGKILL");
      await host.ended;
    },
  };
}

async function openCell(spec: SandboxSpec): Promise<Cell> {
  const scratch = await makeScratch();
  const user = process.getuid?.() === 0 ? await freshUser() : null;
  const group = await openControlGroup(basename(scratch), { ...spec.limits, processes: spec.limits.processes + ownProcesses });
  const inmates = new Set<Awaited<ReturnType<typeof startInmate>>>();
  const remove = async (): Promise<void> => {
    await Promise.all([...inmates].map((inmate) => inmate.kill()));
    await group.remove();
    await removeTree(scratch);
  };
  try {
    const written = ["workdir", "tmp", "home"].map((name) => join(scratch, name));
    for (const folder of [...written, join(scratch, "node")]) await mkdir(folder, { mode: 0o755 });
    if (user !== null) for (const folder of [scratch, ...written]) await chown(folder, user, user);
    const etc = await writeEtc(join(scratch, "etc"));
    const calls = callFilter(process.arch);
    const filter = calls === null ? null : join(scratch, "filter");
    if (calls !== null && filter !== null) await writeFile(filter, calls, { mode: 0o444 });
    const site: Site = { scratch, workdir: spec.workdir, programs: await hostPrograms(), limits: spec.limits, group, etc, user, filter };
    const resident = async (): Promise<number> => {
      const all = await descendants(...[...inmates].flatMap(({ first }) => first ?? []));
      return all.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    };
    return {
      start: async (program) => {
        const inmate = await startInmate(site, program);
        inmates.add(inmate);
        void inmate.ended.then(() => inmates.delete(inmate));
        return inmate;
      },
      writtenBytes: diskMeter(scratch),
      residentBytes: group.boundsMemory ? null : resident,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What must hold before others' code is let in; each line that it prints is one that does not. */
const trial = `
  [ -z "$CATGEN_PROBE" ] || echo 'the environment of the host is seen inside'
  [ ! -e /etc/shadow ] || echo 'files of the host are seen inside'
  ! (exec 3<>/dev/tcp/127.0.0.1/9 || [ "$(grep -c : /proc/net/dev)" != 1 ]) 2>/dev/null || echo 'the network is reached from inside'
  ! unshare -Ur true 2>/dev/null || echo 'further user namespaces can be made inside'
  echo sound`;
const trialLimits: SandboxLimits = { memoryBytes: 2 ** 30, processes: 64, fileBytes: 2 ** 20, diskBytes: 2 ** 20, cpuSeconds: 60 };

async function probe(): ReturnType<SandboxKind["probe"]> {
  const version = await run("bwrap", ["--version"]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
  if (version === null) return { ok: false, why: "no program bwrap: install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)" };
  try {
    const sandbox = await bwrap.open({ image: null, workdir: "/workspace", tree: null, limits: trialLimits });
    const { output } = await sandbox.exec(trial, { timeoutMs: 10_000, outputBytes: 4_096 }).finally(() => sandbox.destroy());
    return output.trim() === "sound"
      ? { ok: true, detail: version }
      : { ok: false, why: `${version}: ${output.trim().replaceAll("\n", "; ")}` };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, why: `${version} is there and does not work (are user namespaces allowed for this user?): ${error.message}` };
  }
}

/** Linux namespaces through bubblewrap: what the host has installed, its own folder, nothing else. */
export const bwrap: SandboxKind = {
  name: "bwrap",
  confines: true,
  startsFrom: "host",
  probe,
  open: async (spec) => {
    if (spec.image !== null)
      throw new Fault("SANDBOX_MISSING", "stop", `bwrap knows no images, and ${spec.image} was asked for; use podman or docker`);
    return openSandbox(await openCell(spec), spec);
  },
};
