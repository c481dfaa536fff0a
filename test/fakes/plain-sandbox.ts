import { spawn } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExecLimits, Execution, Sandbox } from "../../stages/lib/sandbox.ts";

/** What a sandbox would show an agent as its environment: nothing of the host but where its programs are. */
const environment = { PATH: process.env["PATH"], LANG: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

function run(command: string, folder: string, { timeoutMs, outputBytes }: ExecLimits): Promise<Execution> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", `exec 2>&1\n${command}`], {
      cwd: folder,
      detached: true,
      env: { ...environment, HOME: folder },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-(child.pid ?? 0), "SIGKILL");
    }, timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      const output = Buffer.concat(chunks);
      const droppedBytes = Math.max(0, output.length - outputBytes);
      const kept = output.subarray(droppedBytes).toString("utf8");
      resolve({ output: kept, exitCode: timedOut ? null : exitCode, timedOut, shellLost: timedOut, droppedBytes, lossy: false });
    });
  });
}

/**
 * A fake: bash in a folder of the host, without any isolation, for tests whose commands are ours. Each command has a shell of its own. Every sandbox
 * opened from one `plainSandboxes` stands in the same place, so that a task can name it.
 */
export function plainSandboxes(files: Readonly<Record<string, string>>): {
  readonly workdir: string;
  /** Sandboxes opened so far. */
  opened(): number;
  open(): Promise<Sandbox>;
  remove(): void;
} {
  const home = mkdtempSync(join(tmpdir(), "catgen-plain-"));
  const [tree, workdir] = [join(home, "tree"), join(home, "workdir")];
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  for (const [path, content] of Object.entries(files)) write(join(tree, path), content);
  let count = 0;

  const sandbox: Sandbox = {
    exec: (command, limits) => run(command, workdir, limits),
    put: async (path, content) => {
      try {
        write(path, content);
        return { ok: true };
      } catch (error) {
        return { ok: false, why: String(error) };
      }
    },
    get: async (path, maxBytes) => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return { ok: false, why: "missing" };
      if (!found.isFile()) return { ok: false, why: found.isDirectory() ? "folder" : "special" };
      return found.size > maxBytes ? { ok: false, why: "too-large" } : { ok: true, bytes: readFileSync(path) };
    },
    snapshot: async () => ({ ok: false, why: "a plain folder makes no snapshots" }),
    destroy: async () => rmSync(workdir, { recursive: true, force: true }),
  };
  return {
    workdir,
    opened: () => count,
    open: async () => {
      count += 1;
      rmSync(workdir, { recursive: true, force: true });
      cpSync(tree, workdir, { recursive: true });
      const made = await run("git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm start", workdir, {
        timeoutMs: 60_000,
        outputBytes: 10_000,
      });
      if (made.exitCode !== 0) throw new Error(`expected a repository in ${workdir}, got ${made.output}`);
      return sandbox;
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
