import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { Fault } from "../../schemas/fault.ts";
import type { Scan, ScanHit } from "../../schemas/scan.ts";
import type { SecretOptions } from "../../stages/lib/secrets/find-secrets.ts";
import { readParquetRows } from "../adapters/parquet-reader.ts";
import { parseJson } from "../import/parse.ts";
import { chunksOf, linesOf, type Packing, wholeOf } from "../import/split-lines.ts";
import { asIoFault } from "../store/atomic.ts";
import { type Hit, textHits, valueHits } from "./hits.ts";

/** Longest JSON text that is parsed, bytes; a longer one is looked through as text. */
const parsedBytes = 64 << 20;
/** Text is looked through in pieces; what one holds of the next is more than the longest secret (a key block of 16,384 characters). */
const pieceChars = 1 << 20;
const overlapChars = 1 << 16;

/** Secrets of one file, streamed: Parquet and JSON by their values, everything else as text, unpacked where it is packed. */
async function* fileHits(path: string, options: SecretOptions): AsyncGenerator<Hit> {
  const packing: Packing = /\.gz$/i.test(path) ? "gzip" : /\.zst$/i.test(path) ? "zstd" : "none";
  const name = path.replace(/\.(?:gz|zst)$/i, "");
  if (/\.parquet$/i.test(name) && packing === "none") yield* parquetHits(path, options);
  else if (/\.(?:jsonl|ndjson)$/i.test(name)) yield* lineHits(path, packing, options);
  else if (/\.(?:json|traj|ipynb)$/i.test(name)) yield* jsonHits(path, packing, options);
  else yield* streamHits(chunksOf(path, packing), options);
}

async function* parquetHits(path: string, options: SecretOptions): AsyncGenerator<Hit> {
  let row = 0;
  for await (const value of readParquetRows(path)) {
    row += 1;
    yield* valueHits(value, options, `row ${row}`);
  }
}

async function* lineHits(path: string, packing: Packing, options: SecretOptions): AsyncGenerator<Hit> {
  let line = 0;
  for await (const { bytes, length } of linesOf(chunksOf(path, packing), parsedBytes)) {
    line += 1;
    if (length > parsedBytes) {
      yield* streamHits(chunksOf(path, packing), options); // some line is too long to parse: all of it as text
      return;
    }
    const parsed = parseJson(bytes);
    if (parsed.ok) yield* valueHits(parsed.value, options, `row ${line}`);
    else yield* textHits(bytes.toString("utf8"), options, line);
  }
}

async function* jsonHits(path: string, packing: Packing, options: SecretOptions): AsyncGenerator<Hit> {
  const whole = await wholeOf(chunksOf(path, packing), parsedBytes);
  const parsed = whole.length > parsedBytes ? null : parseJson(whole.bytes);
  if (parsed?.ok === true) yield* valueHits(parsed.value, options, "");
  else yield* streamHits(chunksOf(path, packing), options);
}

/** Bytes that are no UTF-8 are read as Latin-1, so that texts in a binary file are seen. */
async function* streamHits(chunks: AsyncIterable<Buffer>, options: SecretOptions): AsyncGenerator<Hit> {
  let decoder: StringDecoder | null = null;
  let text = "";
  let line = 1;
  for await (const chunk of chunks) {
    decoder ??= new StringDecoder(chunk.subarray(0, 8_192).includes(0) ? "latin1" : "utf8");
    text += decoder.write(chunk);
    if (text.length < pieceChars + overlapChars) continue;
    const until = text.length - overlapChars;
    yield* textHits(text, options, line, until);
    for (let at = text.indexOf("\n"); at >= 0 && at < until; at = text.indexOf("\n", at + 1)) line += 1;
    text = text.slice(until);
  }
  yield* textHits(text, options, line);
}

const unreadable = /\.(?:zip|7z|rar|bz2|xz|lz4|tgz|jar|whl)$/i;

