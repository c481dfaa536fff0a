import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DataType, type Field, type Table, tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { readParquet, Table as WasmTable, WriterPropertiesBuilder, writeParquet as writeWasm } from "parquet-wasm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countParquetRows, readParquetRows, readParquetSchema } from "../../../pipeline/adapters/parquet-reader.ts";
import { writeParquet, writeParquetShards } from "../../../pipeline/adapters/parquet-writer.ts";
import { sha256 } from "../../../pipeline/store/digest.ts";
import { bool, type ColumnSchema, float64, int8, int32, list, nullable, type Row, struct, utf8 } from "../../../schemas/columns.ts";
import { Fault } from "../../../schemas/fault.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-parquet-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const rowGroupBytes = 1_000_000;

/** 12,000 characters that no compressor makes much of. */
const noise = (seed: number): string =>
  Array.from({ length: 188 }, (_, block) => sha256(`${seed} ${block}`))
    .join("")
    .slice(0, 12_000);
const schema = {
  id: utf8,
  note: nullable(utf8),
  tokens: int32,
  score: nullable(float64),
  resolved: bool,
  flag: nullable(bool),
  input_ids: list(int32),
  attention_mask: list(int8),
  tags: nullable(list(utf8)),
  gaps: list(nullable(int32)),
  messages: list(struct({ role: utf8, content: utf8, train: bool, loss: nullable(bool) })),
} satisfies ColumnSchema;

const rows: Row[] = [
  {
    id: "first",
    note: null,
    tokens: -5,
    score: 0.1,
    resolved: true,
    flag: null,
    input_ids: [1, 151_645, 2 ** 31 - 1],
    attention_mask: [1, 0, -128],
    tags: ["a", ""],
    gaps: [1, null, -3],
    messages: [
      { role: "user", content: "Grüße, 中文 👩🏽‍💻 \0 \ufeff", train: false, loss: null },
      { role: "assistant", content: "", train: true, loss: true },
    ],
  },
  {
    id: "",
    note: "",
    tokens: 0,
    score: null,
    resolved: false,
    flag: true,
    input_ids: [],
    attention_mask: [],
    tags: null,
    gaps: [],
    messages: [],
  },
  {
    id: "\ufeffthird",
    note: "x".repeat(1000),
    tokens: 2 ** 31 - 1,
    score: -1e300,
    resolved: false,
    flag: false,
    input_ids: [7],
    attention_mask: [1],
    tags: [],
    gaps: [null],
    messages: [{ role: "user", content: "\n", train: false, loss: false }],
  },
];

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Read by another implementation than ours reads with. */
async function arrowTable(path: string): Promise<Table> {
  return tableFromIPC(readParquet(await readFile(path)).intoIPCStream());
}

