import { createRequire } from "node:module";
import type * as Arrow from "apache-arrow";
import type { ColumnSchema, ColumnType, ListType, Row, ScalarType, StructType } from "../../schemas/columns.ts";
import { Bits, Growing } from "./growing.ts";

/** By require: as modules, its 146 files would go through the TypeScript loader one by one, which takes half as long as a small run. */
export const arrow = createRequire(import.meta.url)("apache-arrow") as typeof Arrow;

function columnOf(type: ColumnType): Column<unknown> {
  switch (type.type) {
    case "list":
      return new ListColumn(type);
    case "struct":
      return new StructColumn(type);
    case "utf8":
      return new TextColumn(type);
    case "bool":
      return new BoolColumn(type);
    default:
      return new NumberColumn(type.type, type.nullable);
  }
}

/** Which values of a column are there. */
class Presence {
  length = 0;
  private nulls = 0;
  /** null: all of them, as the type has no null. */
  private readonly bits: Bits | null;

  constructor(nullable: boolean) {
    this.bits = nullable ? new Bits() : null;
  }

  push(isThere: boolean): void {
    this.length += 1;
    if (this.bits === null) return;
    this.bits.push(isThere);
    if (!isThere) this.nulls += 1;
  }

  /** Counts as many that are there; false: the type has nulls, so each must be looked at. */
  skip(count: number): boolean {
    if (this.bits === null) this.length += count;
    return this.bits === null;
  }

  data(): { length: number; nullCount: number; nullBitmap: Uint8Array | null } {
    return { length: this.length, nullCount: this.nulls, nullBitmap: this.nulls === 0 || this.bits === null ? null : this.bits.used() };
  }

  clear(): void {
    this.length = 0;
    this.nulls = 0;
    this.bits?.clear();
  }
}

/** Values of one column, checked before (`row-size.ts`), in the memory that Arrow wants. Null where the type or a struct around it allows. */
abstract class Column<T> {
  protected readonly presence: Presence;

  constructor({ nullable }: Pick<ColumnType, "nullable">) {
    this.presence = new Presence(nullable);
  }

  get length(): number {
    return this.presence.length;
  }

  add(value: unknown): void {
    this.presence.push(value !== null);
    this.put(value as T | null);
  }

  addAll(values: ArrayLike<unknown>): void {
    for (let at = 0; at < values.length; at += 1) this.add(values[at]);
  }

  /** Its memory takes the next values. */
  clear(): void {
    this.presence.clear();
    this.empty();
  }

  abstract data(): Arrow.Data;
  protected abstract put(value: T | null): void;
  protected abstract empty(): void;
}

const offsets = (): Growing<Int32Array> => {
  const growing = new Growing((length) => new Int32Array(length));
  growing.push(0);
  return growing;
};

class TextColumn extends Column<string> {
  private readonly ends = offsets();
  private readonly bytes = new Growing((length) => Buffer.allocUnsafeSlow(length));

  protected put(value: string | null): void {
    if (value !== null && value.length > 0) {
      const first = this.bytes.grow(Buffer.byteLength(value));
      this.bytes.memory.write(value, first, "utf8");
    }
    this.ends.push(this.bytes.length);
  }

  data(): Arrow.Data {
    return arrow.makeData({ type: scalarTypes.utf8, ...this.presence.data(), valueOffsets: this.ends.used(), data: this.bytes.used() });
  }

  protected empty(): void {
    this.ends.length = 1;
    this.bytes.clear();
  }
}

class BoolColumn extends Column<boolean> {
  private readonly bits = new Bits();

  protected put(value: boolean | null): void {
    this.bits.push(value === true);
  }

  data(): Arrow.Data {
    return arrow.makeData({ type: scalarTypes.bool, ...this.presence.data(), data: this.bits.used() });
  }

  protected empty(): void {
    this.bits.clear();
  }
}

type NumberName = Exclude<ScalarType["type"], "utf8" | "bool">;

const numberArrays = { int8: Int8Array, int32: Int32Array, float64: Float64Array } as const;

class NumberColumn extends Column<number> {
  private readonly type: NumberName;
  private readonly values: Growing<Int8Array | Int32Array | Float64Array>;

  constructor(type: NumberName, nullable: boolean) {
    super({ nullable });
    this.type = type;
    this.values = new Growing((length) => new numberArrays[type](length));
  }

  /** Token ids come by the thousand. */
  override addAll(values: ArrayLike<unknown>): void {
    if (this.presence.skip(values.length)) {
      const first = this.values.grow(values.length);
      this.values.memory.set(values as ArrayLike<number>, first);
    } else super.addAll(values);
  }

  protected put(value: number | null): void {
    this.values.push(value ?? 0);
  }

  data(): Arrow.Data {
    const type = scalarTypes[this.type] as Arrow.Int32; // and so the array: of each type its own, which the compiler cannot pair
    return arrow.makeData({ type, ...this.presence.data(), data: this.values.used() as Int32Array });
  }

  protected empty(): void {
    this.values.clear();
  }
}

class ListColumn extends Column<ArrayLike<unknown>> {
  private readonly type: ListType;
  private readonly ends = offsets();
  private readonly elements: Column<unknown>;

  constructor(type: ListType) {
    super(type);
    this.type = type;
    this.elements = columnOf(type.element);
  }

  protected put(value: ArrayLike<unknown> | null): void {
    if (value !== null) this.elements.addAll(value);
    this.ends.push(this.elements.length);
  }

  data(): Arrow.Data {
    const type = arrowType(this.type) as Arrow.List;
    return arrow.makeData({ type, ...this.presence.data(), valueOffsets: this.ends.used(), child: this.elements.data() });
  }

  protected empty(): void {
    this.ends.length = 1;
    this.elements.clear();
  }
}

export class StructColumn extends Column<Row> {
  private readonly type: StructType;
  private readonly fields: readonly (readonly [name: string, column: Column<unknown>])[];

  constructor(type: StructType) {
    super(type);
    this.type = type;
    this.fields = Object.entries(type.fields).map(([name, field]) => [name, columnOf(field)]);
  }

  protected put(value: Row | null): void {
    for (const [name, column] of this.fields) column.add(value?.[name] ?? null);
  }

  data(): Arrow.Data<Arrow.Struct> {
    const type = arrowType(this.type) as Arrow.Struct;
    return arrow.makeData({ type, ...this.presence.data(), children: this.fields.map(([, column]) => column.data()) });
  }

  protected empty(): void {
    for (const [, column] of this.fields) column.clear();
  }
}

const scalarTypes = {
  utf8: new arrow.Utf8(),
  int8: new arrow.Int8(),
  int32: new arrow.Int32(),
  float64: new arrow.Float64(),
  bool: new arrow.Bool(),
} as const;

function arrowType(type: ColumnType): Arrow.DataType {
  if (type.type === "list") return new arrow.List(arrowField("element", type.element)); // the Parquet format's own name for it
  if (type.type === "struct") return new arrow.Struct(arrowFields(type.fields));
  return scalarTypes[type.type];
}

function arrowField(name: string, type: ColumnType): Arrow.Field {
  return new arrow.Field(name, arrowType(type), type.nullable);
}

export function arrowFields(columns: ColumnSchema): Arrow.Field[] {
  return Object.entries(columns).map(([name, type]) => arrowField(name, type));
}