interface Seen {
  readonly path: string;
  /** null: it can be looked into. */
  readonly why: string | null;
  readonly bytes: number;
}

/** Every file under a path, sorted; `.git` and links are named, not followed. */
async function* filesUnder(path: string): AsyncGenerator<Seen> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new Fault("INPUT_MISSING", "stop", `there is no ${path}; give files or folders that exist`);
    throw asIoFault(error, `reading ${path}`);
  });
  if (found.isDirectory()) {
    for (const name of (await readdir(path)).sort()) {
      if (name === ".git") yield { path: join(path, name), why: "the history of a repository", bytes: 0 };
      else yield* filesUnder(join(path, name));
    }
  } else if (found.isSymbolicLink()) yield { path, why: "a link", bytes: 0 };
  else if (!found.isFile()) yield { path, why: "no plain file", bytes: 0 };
  else yield { path, why: unreadable.test(path) ? "an archive: unpack it first" : null, bytes: found.size };
}

/** A Parquet or packed file that is broken is looked through as bytes. */
async function* hitsOrBytes(path: string, options: SecretOptions): AsyncGenerator<Hit> {
  try {
    yield* fileHits(path, options);
  } catch (error) {
    if (error instanceof Fault && error.code !== "ROWS_CORRUPT") throw error;
    if (error instanceof Error && "syscall" in error) throw asIoFault(error, `reading ${path}`);
    yield* streamHits(chunksOf(path, "none"), options);
  }
}

const keptHits = 1_000;

export interface ScanOptions extends SecretOptions {
  /** Types that may be there. */
  readonly allowed: readonly string[];
}

/** Looks through files and folders for secrets. Memory stays bounded whatever their size. */
export async function scanFiles(
  paths: readonly string[],
  options: ScanOptions,
  onFile: (path: string) => void = () => undefined,
): Promise<Scan> {
  const found: ScanHit[] = [];
  const skipped: Scan["skipped"] = [];
  const byType = new Map<string, number>();
  let [files, bytes, more] = [0, 0, 0];
  for (const root of paths)
    for await (const file of filesUnder(root)) {
      if (file.why !== null) {
        skipped.push({ file: file.path, why: file.why });
        continue;
      }
      onFile(file.path);
      files += 1;
      bytes += file.bytes;
      for await (const hit of hitsOrBytes(file.path, options)) {
        if (options.allowed.includes(hit.type)) continue;
        byType.set(hit.type, (byType.get(hit.type) ?? 0) + 1);
        if (found.length < keptHits) found.push({ file: file.path, ...hit });
        else more += 1;
      }
    }
  return { files, bytes, byType: Object.fromEntries([...byType].sort()), found, more, skipped };
}

const secretsFound = (found: readonly ScanHit[], count: number): Fault => {
  const named = found.slice(0, 5).map(({ file, place, type, excerpt }) => `${file}, ${place}: ${type}, ${excerpt}`);
  return new Fault(
    "SECRETS_FOUND",
    "stop",
    `${count} places look secret and nothing was published: ${named.join("; ")}${count > named.length ? "; ..." : ""}. Take them out, or allow the type with export.allowSecretTypes once you have looked`,
  );
};

/** For texts that are about to be written. */
export function assertNoSecretText(
  texts: readonly { readonly path: string; readonly text: string }[],
  allowed: readonly string[],
  own: readonly string[],
): void {
  const found = texts.flatMap(({ path, text }) =>
    textHits(text, { secrets: true, personal: [], own })
      .filter(({ type }) => !allowed.includes(type))
      .map((hit) => ({ file: path, ...hit })),
  );
  if (found.length > 0) throw secretsFound(found, found.length);
}

/** For everything that is about to be published: files and folders, Parquet included. */
export async function assertNoSecrets(paths: readonly string[], options: ScanOptions): Promise<void> {
  const { found, more } = await scanFiles(paths, options);
  if (found.length > 0) throw secretsFound(found, found.length + more);
}
