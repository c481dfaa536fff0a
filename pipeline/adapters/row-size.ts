import type { ColumnSchema, ColumnType, ListType, Row } from "../../schemas/columns.ts";

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
