/**
 * Types of Parquet columns: always declared, never inferred, so that every shard of a dataset has one schema. An inferred type turns a
 * column without values into `null`, and the next shard cannot be read with it (trainers.md 1.2).
 */

export type ScalarName = "utf8" | "int8" | "int32" | "float64" | "bool";
export interface ScalarType {
  readonly type: ScalarName;
  readonly nullable: boolean;
}
export interface ListType {
  readonly type: "list";
  readonly nullable: boolean;
  readonly element: ColumnType;
}
export interface StructType {
  readonly type: "struct";
  readonly nullable: boolean;
  readonly fields: ColumnSchema;
}
export type ColumnType = ScalarType | ListType | StructType;

/** Columns by name, in the order in which they are written. */
export type ColumnSchema = Readonly<Record<string, ColumnType>>;

/** A value for every column of the schema and nothing else; absent is `null`. */
export type Row = Readonly<Record<string, unknown>>;

export const utf8: ScalarType = { type: "utf8", nullable: false };
export const int8: ScalarType = { type: "int8", nullable: false };
export const int32: ScalarType = { type: "int32", nullable: false };
export const float64: ScalarType = { type: "float64", nullable: false };
export const bool: ScalarType = { type: "bool", nullable: false };
export const list = (element: ColumnType): ListType => ({ type: "list", nullable: false, element });
export const struct = (fields: ColumnSchema): StructType => ({ type: "struct", nullable: false, fields });
export const nullable = <T extends ColumnType>(type: T): T => ({ ...type, nullable: true });
