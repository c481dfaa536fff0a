import { type Table, tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RowBatch } from "../../../pipeline/adapters/row-batch.ts";
import { bool, int8, int32, list, nullable, type Row, struct, utf8 } from "../../../schemas/columns.ts";

const columns = {
  text: nullable(utf8),
  ids: list(int32),
  mask: nullable(list(nullable(int8))),
  turn: nullable(struct({ content: utf8, train: bool, loss: nullable(bool) })),
  turns: list(struct({ content: nullable(utf8) })),
};

const rowOf: fc.Arbitrary<Row> = fc.record({
  text: fc.option(fc.string({ unit: "grapheme" })),
  ids: fc.array(fc.integer()).chain((ids) => fc.constantFrom<ArrayLike<number>>(ids, Int32Array.from(ids))),
  mask: fc.option(fc.array(fc.option(fc.integer({ min: -128, max: 127 })), { maxLength: 20 })),
  turn: fc.option(fc.record({ content: fc.string(), train: fc.boolean(), loss: fc.option(fc.boolean()) })),
  turns: fc.array(fc.record({ content: fc.option(fc.string()) })),
});

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => (part instanceof Int32Array ? [...part] : part)));
const read = (batch: RowBatch): unknown[] => {
  const table: Table = tableFromIPC(batch.ipcStream().slice());
  return table.toArray().map((row) => plain(row));
};

test("whatever a batch held before, it holds the rows since `clear`", () => {
  fc.assert(
    fc.property(fc.array(fc.array(rowOf, { maxLength: 12 }), { maxLength: 5 }), (rounds) => {
      const batch = new RowBatch(columns);
      for (const rows of rounds) {
        batch.clear();
        for (const row of rows) batch.add(row);
        expect(batch.rows).toBe(rows.length);
        expect(read(batch)).toEqual(rows.map(plain));
      }
    }),
  );
});

test("a batch that was cleared gives the bytes of a new one", () => {
  const rows = fc.sample(rowOf, { numRuns: 40, seed: 3 });
  const [again, fresh] = [new RowBatch(columns), new RowBatch(columns)];
  for (const row of [...rows, ...rows]) again.add(row);
  again.ipcStream();
  again.clear();
  for (const row of rows) for (const batch of [again, fresh]) batch.add(row);
  expect(again.ipcStream()).toEqual(fresh.ipcStream());
});

test("a batch without rows is a stream with its schema", () => {
  expect(tableFromIPC(new RowBatch(columns).ipcStream()).schema.fields.map(({ name }) => name)).toEqual(Object.keys(columns));
});
