import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { ExportManifest } from "../../schemas/manifest.ts";
import type { Published, PublishFile } from "../../schemas/publish.ts";
import type { HubFile } from "../adapters/hub.ts";
import { mayGo } from "./allowed.ts";

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

export interface Chosen {
  readonly files: PublishFile[];
  readonly leftOut: Published["leftOut"];
}

/** What goes: files that the export's manifest lists under names that may go. Everything else in the folder is named as left out. */
export async function choose(folder: string, manifest: ExportManifest): Promise<Chosen> {
  const listed = new Set(manifest.files.map(({ path }) => path));
  const files = manifest.files.filter(({ path }) => mayGo(path)).map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  const strange = (await filesUnder(folder)).filter((path) => !listed.has(path));
  const leftOut = [
    ...manifest.files.filter(({ path }) => !mayGo(path)).map(({ path }) => ({ path, why: "no name of a dataset's file" })),
    ...strange.map((path) => ({ path, why: "not written by stage 6" })),
  ];
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
  return { files: files.sort(byPath), leftOut: leftOut.sort(byPath) };
}

/** Git's name for a file's content. */
const gitBlob = (content: Buffer): string => createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");

/** Has the hub this very content under this path? Large files are told by their sha256, small ones by git's digest. */
async function isSame(folder: string, file: PublishFile, there: HubFile | undefined): Promise<boolean> {
  if (there === undefined || there.bytes !== file.bytes) return false;
  if (there.sha256 !== null) return there.sha256 === file.sha256;
  return there.git === gitBlob(await readFile(join(folder, file.path)));
}

export interface Difference {
  /** New or changed. */
  readonly changed: PublishFile[];
  /** Files of an earlier publication: a shard that stays would be loaded among the new ones. Names that are not ours are let be. */
  readonly removed: string[];
}

/** What a commit has to change so that the hub has these files. */
export async function differenceTo(folder: string, files: readonly PublishFile[], hub: readonly HubFile[]): Promise<Difference> {
  const there = new Map(hub.map((file) => [file.path, file]));
  const changed: PublishFile[] = [];
  for (const file of files) if (!(await isSame(folder, file, there.get(file.path)))) changed.push(file);
  const kept = new Set(files.map(({ path }) => path));
  return { changed, removed: [...there.keys()].filter((path) => mayGo(path) && !kept.has(path)).sort() };
}
