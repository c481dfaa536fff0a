import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { Fault } from "../../schemas/fault.ts";

const blockBytes = 512;
const slash = Buffer.of(0x2f);
/** What GNU archivers call an entry that holds the name of the next. */
const longLink = "././@LongLink";
/** One time for all, so that the same tree gives the same bytes; seconds. Not 0: some archivers know no year before 1980. */
const modifiedAt = Date.UTC(2000, 0, 1) / 1_000;
const maxSize = 8 ** 11 - 1; // eleven octal digits

type Kind = "file" | "folder" | "link" | "long-name" | "long-link";
const typeFlags: Record<Kind, string> = { file: "0", folder: "5", link: "2", "long-name": "L", "long-link": "K" };

function header(kind: Kind, name: Buffer, target: Buffer, size: number, mode: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, digits: number): number => block.write(value.toString(8).padStart(digits, "0"), at, "latin1");
  name.copy(block, 0, 0, 100);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(modifiedAt, 136, 11);
  block.fill(" ", 148, 156);
  block.write(typeFlags[kind], 156);
  target.copy(block, 157, 0, 100);
  block.write("ustar  ", 257, "latin1"); // GNU, whose long names are plain bytes: a name need not be UTF-8
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

const padding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);

function* entry(kind: Kind, name: Buffer, target: Buffer, size: number, mode: number): Generator<Buffer> {
  for (const [long, text] of [
    ["long-link", target],
    ["long-name", name],
  ] as const)
    if (text.length >= 100)
      yield Buffer.concat([
        header(long, Buffer.from(longLink), Buffer.alloc(0), text.length + 1, 0),
        text,
        Buffer.alloc(1),
        padding(text.length + 1),
      ]);
  yield header(kind, name, target, size, mode);
}

/** Opened so that a link put in its place meanwhile is refused, and a FIFO blocks nobody. */
async function* file(path: Buffer, name: Buffer): AsyncGenerator<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size, mode } = await handle.stat();
    if (size > maxSize) throw new Fault("TASK_INVALID", "skip", `${path} has ${size} bytes; a file of a task's tree may have ${maxSize}`);
    yield* entry("file", name, Buffer.alloc(0), size, mode & 0o100 ? 0o755 : 0o644);
    let left = size;
    while (left > 0) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(left, 2 ** 18)));
      if (bytesRead === 0)
        throw new Fault("TASK_INVALID", "retry", `${path} became shorter while it was read; leave the tree alone during a run`);
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    yield padding(size);
  } finally {
    await handle.close();
  }
}

async function* folder(path: Buffer, prefix: Buffer): AsyncGenerator<Buffer> {
  const entries: Dirent<Buffer>[] = await readdir(path, { withFileTypes: true, encoding: "buffer" });
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  for (const { name: last } of entries) {
    if (last.toString() === ".git") continue;
    const at = Buffer.concat([path, slash, last]);
    const name = Buffer.concat([prefix, last]);
    const stats = await lstat(at);
    if (stats.isSymbolicLink()) yield* entry("link", name, await readlink(at, "buffer"), 0, 0o777);
    else if (stats.isFile()) yield* file(at, name);
    else if (stats.isDirectory()) {
      const inside = Buffer.concat([name, slash]);
      yield* entry("folder", inside, Buffer.alloc(0), 0, 0o755);
      yield* folder(at, inside);
    } // devices, FIFOs and sockets stay behind
  }
}

/**
 * A tar of what stands under `root`, made without following a link: links as links, rights as git knows them, no `.git` at any
 * depth, no devices, FIFOs or sockets. Same tree, same bytes.
 */
export async function* treeTar(root: string): AsyncGenerator<Buffer> {
  yield* folder(Buffer.from(root), Buffer.alloc(0));
  yield Buffer.alloc(2 * blockBytes);
}
