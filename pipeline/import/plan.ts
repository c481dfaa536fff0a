import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { isHubPath } from "../adapters/hub-file.ts";
import { hubParts } from "./hub-input.ts";

export interface InputPart {
  readonly path: string;
  /** Relative to the input it was found under, `/`-separated; starts with the input's own name where several folders are given. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Why it cannot be read at all (a link that leads nowhere, a pipe); else null. */
  readonly problem: string | null;
}

/** What is read together: one file, or the files that one run is spread over. */
export interface InputUnit {
  /** Digest over the files' digests and names. */
  readonly key: string;
  readonly kind: "file" | "completions" | "events";
  /** The beginning looks like an evaluation report: read it before the runs it may speak of. */
  readonly mayHoldFacts: boolean;
  readonly files: readonly InputPart[];
}

interface Hashed extends InputPart {
  readonly mayHoldFacts: boolean;
}

/**
 * Files, folders and datasets on the hub -> units, sorted by name. Every file is in exactly one unit (hidden ones and `node_modules` too; only `.git` folders are
 * left out); links are followed, never in circles. Digests are made by streaming.
 */
export async function planInputs(inputs: readonly string[]): Promise<InputUnit[]> {
  const paths = inputs.filter((input) => !isHubPath(input));
  const kinds = await Promise.all(paths.map(statOf));
  const folders = kinds.filter((kind) => kind.isDirectory()).length;
  const used = new Map<string, number>();
  const planned = new Set<string>();
  const files: Hashed[] = [];
  for (const [index, path] of paths.entries()) {
    if (!kinds[index]?.isDirectory()) {
      await addFile(files, planned, path, unique(basename(path), used));
      continue;
    }
    // With one folder names are relative to it. With several, a report of one must not be taken for another's.
    const prefix = folders > 1 ? `${unique(basename(await realpath(path)), used)}/` : "";
    const found = await walk(path, prefix, []);
    for (const file of found.filter((entry) => !planned.has(entry.path))) await addFile(files, planned, file.path, file.name, file.problem);
  }
  for (const input of inputs.filter(isHubPath)) for (const part of await hubParts(input)) files.push({ ...part, mayHoldFacts: false });
  return group(files.sort(byName));
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

async function statOf(path: string): Promise<{ isDirectory(): boolean }> {
  try {
    return await stat(path);
  } catch (cause) {
    const missing = cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
    if (missing) throw new Fault("INPUT_MISSING", "stop", `input ${path} does not exist; check the path given with --input`, { cause });
    throw new Fault("IO", "stop", `input ${path} cannot be read; check its permissions`, { cause });
  }
}

/** Names of inputs given side by side: the second `x` is `x~2`. */
function unique(name: string, used: Map<string, number>): string {
  const times = (used.get(name) ?? 0) + 1;
  used.set(name, times);
  const dot = name.indexOf(".", 1);
  const end = dot < 0 ? name.length : dot;
  return times === 1 ? name : `${name.slice(0, end)}~${times}${name.slice(end)}`;
}

interface Found {
  readonly path: string;
  readonly name: string;
  readonly problem: string | null;
}

/** `above`: real paths of the folders we are in; a link back to one of them is not entered. */
async function walk(folder: string, prefix: string, above: readonly string[]): Promise<Found[]> {
  const real = await realpath(folder);
  if (above.includes(real)) return [];
  const found: Found[] = [];
  for (const entry of (await listing(folder)).sort(byName)) {
    const path = join(folder, entry.name);
    const name = prefix + entry.name;
    const target = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry;
    if (target === null) found.push({ path, name, problem: "a link that leads nowhere" });
    else if (target.isDirectory()) found.push(...(entry.name === ".git" ? [] : await walk(path, `${name}/`, [...above, real])));
    else found.push({ path, name, problem: target.isFile() ? null : "no regular file" });
  }
  return found;
}

async function listing(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw new Fault("IO", "stop", `folder ${folder} cannot be listed; check its permissions`, { cause });
  }
}

async function addFile(files: Hashed[], planned: Set<string>, path: string, name: string, problem: string | null = null): Promise<void> {
  planned.add(path);
  files.push({ path, name, problem, ...(problem === null ? await hashOf(path) : { bytes: 0, sha256: digestOf(""), mayHoldFacts: false }) });
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Words that only the beginning of an evaluation report has; a false alarm costs one early look. */
const reportWords =
  /"(?:resolved(?:_ids|_instances)?|tests_status|patch_successfully_applied)"\s*:|^\s*\{\s*"[^"]*__[^"]*"\s*:\s*(?:true|false)|# SWE-bench Report/;

async function hashOf(path: string): Promise<{ bytes: number; sha256: string; mayHoldFacts: boolean }> {
  const hash = createHash("sha256");
  let bytes = 0;
  let head = "";
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      const data = Buffer.from(chunk);
      if (bytes === 0) head = data.toString("utf8", 0, 1 << 16);
      hash.update(data);
      bytes += data.length;
    }
  } catch (cause) {
    throw new Fault("IO", "stop", `file ${path} cannot be read; check its permissions`, { cause });
  }
  return { bytes, sha256: hash.digest("hex"), mayHoldFacts: /\.(?:json|md)$/i.test(path) && reportWords.test(head) };
}

/** OpenHands logs one model call per file, `<model>-<seconds since 1970>.json`. */
const completionName = /-(\d{9,}(?:\.\d+)?)\.json$/;
/** The SDK stores one event per file. */
const eventName = /^event-(\d+)-.+\.json$/;

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf("/") + 1);

function group(files: readonly Hashed[]): InputUnit[] {
  const bySet = new Map<string, { kind: InputUnit["kind"]; files: Hashed[] }>();
  for (const file of files) {
    const base = basename(file.name);
    const kind = file.problem !== null ? "file" : eventName.test(base) ? "events" : completionName.test(base) ? "completions" : "file";
    const set = kind === "file" ? `file ${file.name} ${file.path}` : `${kind} ${folderOf(file.name)}`;
    const known = bySet.get(set);
    if (known) known.files.push(file);
    else bySet.set(set, { kind, files: [file] });
  }
  return [...bySet.values()].map(({ kind, files: parts }) => unitOf(parts.length === 1 && kind === "completions" ? "file" : kind, parts));
}

function unitOf(kind: InputUnit["kind"], parts: readonly Hashed[]): InputUnit {
  const order = kind === "completions" ? completionName : kind === "events" ? eventName : null;
  const place = (part: Hashed): number => Number(order?.exec(basename(part.name))?.[1] ?? 0);
  const sorted = parts.toSorted((a, b) => place(a) - place(b) || byName(a, b));
  return {
    key: digestOf(JSON.stringify(sorted.map(({ name, sha256 }) => [name, sha256]))),
    kind,
    mayHoldFacts: kind === "file" && sorted.some((part) => part.mayHoldFacts),
    files: sorted.map(({ path, name, bytes, sha256, problem }) => ({ path, name, bytes, sha256, problem })),
  };
}
