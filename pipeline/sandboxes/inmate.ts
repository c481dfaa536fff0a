import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";

export const run = promisify(execFile);

/** Without these a bash whose stdin is a socket (it takes that for a remote login) runs `~/.bashrc` first, which an agent may have written. */
export const bashScript = (script: string, ...args: readonly string[]): string[] => [
  "bash",
  "--noprofile",
  "--norc",
  "-c",
  script,
  "bash",
  ...args,
];

/** A process of ours on the host that stands for one inside: an engine's client, or the sandbox program itself. */
export interface HostProcess {
  readonly pid: number;
  readonly input: Writable;
  readonly output: Readable;
  /** What the program writes about itself to file descriptor 3, until it closes it. */
  readonly about: Promise<string>;
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

const textOf = async (stream: Readable): Promise<string> => Buffer.concat(await stream.toArray()).toString("utf8");

/**
 * Starts a program whose stdout and stderr are one real pipe. What Node gives a child is a socket pair, and a program that opens
 * `/dev/stdout` or `/dev/stderr` by name (`tee /dev/stderr`) cannot open a socket; nor can it open an unnamed pipe that belongs to
 * another user. A named one that all may open serves both.
 */
export async function startOnHost(
  folder: string,
  [program, ...rest]: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "detached">,
): Promise<HostProcess> {
  const pipe = join(folder, `pipe-${randomBytes(6).toString("hex")}`);
  await run("mkfifo", ["-m", "666", pipe]);
  const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(pipe, constants.O_WRONLY);
  rmSync(pipe);
  const output = new Socket({ fd: reading, readable: true, writable: false });
  output.on("error", () => output.destroy());
  const child = spawn(program ?? "", rest, { ...options, stdio: ["pipe", writing, writing, "pipe"] });
  closeSync(writing);
  child.stdin?.on("error", () => undefined); // the program ended first, which `ended` tells
  const about = textOf(child.stdio[3] as Readable).catch(() => "");
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(127)); // no such program
  });
  if (child.stdin === null) throw new Error("a child that was asked for a pipe has none");
  return { pid: child.pid ?? 0, input: child.stdin, output, about, ended, signal: (name) => void child.kill(name) };
}
