import { Decompress } from "fzstd";

/** The bytes are no Zstandard, or not all of it. */
export class DamagedPacking extends Error {
  override readonly name = "DamagedPacking";

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Unpacked bytes in chunks; what was unpacked before the damage is given out first. */
export async function* unpackZstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let ready: Buffer[] = [];
  let ended = false;
  const unpacker = new Decompress((data, final) => {
    // The unpacker uses its memory again.
    if (data.length > 0) ready.push(Buffer.from(data));
    ended = final === true;
  });
  const push = (bytes: Uint8Array, final: boolean): unknown => {
    try {
      unpacker.push(bytes, final);
      return null;
    } catch (error) {
      return error;
    }
  };
  const none = new Uint8Array(0);
  for await (const chunk of chunks) {
    const error = push(chunk, false);
    yield* ready;
    ready = [];
    if (error !== null) throw new DamagedPacking(error);
  }
  const error = push(none, true);
  yield* ready;
  if (error !== null || !ended) throw new DamagedPacking(error ?? "it ends too early");
}