async function rowGroupSizes(path: string): Promise<number[]> {
  return parquetMetadata(await readFile(path)).row_groups.map((group) => Number(group.num_rows));
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error = await work.then(
    () => expect.unreachable("no fault was thrown"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Fault);
  return error as Fault;
}

describe("what was written is read back", () => {
  test("by our own reader, with nulls, empty lists, byte order marks and any script", async () => {
    const path = join(folder, "rows.parquet");
    const written = await writeParquet(path, schema, rows, { rowGroupBytes });
    expect(written).toEqual({ rows: 3, bytes: (await stat(path)).size });
    expect(await collected(readParquetRows(path))).toEqual(rows);
    expect(await readParquetSchema(path)).toEqual(Object.keys(schema));
    expect(await countParquetRows(path)).toBe(3);
  });

  test("by Arrow, from an asynchronous source and from typed arrays", async () => {
    const path = join(folder, "rows.parquet");
    async function* source() {
      for (const row of rows) yield { ...row, input_ids: Int32Array.from(row["input_ids"] as number[]) };
    }
    await writeParquet(path, schema, source(), { rowGroupBytes });
    const read = (await arrowTable(path)).toArray().map((row) => JSON.parse(JSON.stringify(row)) as unknown);
    const withoutMarks = JSON.stringify(rows).replaceAll('"\ufeff', '"'); // Arrow's reader drops a leading byte order mark
    expect(read).toEqual(JSON.parse(withoutMarks));
  });

  test("in the chosen columns only", async () => {
    const path = join(folder, "rows.parquet");
    await writeParquet(path, schema, rows, { rowGroupBytes });
    const read = await collected(readParquetRows(path, { columns: ["tokens", "id"] }));
    expect(read).toEqual(rows.map(({ tokens, id }) => ({ tokens, id })));
  });

  test("for random rows over several row groups", async () => {
    const randomSchema = {
      text: nullable(utf8),
      parts: list(struct({ name: nullable(utf8), ok: bool })),
      numbers: nullable(list(float64)),
    };
    const randomRow = fc.record({
      text: fc.option(fc.string({ unit: "binary" })),
      parts: fc.array(fc.record({ name: fc.option(fc.string({ unit: "grapheme" })), ok: fc.boolean() }), { maxLength: 4 }),
      numbers: fc.option(fc.array(fc.double({ noNaN: true }), { maxLength: 4 })),
    });
    const random = fc.sample(randomRow, { numRuns: 500, seed: 7 });
    const path = join(folder, "random.parquet");
    await writeParquet(path, randomSchema, random, { rowGroupBytes: 4000 });
    expect((await rowGroupSizes(path)).length).toBeGreaterThan(3);
    // Spread: the generated records have no prototype.
    const plain = random.map((row) => ({ ...row, parts: row.parts.map((part) => ({ ...part })) }));
    expect(await collected(readParquetRows(path))).toEqual(plain);
  });

  test("with lone surrogates replaced, so that the text is well-formed", async () => {
    const path = join(folder, "rows.parquet");
    const broken = ["\ud800", "a\udc00b", "\udc00\ud800", "good 👍"];
    await writeParquet(
      path,
      { text: utf8 },
      broken.map((text) => ({ text })),
      { rowGroupBytes },
    );
    const read = await collected(readParquetRows(path));
    expect(read.map((row) => row["text"])).toEqual(["\ufffd", "a\ufffdb", "\ufffd\ufffd", "good 👍"]);
  });
});

describe("the stored schema", () => {
  const describeField = ({ name, type, nullable: optional }: Field): unknown => {
    const children = ((type as DataType).children ?? []) as Field[];
    return [`${name}${optional ? "?" : ""}`, type.toString().split("<")[0], ...children.map(describeField)];
  };

  test("says which columns, elements and struct fields can be null, and nothing else", async () => {
    const path = join(folder, "rows.parquet");
    await writeParquet(path, schema, rows, { rowGroupBytes });
    expect((await arrowTable(path)).schema.fields.map(describeField)).toEqual([
      ["id", "Utf8"],
      ["note?", "Utf8"],
      ["tokens", "Int32"],
      ["score?", "Float64"],
      ["resolved", "Bool"],
      ["flag?", "Bool"],
      ["input_ids", "List", ["element", "Int32"]],
      ["attention_mask", "List", ["element", "Int8"]],
      ["tags?", "List", ["element", "Utf8"]],
      ["gaps", "List", ["element?", "Int32"]],
      ["messages", "List", ["element", "Struct", ["role", "Utf8"], ["content", "Utf8"], ["train", "Bool"], ["loss?", "Bool"]]],
    ]);
    const { schema: stored, key_value_metadata } = parquetMetadata(await readFile(path));
    expect(stored.filter(({ name }) => name === "content" || name === "loss").map(({ repetition_type }) => repetition_type)).toEqual([
      "REQUIRED",
      "OPTIONAL",
    ]);
    expect(key_value_metadata?.map(({ key }) => key)).toEqual(["ARROW:schema"]);
  });

  test("is whole in a file without rows", async () => {
    const path = join(folder, "empty.parquet");
    expect((await writeParquet(path, schema, [], { rowGroupBytes })).rows).toBe(0);
    expect(await collected(readParquetRows(path))).toEqual([]);
    expect(await readParquetSchema(path)).toEqual(Object.keys(schema));
    const full = join(folder, "full.parquet");
    await writeParquet(full, schema, rows, { rowGroupBytes });
    expect((await arrowTable(path)).schema.fields.map(describeField)).toEqual((await arrowTable(full)).schema.fields.map(describeField));
  });
});

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: `${String(index).padStart(6, "0")}${"x".repeat(90)}` }));

