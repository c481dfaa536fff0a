import { join } from "node:path";
import type { PublishFile } from "../../schemas/publish.ts";
import { readParquetRows, readParquetSchema } from "../adapters/parquet-reader.ts";

type Texts<Name extends string> = Readonly<Record<Name, string | null>>;

/** Some columns of every exported sample, whatever its layout; columns that are not asked for are not read. Files without them are passed over. */
export async function* exportedColumns<Name extends string>(
  folder: string,
  files: readonly PublishFile[],
  columns: readonly Name[],
  onFile: (path: string) => void,
): AsyncGenerator<Texts<Name>> {
  for (const { path } of files) {
    if (!path.endsWith(".parquet")) continue;
    const present = await readParquetSchema(join(folder, path));
    if (columns.some((column) => !present.includes(column))) continue;
    onFile(path);
    for await (const row of readParquetRows(join(folder, path), { columns }))
      yield Object.fromEntries(columns.map((column) => [column, typeof row[column] === "string" ? row[column] : null])) as Texts<Name>;
  }
}
