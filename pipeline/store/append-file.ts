import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { asIoFault, syncFolder } from "./atomic.ts";

/** Where a line went. */
export interface Place {
  readonly path: string;
  /** Bytes from the start of the file. */
  readonly offset: number;
}

/** Appends lines to files only this process writes. Lines appended at the same moment share one write. */
export interface AppendFile {
  /** Resolves when the line is written, and on disk if `durable`. */
  append(line: string): Promise<Place>;
  close(): Promise<void>;
}

export interface AppendFileOptions {
  readonly folder: string;
  /** Unique per process: two writers never share a file. */
  readonly writer: string;
  readonly durable: boolean;
  /** A file that reached this many bytes is followed by the next. */
  readonly maxBytes?: number;
}

interface Waiting {
  readonly bytes: Buffer;
  readonly resolve: (place: Place) => void;
  readonly reject: (error: unknown) => void;
}
interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  size: number;
}

/** The first file is made with the first line, so that reading leaves no trace. */
export function openAppendFile(options: AppendFileOptions): AppendFile {
  let file: OpenFile | null = null;
  let fileCount = 0;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | null = null;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        file ??= await openNext(options, fileCount++);
        settle(batch, file.path, await write(file, batch, options.durable));
        if (file.size >= (options.maxBytes ?? 2 ** 29)) await closeFile();
      } catch (error) {
        // The file may now end in half a line: the next line goes to a new file and cannot melt into it.
        await closeFile().catch(() => undefined); // the first failure is the one to report
        for (const one of batch) one.reject(asIoFault(error, `appending to ${options.folder}`));
      }
    }
    flushing = null; // in the same turn as the test above, so that no line is left behind
  }
  async function closeFile(): Promise<void> {
    const closing = file;
    file = null;
    await closing?.handle.close();
  }

  return {
    append: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ bytes: Buffer.from(`${line}\n`), resolve, reject });
        flushing ??= flush();
      }),
    async close() {
      await flushing;
      await file?.handle.datasync();
      await closeFile();
    },
  };
}

async function write(file: OpenFile, batch: readonly Waiting[], durable: boolean): Promise<number> {
  const start = file.size;
  const bytes = Buffer.concat(batch.map((one) => one.bytes));
  await file.handle.appendFile(bytes);
  if (durable) await file.handle.datasync();
  file.size += bytes.length;
  return start;
}

function settle(batch: readonly Waiting[], path: string, start: number): void {
  let offset = start;
  for (const one of batch) {
    one.resolve({ path, offset });
    offset += one.bytes.length;
  }
}

async function openNext(options: AppendFileOptions, count: number): Promise<OpenFile> {
  await mkdir(options.folder, { recursive: true });
  const path = join(options.folder, `${options.writer}${count === 0 ? "" : `-${count}`}.jsonl`);
  const file = { path, handle: await open(path, "ax"), size: 0 };
  if (options.durable) await syncFolder(options.folder); // or the name, and all paid for in it, may be gone after a power cut
  return file;
}
