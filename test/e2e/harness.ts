import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly folder: string;
  readonly runs: string;
  /** Runs the real command line in a child process. */
  catgen(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  json<T>(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<T>;
  write(name: string, text: string | Uint8Array): Promise<string>;
  remove(): Promise<void>;
}

/** No endpoint of the tester's own may leak into a test. */
const bare = (runs: string): NodeJS.ProcessEnv => {
  const env = { ...process.env, CATGEN_RUNS: runs, CATGEN_CACHE: join(runs, "..", "cache"), NO_COLOR: "1" };
  for (const name of ["CATGEN_BASE_URL", "CATGEN_MODEL", "CATGEN_API_KEY"]) delete env[name as keyof typeof env];
  return env;
};

export function startCatgen(runs: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, [join(repository, "pipeline", "bin.mjs"), ...args], {
    cwd: repository,
    env: { ...bare(runs), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** A folder of its own for one test file. */
export async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "catgen-e2e-"));
  const runs = join(folder, "runs");
  const catgen: Place["catgen"] = (args, env = {}) =>
    new Promise((done, fail) => {
      const child = startCatgen(runs, args, env);
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
      child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
      child.on("error", fail);
      child.on("close", (code) => done({ code, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") }));
    });
  return {
    folder,
    runs,
    catgen,
    json: async <T>(args: readonly string[], env?: Readonly<Record<string, string>>) => {
      const { code, stdout, stderr } = await catgen([...args, "--json", "--quiet"], env);
      if (code !== 0) throw new Error(`catgen ${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    write: async (name, text) => {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
