import type { ColumnType } from "../../../schemas/columns.ts";
import type { Layout } from "./layout.ts";

/** A type as a reader of the dataset writes it: `list<struct<role: utf8, train: bool?>>`; `?`: may be null. */
export function typeText(type: ColumnType): string {
  const optional = type.nullable ? "?" : "";
  if (type.type === "list") return `list<${typeText(type.element)}>${optional}`;
  if (type.type !== "struct") return `${type.type}${optional}`;
  const fields = Object.entries(type.fields).map(([name, field]) => `${name}: ${typeText(field)}`);
  return `struct<${fields.join(", ")}>${optional}`;
}

/** `schema.json` of a layout's folder: every column, declared; all shards have exactly these. */
export function schemaText(name: string, layout: Layout): string {
  const columns = Object.fromEntries(Object.entries(layout.columns).map(([column, type]) => [column, typeText(type)]));
  return `${JSON.stringify({ layout: name, columns, loss: layout.loss }, null, 2)}\n`;
}
