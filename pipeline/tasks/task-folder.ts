import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import type { TestFile } from "../../schemas/task-instance.ts";
import { folder as folderReader } from "../../stages/generate/tasks/folder.ts";
import { readAs } from "../../stages/generate/tasks/read-task.ts";
import type { ReadTask } from "../../stages/generate/tasks/reader.ts";
import { decode } from "../import/parse.ts";

/** A folder with `task.yaml`, and test files under `tests/`; `maxBytes` bounds all its files together. What is wrong with it is returned. */
export async function readTaskFolder(folder: string, maxBytes: number): Promise<ReadTask> {
  const path = join(folder, "task.yaml");
  const size = (await stat(path)).size;
  if (size > maxBytes) return { ok: false, why: `a task.yaml of ${size} bytes, more than the limit of ${maxBytes}` };
  const parsed = parseYaml(await readFile(path, "utf8"));
  if (!parsed.ok) return parsed;
  const tests = await testFilesUnder(join(folder, "tests"), maxBytes - size);
  if (!tests.ok) return tests;
  const read = readAs(folderReader, parsed.value, { folder: { resolve: (to) => resolve(folder, to), testFiles: tests.files } });
  if (!read.ok || read.task.environment.kind !== "tree") return read;
  const tree = read.task.environment.folder;
  const found = await stat(tree).catch(() => null);
  if (!found?.isDirectory()) return { ok: false, why: `tree: expected a folder at ${tree}, got ${found === null ? "nothing" : "a file"}` };
  return (await readdir(tree)).length > 0 ? read : { ok: false, why: `tree: expected a repository at ${tree}, got an empty folder` };
}

function parseYaml(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error) return { ok: false, why: `line ${lines.linePos(error.pos[0]).line}: no YAML: ${error.message.split("\n")[0]}` };
  return { ok: true, value: document.toJS() };
}

type TestFiles = { readonly ok: true; readonly files: TestFile[] } | { readonly ok: false; readonly why: string };

async function testFilesUnder(root: string, maxBytes: number): Promise<TestFiles> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cause;
  });
  const files: TestFile[] = [];
  let left = maxBytes;
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (!entry.isFile())
      return { ok: false, why: `tests/${name}: expected a regular file, got a link or a special file; put the file itself there` };
    left -= (await stat(path)).size;
    if (left < 0) return { ok: false, why: `tests/: more than the limit of ${maxBytes} bytes` };
    const { text, marks } = decode(await readFile(path));
    if (marks.length > 0) return { ok: false, why: `tests/${name}: expected UTF-8 text, got other bytes` };
    files.push({ path: name, content: text });
  }
  return { ok: true, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}