test("equal rows give equal bytes", async () => {
  await writeParquet(join(folder, "a.parquet"), schema, rows, { rowGroupBytes });
  await writeParquet(join(folder, "b.parquet"), schema, rows, { rowGroupBytes });
  expect(await readFile(join(folder, "a.parquet"))).toEqual(await readFile(join(folder, "b.parquet")));
});

test("files that are written at once do not meet", async () => {
  const texts = ["left", "right"].map((side) => numbered(400).map(({ text }) => ({ text: `${side} ${text}` })));
  const paths = texts.map((_, index) => join(folder, `${index}.parquet`));
  await Promise.all(paths.map((path, index) => writeParquet(path, { text: utf8 }, texts[index] ?? [], { rowGroupBytes: 4_000 })));
  for (const [index, path] of paths.entries()) expect(await collected(readParquetRows(path))).toEqual(texts[index]);
});

test("a message that comes again anywhere in its row group is stored once, however much lies between", async () => {
  const texts = Array.from({ length: 300 }, (_, index) => noise(index)); // 3.6 MB: more than an encoder's usual dictionary of 1 MiB
  const sizeOf = async (contents: readonly string[]): Promise<number> =>
    (
      await writeParquet(
        join(folder, "texts.parquet"),
        { content: utf8 },
        contents.map((content) => ({ content })),
        { rowGroupBytes: 48e6 },
      )
    ).bytes;
  const once = await sizeOf(texts);
  expect(await sizeOf([...texts, ...texts, ...texts])).toBeLessThan(1.01 * once);
});

test("a row group ends before the row that would make it too large, and a row that is larger stands alone", async () => {
  const path = join(folder, "rows.parquet");
  const large = { text: "y".repeat(2000) };
  await writeParquet(path, { text: utf8 }, [...numbered(25), large, ...numbered(3)], { rowGroupBytes: 1000 }); // 100 bytes a row
  expect(await rowGroupSizes(path)).toEqual([10, 10, 5, 1, 3]);
  expect(await collected(readParquetRows(path))).toEqual([...numbered(25), large, ...numbered(3)]);
});

test("reading can stop after any row", async () => {
  const path = join(folder, "rows.parquet");
  await writeParquet(path, { text: utf8 }, numbered(30), { rowGroupBytes: 1000 });
  for await (const row of readParquetRows(path)) {
    expect(row).toEqual(numbered(1)[0]);
    break;
  }
});

