import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { containerKind } from "../../../pipeline/sandboxes/container.ts";
import { sandboxKinds } from "../../../pipeline/sandboxes/index.ts";
import type { SandboxKind } from "../../../pipeline/sandboxes/kind.ts";
import type { Execution, Sandbox, SandboxLimits, SandboxSpec } from "../../../stages/lib/sandbox.ts";
import { fakeEngine } from "../../fakes/container-engine.ts";

export const mebibyte = 2 ** 20;
export const limits: SandboxLimits = {
  memoryBytes: 512 * mebibyte,
  processes: 64,
  fileBytes: 100 * mebibyte,
  diskBytes: 300 * mebibyte,
  cpuSeconds: 60,
};

/** A kind that works here, and what to open it with. */
export interface Site {
  readonly title: string;
  readonly kind: SandboxKind;
  readonly image: string | null;
  readonly workdir: string;
}

export const temporaryFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "catgen-test-")));

/** An image with bash, coreutils, tar and git, for the kinds that start from one: none can be fetched in a test. */
const image = process.env["CATGEN_TEST_IMAGE"] ?? null;

/** CATGEN_TEST_SANDBOX names a kind that is tried even though its probe warns of it. */
async function siteOf(kind: SandboxKind): Promise<Site | string> {
  const probed = await kind.probe();
  if (!probed.ok && process.env["CATGEN_TEST_SANDBOX"] !== kind.name) return `${kind.name} is left out: ${probed.why}`;
  if (kind.startsFrom === "host") return { title: kind.name, kind, image: null, workdir: "/workspace" };
  return image === null
    ? `${kind.name} is left out: CATGEN_TEST_IMAGE names no image`
    : { title: kind.name, kind, image, workdir: "/workspace" };
}

/** Every kind that works here. Why the others do not is printed. */
export async function realSites(): Promise<Site[]> {
  const sites = await Promise.all(Object.values(sandboxKinds).map(siteOf));
  for (const site of sites) if (typeof site === "string") console.warn(site);
  return sites.filter((site) => typeof site !== "string");
}

/** The adapter of docker and podman, with a command line behind it that only pretends. Its containers are folders of the host. */
export function fakeSite(): Site & { readonly engine: ReturnType<typeof fakeEngine>; remove(): void } {
  const folder = temporaryFolder();
  const workdir = join(folder, "workdir");
  mkdirSync(workdir);
  const engine = fakeEngine(join(folder, "engine"));
  const kind = { ...containerKind({ name: "docker", program: engine.program }), confines: false };
  return {
    title: "docker (a fake of its command line)",
    kind,
    image: "task:1",
    workdir,
    engine,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export const openAt = (site: Site, change: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  site.kind.open({ image: site.image, workdir: site.workdir, tree: null, limits, ...change });

export const run = (sandbox: Sandbox, command: string, timeoutMs = 20_000, outputBytes = mebibyte): Promise<Execution> =>
  sandbox.exec(command, { timeoutMs, outputBytes });

/** Writes `{ path: text }` under a new folder. */
export function treeOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Command lines of live processes that hold `text`. Dead ones that nobody reaped have none. */
export const liveWith = (text: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
        return line.includes(text) ? [`${pid} ${line}`] : [];
      } catch {
        return []; // ended meanwhile
      }
    });

/** Waits until `holds`, or a long time has passed. */
export async function until(holds: () => boolean, patienceMs = 15_000): Promise<boolean> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await pause(20)) if (holds()) return true;
  return holds();
}

export const isLinux = process.platform === "linux";
export const mkfifo = (path: string): void => void execFileSync("mkfifo", [path]);
