import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptOutput } from "../../../pipeline/sandboxes/kept-output.ts";

const kept = (limit: number, chunks: readonly Uint8Array[]): KeptOutput => {
  const output = new KeptOutput(limit);
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  return output;
};
const chunksOf = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
};
const anyBytes = fc.uint8Array({ maxLength: 400 });
const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

test("how the bytes were cut into chunks changes nothing", () => {
  fc.assert(
    fc.property(anyBytes, anyCuts, fc.nat(300), (bytes, cuts, limit) => {
      expect(kept(limit, chunksOf(bytes, cuts)).text()).toEqual(kept(limit, [bytes]).text());
    }),
  );
});

test("beginning and end are kept, at most the limit, and every byte is kept or counted", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", "c", "\n"), maxLength: 400 }), anyCuts, fc.nat(300), (text, cuts, limit) => {
      const result = kept(limit, chunksOf(Buffer.from(text), cuts)).text();
      expect(result.text.length).toBe(Math.min(limit, text.length));
      expect(result.text.length + result.droppedBytes).toBe(text.length);
      expect(text.startsWith(result.text.slice(0, Math.ceil(limit / 2)))).toBe(true);
      expect(text.endsWith(result.text.slice(Math.ceil(limit / 2)))).toBe(true);
    }),
  );
});

test("dropping never makes text lossy", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), anyCuts, fc.nat(120), (text, cuts, limit) => {
      const bytes = Buffer.from(text.toWellFormed());
      const { lossy, text: left, droppedBytes } = kept(limit, chunksOf(bytes, cuts)).text();
      expect(lossy).toBe(false);
      expect(Buffer.byteLength(left) + droppedBytes).toBe(bytes.length);
    }),
  );
});

test("all of what was within the limit is there, byte by byte; of more there is no whole", () => {
  fc.assert(
    fc.property(anyBytes, anyCuts, fc.nat(500), (bytes, cuts, limit) => {
      const { whole } = kept(limit, chunksOf(bytes, cuts));
      if (bytes.length <= limit) expect(whole?.equals(bytes)).toBe(true);
      else expect(whole).toBeNull();
    }),
  );
});

test("bytes that are no text are replaced and marked", () => {
  expect(kept(10, [Buffer.from([0x61, 0xff, 0x62])]).text()).toEqual({ text: "a\ufffdb", droppedBytes: 0, lossy: true });
});
