import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isHubPath, openHubFile } from "../adapters/hub-file.ts";
import { unpackZstd } from "./unpack-zstd.ts";

const chunkBytes = 1 << 20;

export type Packing = "none" | "gzip" | "zstd";

/** A file's bytes in chunks, on disk or on the hub, unpacked where it is packed; offsets then count unpacked bytes. */
export async function* chunksOf(path: string, packing: Packing): AsyncGenerator<Buffer> {
  if (packing === "zstd") {
    yield* unpackZstd(chunksOf(path, "none"));
    return;
  }
  if (packing === "gzip") {
    // The default chunk of 16 KiB unpacks at a third of the speed.
    const source = isHubPath(path) ? Readable.from(hubChunks(path)) : createReadStream(path, { highWaterMark: chunkBytes });
    const unpacked = createGunzip({ chunkSize: chunkBytes });
    source.on("error", (error: Error) => unpacked.destroy(error));
    try {
      for await (const chunk of source.pipe(unpacked)) yield chunk as Buffer;
    } finally {
      source.destroy();
    }
    return;
  }
  if (isHubPath(path)) {
    yield* hubChunks(path);
    return;
  }
  const file = await open(path, "r");
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Of a file on the hub: each is asked for, and asked for again, by itself. Our choice: large enough that the way there counts little. */
const hubChunkBytes = 8 << 20;

async function* hubChunks(path: string): AsyncGenerator<Buffer> {
  const file = await openHubFile(path);
  for (let start = 0; start < file.byteLength; start += hubChunkBytes)
    yield Buffer.from(await file.slice(start, Math.min(start + hubChunkBytes, file.byteLength)));
}

/** A stretch of input: whole, or only its beginning where it is longer than allowed. */
export interface Piece {
  readonly offset: number;
  /** Length in the file, without the line break. */
  readonly length: number;
  readonly bytes: Buffer;
}

/** What is kept of a record that is too long or broken, so that a person can look at it. */
export const keptBytes = 1 << 16;

/** Lines without their line breaks; of a line longer than `maxBytes` only the first `keptBytes` are ever held. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Piece> {
  let line = collector(0, maxBytes);
  let offset = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      line.add(chunk.subarray(start, end));
      yield line.piece();
      start = end + 1;
      line = collector(offset + start, maxBytes);
    }
    line.add(chunk.subarray(start));
    offset += chunk.length;
  }
  const rest = line.piece();
  if (rest.length > 0) yield rest;
}

/** Everything as one piece. */
export async function wholeOf(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<Piece> {
  const all = collector(0, maxBytes);
  for await (const chunk of chunks) all.add(chunk);
  return all.piece();
}

function collector(offset: number, maxBytes: number) {
  let parts: Buffer[] = [];
  let length = 0;
  let over = false;
  return {
    add(part: Buffer): void {
      length += part.length;
      if (over || part.length === 0) return;
      parts.push(part);
      if (length <= maxBytes) return;
      over = true;
      // Copied, so that the chunks it was cut from can go.
      parts = [Buffer.from(Buffer.concat(parts).subarray(0, keptBytes))];
    },
    piece: (): Piece => ({ offset, length, bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts) }),
  };
}
