import fc from "fast-check";
import { expect, test } from "vitest";
import { Scratch } from "../../../pipeline/adapters/scratch.ts";

test("what was lent since the last `again` never overlaps, however much it is", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(300), { maxLength: 6 }), { maxLength: 6 }), (rounds) => {
      const scratch = new Scratch();
      for (const sizes of rounds) {
        scratch.again();
        const lent = sizes.map((size, index) => scratch.room(size).fill(index));
        for (const [index, memory] of lent.entries()) {
          expect(memory.length).toBe(sizes[index]);
          expect(memory.every((byte) => byte === index)).toBe(true);
        }
      }
    }),
  );
});

test("what was too much once is lent from the same memory from then on", () => {
  const scratch = new Scratch();
  const lend = (): ArrayBufferLike[] => {
    scratch.again();
    return [1_000, 2_000].map((bytes) => scratch.room(bytes).buffer);
  };
  lend();
  const [first, second] = lend();
  expect(second).toBe(first);
  expect(lend()[0]).toBe(first);
});
