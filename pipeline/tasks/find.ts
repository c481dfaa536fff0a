import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";

/** `rows`: a file with task instances. `folder`: one that holds a `task.yaml`. `refused`: a file that was named itself and is of no kind we read. */
export interface TaskSource {
  readonly kind: "rows" | "folder" | "refused";
  readonly path: string;
}

const rowFile = /\.(?:jsonl?|ndjson)(?:\.gz|\.zst)?$|\.parquet$/i;
const passedBy = new Set([".git", "node_modules"]);

/**
 * Files and folders as given -> what holds tasks, in the order given and sorted by name inside folders; nothing twice. Inside folders other
 * kinds of files are passed by, and nothing below a `task.yaml` is looked at: the repository of a task may lie there.
 */
export async function* findTasks(paths: readonly string[]): AsyncGenerator<TaskSource> {
  const seen = new Set<string>();
  for (const path of paths) {
    if (path.endsWith("/task.yaml") || path === "task.yaml") yield* fresh({ kind: "folder", path: join(path, "..") }, seen);
    else if ((await statOf(path)).isDirectory()) yield* inFolder(path, seen);
    else yield* fresh({ kind: rowFile.test(path) ? "rows" : "refused", path }, seen);
  }
}

async function* inFolder(folder: string, seen: Set<string>): AsyncGenerator<TaskSource> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(unreadable(folder))).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some((entry) => entry.name === "task.yaml")) {
    yield* fresh({ kind: "folder", path: folder }, seen);
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Links to files are followed; links to folders could go in circles.
    if (entry.isDirectory() && !passedBy.has(entry.name)) yield* inFolder(path, seen);
    else if (!entry.isDirectory() && rowFile.test(entry.name)) yield* fresh({ kind: "rows", path }, seen);
  }
}

async function* fresh(source: TaskSource, seen: Set<string>): AsyncGenerator<TaskSource> {
  const real = await realpath(source.path).catch(unreadable(source.path));
  if (seen.has(real)) return;
  seen.add(real);
  yield source;
}

const statOf = (path: string) => stat(path).catch(unreadable(path));

const unreadable =
  (path: string) =>
  (cause: unknown): never => {
    const gone = cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
    if (gone) throw new Fault("INPUT_MISSING", "stop", `tasks ${path} do not exist; check the path`, { cause });
    throw new Fault("IO", "stop", `tasks ${path} cannot be read; check permissions and disk, then run again`, { cause });
  };
