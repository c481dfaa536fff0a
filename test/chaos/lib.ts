import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { type Verified, verifyRun } from "../../pipeline/run/verify.ts";
import { openRun } from "../../pipeline/store/run-folder.ts";
import { drawer } from "../../stages/lib/drawer.ts";
import { type Ended, repository, startCatgen } from "../e2e/harness.ts";
import { type FakeRun, messageLines } from "../fakes/message-runs.ts";
import { type FakeServer, type FakeServerOptions, startFakeServer } from "../fakes/openai-server.ts";
import { memoryText } from "../invariants/placement.ts";

/** Rounds of the long form. */
export const rounds = Number(process.env["CHAOS_ROUNDS"] ?? 100);

/** Printed with every failure; the same seed draws the same moments. */
export const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 2 ** 31);

export interface Chance {
  /** Uniform in [0, 1). */
  next(): number;
  /** Whole, in [0, below). */
  below(below: number): number;
}

export function chanceOf(purpose: string): Chance {
  const next = drawer(createHash("sha256").update(`${seed} ${purpose}`).digest().readUInt32LE(0));
  return { next, below: (below) => Math.floor(next() * below) };
}

/** Runs `work` and names the seed in whatever it throws. */
export async function seeded<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}; again with CHAOS_SEED=${seed}`, { cause: error });
  }
}

// ---- Places, processes ----

/** A few runs with folds enough that every stage has work, in every one of 4 shards. */
export const fewRuns: readonly FakeRun[] = Array.from({ length: 6 }, (_, index) => ({
  instance: `beta${index % 3}__web-${index}`,
  steps: 26 + 3 * index,
}));

/** A folder of its own for one kind of chaos: one input, and many run folders, all with the run `r`, so that even its name is the same. */
export interface Yard {
  readonly folder: string;
  readonly input: string;
  /** Given to every process of the yard. */
  readonly env: Readonly<Record<string, string>>;
  /** What makes or resumes the whole run. */
  readonly all: readonly string[];
  readonly server: FakeServer | null;
  close(): Promise<void>;
}

export const memory = memoryText("noted in request");
/** Calls in flight in stage 3. */
export const concurrency = 4;

export async function openYard(options: { runs?: readonly FakeRun[]; shards?: number; endpoint?: FakeServerOptions } = {}): Promise<Yard> {
  const folder = await mkdtemp(join(tmpdir(), "catgen-chaos-"));
  const input = join(folder, "in");
  await mkdir(input);
  await writeFile(join(input, "runs.jsonl"), messageLines(options.runs ?? fewRuns));
  const server = options.endpoint === undefined ? null : await startFakeServer({ reply: () => memory, ...options.endpoint });
  return {
    folder,
    input,
    server,
    env: server === null ? {} : { CATGEN_BASE_URL: server.baseUrl, CATGEN_MODEL: "fake-model" },
    all: ["run", "all", "--input", input, "--set", `run.shards=${options.shards ?? 4}`, "--set", `llm.concurrency=${concurrency}`],
    close: async () => {
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One run of a yard, with a reply cache of its own. */
export interface Site {
  readonly yard: Yard;
  readonly runs: string;
  readonly root: string;
}

export const siteAt = (yard: Yard, name: string): Site => ({ yard, runs: join(yard.folder, name), root: join(yard.folder, name, "r") });
export const cacheOf = (site: Site): string => join(site.yard.folder, `${relative(site.yard.folder, site.runs)}-cache`);

export async function copySite(from: Site, name: string): Promise<Site> {
  const to = siteAt(from.yard, name);
  await cp(from.runs, to.runs, { recursive: true });
  if (existsSync(cacheOf(from))) await cp(cacheOf(from), cacheOf(to), { recursive: true });
  return to;
}

export async function removeSite(site: Site): Promise<void> {
  await rm(site.runs, { recursive: true, force: true });
  await rm(cacheOf(site), { recursive: true, force: true });
}

const argsOf = (args: readonly string[]): string[] => [...args, "--run", "r", "--quiet", ...(args.includes("--json") ? [] : ["--json"])];

export function start(site: Site, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return startCatgen(site.runs, argsOf(args), { ...site.yard.env, CATGEN_CACHE: cacheOf(site), ...env });
}

export interface Finished extends Ended {
  readonly signal: NodeJS.Signals | null;
}

export function finished(child: ChildProcess): Promise<Finished> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr?.on("data", (bytes: Buffer) => err.push(bytes));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) =>
      done({ code, signal, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") }),
    );
  });
}

export const run = (site: Site, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  finished(start(site, args, env));

/** Under limits of the operating system, as `prlimit` sets them. */
export function runLimited(site: Site, limits: readonly string[], args: readonly string[]): Promise<Finished> {
  const child = spawn("prlimit", [...limits, process.execPath, join(repository, "pipeline", "bin.mjs"), ...argsOf(args)], {
    cwd: repository,
    env: { ...process.env, ...site.yard.env, CATGEN_RUNS: site.runs, CATGEN_CACHE: cacheOf(site), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return finished(child);
}

/** Runs and expects exit status 0; the message has what the process said. */
export async function mustRun(site: Site, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const ended = await run(site, args, env);
  expect(`${ended.code} ${ended.signal} ${ended.stderr}`).toMatch(/^0 /);
  return ended;
}

export async function until(condition: () => boolean | Promise<boolean>, everyMs = 5): Promise<void> {
  while (!(await condition())) await pause(everyMs);
}

/** Does the process hold the run's lock now? */
export async function holdsLock(site: Site, child: ChildProcess): Promise<boolean> {
  const text = await readFile(join(site.root, "lock.json"), "utf8").catch(() => "");
  return text.includes(`"pid":${child.pid},`);
}

const over = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export const untilLocked = (site: Site, child: ChildProcess): Promise<void> =>
  until(async () => over(child) || (await holdsLock(site, child)));

// ---- What a run looks like on disk ----

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Digest of every rows file and of every file of the dataset, by path. */
/** Card and statistics without what the run was billed: a call that a kill cut off is billed, and no row or sample shows it. */
function withoutSpent(name: string, bytes: Buffer): string | Buffer {
  if (name === "export/README.md") return bytes.toString("utf8").replace(/^(?:Spent on|No model was asked for) .*$/m, "");
  if (name !== "export/stats.json") return bytes;
  const { funnel, ...stats } = JSON.parse(bytes.toString("utf8")) as { funnel: Record<string, unknown> | null };
  const { spent: _, perKeptSample: __, ...rest } = funnel ?? {};
  return JSON.stringify({ ...stats, funnel: rest });
}

export async function snapshot(site: Site): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const path of (await filesUnder(site.root)).sort()) {
    const name = relative(site.root, path);
    if (/^stages\/[^/]+\/rows\/|^export\//.test(name))
      files[name] = createHash("sha256")
        .update(withoutSpent(name, await readFile(path)))
        .digest("hex");
  }
  return files;
}

/** Files that no finished run has: temporary ones, journals, locks. */
export async function leftovers(site: Site): Promise<string[]> {
  return (await filesUnder(site.root))
    .map((path) => relative(site.root, path))
    .filter((name) => /\.tmp-|\/journal\/|lock\.json/.test(name));
}

export const verified = async (site: Site): Promise<Verified> => verifyRun(await openRun(site.runs, "r"), () => undefined);

/** Nothing lost, nothing doubled, nothing left lying about. */
export async function expectWhole(site: Site, reference: Readonly<Record<string, string>>): Promise<void> {
  expect(await snapshot(site)).toEqual(reference);
  expect(await leftovers(site)).toEqual([]);
  expect((await verified(site)).damage).toEqual([]);
}

/** Largest rows file of a step; `nth`: of the others, in order of size. */
export async function rowsFile(site: Site, step: string, nth = 0): Promise<string> {
  const paths = await filesUnder(join(site.root, "stages", step, "rows"));
  const sized = await Promise.all(paths.map(async (path) => ({ path, size: (await readFile(path)).length })));
  const found = sized.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1))[nth];
  if (found === undefined) throw new Error(`no rows of ${step} in ${site.root}`);
  return found.path;
}

// ---- What the endpoint saw ----

/** How often each distinct body was asked for since request number `from`. */
export function asked(server: FakeServer, from: number): { readonly requests: number; readonly distinct: number } {
  const bodies = server.requests.slice(from).map(({ body }) => JSON.stringify(body));
  return { requests: bodies.length, distinct: new Set(bodies).size };
}

/** Keys of all replies kept, one per paid reply that reached the disk whole. */
export async function keptKeys(site: Site): Promise<string[]> {
  const keys: string[] = [];
  for (const path of await filesUnder(cacheOf(site)))
    for (const line of (await readFile(path, "utf8")).split("\n").slice(0, -1)) keys.push(line.slice(8, 72));
  return keys;
}
