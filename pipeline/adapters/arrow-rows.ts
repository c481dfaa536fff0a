import { createRequire } from "node:module";
import type * as Arrow from "apache-arrow";
import type { ColumnSchema, ColumnType, ListType, Row, StructType } from "../../schemas/columns.ts";
import { newRoom, type Room } from "./scratch.ts";

/** By require: as modules, its 146 files would go through the TypeScript loader one by one, which takes half as long as a small run. */
const arrow = createRequire(import.meta.url)("apache-arrow") as typeof Arrow;

/** Rows as an Arrow IPC stream of one record batch, in memory of `room`: how the Parquet encoder takes them. */
export function ipcStream(columns: ColumnSchema, rows: readonly Row[], room: Room = newRoom): Uint8Array {
  const data = structData({ type: "struct", nullable: false, fields: columns }, rows, room);
  const pieces = new Pieces();
  const writer = new arrow.RecordBatchStreamWriter();
  writer.reset(pieces).write(new arrow.RecordBatch(arrowSchema(columns), data as Arrow.Data<Arrow.Struct>));
  writer.finish();
  return pieces.joined(room);
}

/** What an Arrow writer says, piece by piece; its own queue would join them in new memory. */
class Pieces extends arrow.AsyncByteQueue {
  private readonly pieces: Uint8Array[] = [];

  override write(piece: Uint8Array): void {
    this.pieces.push(piece);
  }

  joined(room: Room): Uint8Array {
    const whole = room(this.pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let end = 0;
    for (const { buffer, byteOffset, byteLength } of this.pieces) {
      whole.set(new Uint8Array(buffer, byteOffset, byteLength), end); // a column of numbers comes as an array of them
      end += byteLength;
    }
    return whole;
  }
}

function arrowSchema(columns: ColumnSchema): Arrow.Schema {
  return new arrow.Schema(arrowFields(columns));
}

function arrowFields(columns: ColumnSchema): Arrow.Field[] {
  return Object.entries(columns).map(([name, type]) => arrowField(name, type));
}

function arrowField(name: string, type: ColumnType): Arrow.Field {
  return new arrow.Field(name, arrowType(type), type.nullable);
}

const scalarTypes = {
  utf8: new arrow.Utf8(),
  int8: new arrow.Int8(),
  int32: new arrow.Int32(),
  float64: new arrow.Float64(),
  bool: new arrow.Bool(),
} as const;

const numberArrays = { int8: Int8Array, int32: Int32Array, float64: Float64Array } as const;

function arrowType(type: ColumnType): Arrow.DataType {
  if (type.type === "list") return new arrow.List(arrowField("element", type.element)); // the Parquet format's own name for it
  if (type.type === "struct") return new arrow.Struct(arrowFields(type.fields));
  return scalarTypes[type.type];
}

/** One column of checked values. A value is null where the type allows it, or where a struct around it is null. */
function columnData(type: ColumnType, values: readonly unknown[], room: Room): Arrow.Data {
  if (type.type === "list") return listData(type, values as readonly (ArrayLike<unknown> | null)[], room);
  if (type.type === "struct") return structData(type, values as readonly (Row | null)[], room);
  const nulls = nullsOf(type, values);
  switch (type.type) {
    case "utf8":
      return arrow.makeData({ type: scalarTypes.utf8, ...nulls, ...utf8Buffers(values as readonly (string | null)[], room) });
    case "bool":
      return arrow.makeData({ type: scalarTypes.bool, ...nulls, data: bitmap(values.length, (index) => values[index] === true) });
    case "int8":
      return arrow.makeData({ type: scalarTypes.int8, ...nulls, data: Int8Array.from(values as number[]) });
    case "int32":
      return arrow.makeData({ type: scalarTypes.int32, ...nulls, data: Int32Array.from(values as number[]) });
    case "float64":
      return arrow.makeData({ type: scalarTypes.float64, ...nulls, data: Float64Array.from(values as number[]) });
  }
}

function listData(type: ListType, values: readonly (ArrayLike<unknown> | null)[], room: Room): Arrow.Data {
  const valueOffsets = new Int32Array(values.length + 1);
  values.forEach((value, index) => {
    valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + (value?.length ?? 0);
  });
  const length = valueOffsets[values.length] ?? 0;
  const child = numbersData(type.element, values, length) ?? columnData(type.element, flattened(values, length), room);
  return arrow.makeData({ type: arrowType(type) as Arrow.List, ...nullsOf(type, values), valueOffsets, child });
}

/** Elements of lists of plain numbers without a detour through an array of them all; null for other lists. */
function numbersData(element: ColumnType, values: readonly (ArrayLike<unknown> | null)[], length: number): Arrow.Data | null {
  if (element.nullable || !(element.type === "int8" || element.type === "int32" || element.type === "float64")) return null;
  const numbers = new numberArrays[element.type](length);
  let end = 0;
  for (const value of values as readonly (ArrayLike<number> | null)[]) {
    if (value === null) continue;
    numbers.set(value, end);
    end += value.length;
  }
  const type = scalarTypes[element.type] as Arrow.Int32; // and so the array: of each type its own, which the compiler cannot pair
  return arrow.makeData({ type, length, nullCount: 0, nullBitmap: null, data: numbers as Int32Array });
}

function flattened(values: readonly (ArrayLike<unknown> | null)[], length: number): unknown[] {
  const elements = new Array<unknown>(length);
  let end = 0;
  for (const value of values) for (let at = 0; value !== null && at < value.length; at++) elements[end++] = value[at];
  return elements;
}

function structData(type: StructType, values: readonly (Row | null)[], room: Room): Arrow.Data {
  const children = Object.entries(type.fields).map(([name, field]) =>
    columnData(
      field,
      values.map((value) => value?.[name] ?? null),
      room,
    ),
  );
  return arrow.makeData({ type: arrowType(type) as Arrow.Struct, ...nullsOf(type, values), children });
}

function utf8Buffers(values: readonly (string | null)[], room: Room): { valueOffsets: Int32Array; data: Buffer } {
  const valueOffsets = new Int32Array(values.length + 1);
  const data = room(values.reduce((sum, value) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0));
  let end = 0;
  values.forEach((value, index) => {
    if (value !== null) end += data.write(value, end, "utf8");
    valueOffsets[index + 1] = end;
  });
  return { valueOffsets, data };
}

function nullsOf(type: ColumnType, values: readonly unknown[]): { length: number; nullCount: number; nullBitmap: Uint8Array | null } {
  const nullCount = type.nullable ? values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0) : 0;
  const nullBitmap = nullCount > 0 ? bitmap(values.length, (index) => values[index] !== null) : null;
  return { length: values.length, nullCount, nullBitmap };
}