describe("shards", () => {
  const options = { rowGroupBytes: 500, shardBytes: 1000 };

  test("are numbered in order, hold all rows and tell their sizes", async () => {
    const written = await writeParquetShards(folder, "train", { text: utf8 }, numbered(25), options);
    const names = ["train-00000-of-00003.parquet", "train-00001-of-00003.parquet", "train-00002-of-00003.parquet"];
    expect((await readdir(folder)).sort()).toEqual(names);
    expect(written.shards.map(({ name, rows: count }) => [name, count])).toEqual([
      [names[0], 10],
      [names[1], 10],
      [names[2], 5],
    ]);
    expect(written.rows).toBe(25);
    expect(written.bytes).toBe((await Promise.all(names.map((name) => stat(join(folder, name))))).reduce((sum, { size }) => sum + size, 0));
    const read = await Promise.all(names.map((name) => collected(readParquetRows(join(folder, name)))));
    expect(read.flat()).toEqual(numbered(25));
    expect(await rowGroupSizes(join(folder, "train-00000-of-00003.parquet"))).toEqual([5, 5]);
  });

  test("are one empty file when there are no rows", async () => {
    const { shards } = await writeParquetShards(folder, "train", { text: utf8 }, [], options);
    expect(shards.map(({ name, rows: count }) => [name, count])).toEqual([["train-00000-of-00001.parquet", 0]]);
  });

  test("replace those of an earlier call and leave other files alone", async () => {
    await writeFile(join(folder, "train-notes.md"), "kept");
    await writeParquetShards(folder, "validation", { text: utf8 }, numbered(1), options);
    await writeParquetShards(folder, "train", { text: utf8 }, numbered(25), options);
    await writeParquetShards(folder, "train", { text: utf8 }, numbered(5), options);
    expect((await readdir(folder)).sort()).toEqual(["train-00000-of-00001.parquet", "train-notes.md", "validation-00000-of-00001.parquet"]);
  });

  test("leave nothing behind when the rows fail in the middle", async () => {
    async function* source() {
      yield* numbered(25);
      throw new Error("the rows broke");
    }
    await expect(writeParquetShards(folder, "train", { text: utf8 }, source(), options)).rejects.toThrow("the rows broke");
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a write that fails", () => {
  test.each([0, 1, 25])("after %i rows throws the rows' own error, removes its file and keeps the one that was there", async (count) => {
    const path = join(folder, "rows.parquet");
    await writeFile(path, "what was there");
    const failure = new Error("the rows broke");
    async function* source() {
      yield* numbered(count);
      throw failure;
    }
    await expect(writeParquet(path, { text: utf8 }, source(), { rowGroupBytes: 500 })).rejects.toBe(failure);
    expect(await readdir(folder)).toEqual(["rows.parquet"]);
    expect(await readFile(path, "utf8")).toBe("what was there");
  });

  test.each<[string, ColumnSchema, Row, string]>([
    ["a null where none is allowed", { text: utf8 }, { text: null }, "expected utf8 at row 1.text, got null"],
    ["a missing column", { text: nullable(utf8) }, {}, "expected utf8 or null at row 1.text, got nothing"],
    ["a column too many", { text: utf8 }, { text: "", more: 1 }, 'expected no field "more" at row 1'],
    [
      "a wrong type deep inside",
      schema,
      { ...rows[0], messages: [{ role: "user", content: 5 }] },
      "expected utf8 at row 1.messages[].content, got 5",
    ],
    ["a fraction for an integer", { count: int32 }, { count: 1.5 }, "expected int32 at row 1.count, got 1.5"],
    ["an integer out of range", { mask: list(int8) }, { mask: [128] }, "expected int8 at row 1.mask[], got 128"],
  ])("for %s says in which row and field", async (_, columns, bad, message) => {
    const good = Object.fromEntries(Object.keys(columns).map((name) => [name, { text: "", count: 1, mask: [1] }[name] ?? rows[0]?.[name]]));
    const path = join(folder, "rows.parquet");
    await expect(writeParquet(path, columns, [good, bad], { rowGroupBytes })).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });

  test("lets the generator of the rows clean up", async () => {
    let isClosed = false;
    function* source() {
      try {
        yield { text: 5 };
      } finally {
        isClosed = true;
      }
    }
    await expect(writeParquet(join(folder, "rows.parquet"), { text: utf8 }, source(), { rowGroupBytes })).rejects.toThrow("expected utf8");
    expect(isClosed).toBe(true);
  });

  test("for want of a folder is a fault that names the path", async () => {
    await writeFile(join(folder, "file"), "");
    const fault = await faultOf(writeParquet(join(folder, "file", "rows.parquet"), { text: utf8 }, [], { rowGroupBytes }));
    expect(fault.code).toBe("IO");
    expect(fault.message).toContain(join(folder, "file", "rows.parquet"));
  });

  test("for row groups of 64 MB or more is refused", async () => {
    await expect(writeParquet(join(folder, "rows.parquet"), { text: utf8 }, [], { rowGroupBytes: 64_000_000 })).rejects.toThrow(RangeError);
  });
});

describe("a file that cannot be read is a fault that names it", () => {
  test("if it is not there", async () => {
    expect((await faultOf(countParquetRows(join(folder, "none.parquet")))).code).toBe("INPUT_MISSING");
  });

  test.each(["", "PAR1", "PAR1PAR1", "not a Parquet file at all, but long enough to be one", `PAR1${"\0".repeat(20)}\xff\xff\xff\x7fPAR1`])(
    "if it holds %j",
    async (content) => {
      const path = join(folder, "bad.parquet");
      await writeFile(path, content, "latin1");
      for (const read of [countParquetRows, readParquetSchema, (file: string) => collected(readParquetRows(file))]) {
        const fault = await faultOf(read(path));
        expect(fault.code).toBe("ROWS_CORRUPT");
        expect(fault.message).toContain(path);
      }
    },
  );

  test("wherever it was cut off", async () => {
    const path = join(folder, "rows.parquet");
    const { bytes } = await writeParquet(path, schema, rows, { rowGroupBytes });
    for (const size of [bytes - 1, bytes - 8, Math.floor(bytes / 2), 5]) {
      await truncate(path, size);
      expect((await faultOf(collected(readParquetRows(path)))).code).toBe("ROWS_CORRUPT");
    }
  });

  test("if its pages were overwritten, after the rows before them were read", async () => {
    const path = join(folder, "rows.parquet");
    await writeParquet(path, { text: utf8 }, numbered(20), { rowGroupBytes: 1000 });
    const bytes = await readFile(path);
    const second = parquetMetadata(bytes).row_groups[1]?.columns[0]?.meta_data;
    const from = Number(second?.dictionary_page_offset ?? second?.data_page_offset);
    await writeFile(path, bytes.fill(0xaa, from, from + Number(second?.total_compressed_size)));
    const read: unknown[] = [];
    const reading = async () => {
      for await (const row of readParquetRows(path)) read.push(row);
    };
    const fault = await faultOf(reading());
    expect(fault.code).toBe("ROWS_CORRUPT");
    expect(fault.message).toContain("rows 10 to 20");
    expect(read).toEqual(numbered(10));
  });

  test("if a column that was asked for is not in it", async () => {
    const path = join(folder, "rows.parquet");
    await writeParquet(path, { text: utf8 }, numbered(1), { rowGroupBytes });
    const fault = await faultOf(collected(readParquetRows(path, { columns: ["text", "messages"] })));
    expect(fault.code).toBe("DATA_ERRORS");
    expect(fault.message).toContain("messages");
  });
});

test("values of other writers become JSON-like: large integers, dates, bytes, compressed with snappy", async () => {
  const { Binary, Field, Int64, RecordBatch, Schema, Struct, Table, TimestampMillisecond, makeData, tableToIPC } = await import(
    "apache-arrow"
  );
  const fields = [
    new Field("big", new Int64(), true),
    new Field("at", new TimestampMillisecond(), true),
    new Field("raw", new Binary(), true),
  ];
  const bytes = Uint8Array.of(104, 105);
  const children = [
    makeData({ type: new Int64(), length: 3, nullCount: 1, nullBitmap: Uint8Array.of(0b011), data: BigInt64Array.of(7n, 2n ** 60n, 0n) }),
    makeData({
      type: new TimestampMillisecond(),
      length: 3,
      nullCount: 1,
      nullBitmap: Uint8Array.of(0b101),
      data: BigInt64Array.of(0n, 0n, 86_400_000n),
    }),
    makeData({ type: new Binary(), length: 3, nullCount: 0, nullBitmap: null, valueOffsets: Int32Array.of(0, 2, 2, 2), data: bytes }),
  ];
  const arrowSchema = new Schema(fields);
  const batch = new RecordBatch(arrowSchema, makeData({ type: new Struct(fields), length: 3, nullCount: 0, nullBitmap: null, children }));
  const wasm = WasmTable.fromIPCStream(tableToIPC(new Table(arrowSchema, [batch]), "stream"));
  const path = join(folder, "other.parquet");
  await writeFile(path, writeWasm(wasm, new WriterPropertiesBuilder().setCompression(1).build()));
  expect(await collected(readParquetRows(path))).toEqual([
    { big: 7, at: "1970-01-01T00:00:00.000Z", raw: "hi" },
    { big: (2n ** 60n).toString(), at: null, raw: "" },
    { big: null, at: "1970-01-02T00:00:00.000Z", raw: "" },
  ]);
});