/** One bit each, lowest first. */
function bitmap(length: number, isSet: (index: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let index = 0; index < length; index++) if (isSet(index)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits;
}

// ---- Checking and measuring rows ----

/** Bytes of a value before compression, about. Throws if it is not of the type: the code that made the row is wrong. */
function measured(type: ColumnType, value: unknown, where: string): number {
  if (value === null && type.nullable) return 4;
  switch (type.type) {
    case "utf8":
      if (typeof value === "string") return 4 + Buffer.byteLength(value);
      break;
    case "bool":
      if (typeof value === "boolean") return 1;
      break;
    case "int8":
      if (typeof value === "number" && (value << 24) >> 24 === value) return 1;
      break;
    case "int32":
      if (typeof value === "number" && (value | 0) === value) return 4;
      break;
    case "float64":
      if (typeof value === "number") return 8;
      break;
    case "list":
      if (Array.isArray(value) || ArrayBuffer.isView(value)) return measuredElements(type, value as ArrayLike<unknown>, where);
      break;
    case "struct":
      if (typeof value === "object" && value !== null) return measuredFields(type.fields, value as Row, where);
      break;
  }
  const got = typeof value === "object" && value !== null ? "an object" : (JSON.stringify(value)?.slice(0, 40) ?? "nothing");
  throw new TypeError(`expected ${type.type}${type.nullable ? " or null" : ""} at ${where}, got ${got}`);
}

function measuredElements(type: ListType, elements: ArrayLike<unknown>, where: string): number {
  if (type.element.type === "int32" && elements instanceof Int32Array) return 4 + elements.byteLength;
  if (type.element.type === "int8" && elements instanceof Int8Array) return 4 + elements.byteLength;
  const elementWhere = `${where}[]`;
  let bytes = 4;
  for (let at = 0; at < elements.length; at++) bytes += measured(type.element, elements[at], elementWhere);
  return bytes;
}

/** Bytes of a row before compression, about; throws at a missing, extra or wrong field. */
export function measuredFields(fields: ColumnSchema, row: Row, where: string): number {
  let bytes = 0;
  for (const name in fields) bytes += measured(fields[name] as ColumnType, row[name], `${where}.${name}`);
  for (const name in row)
    if (!Object.hasOwn(fields, name)) throw new TypeError(`expected no field ${JSON.stringify(name)} at ${where}: the schema has none`);
  return bytes;
}
