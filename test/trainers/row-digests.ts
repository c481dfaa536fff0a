/**
 * What our own reader finds in the Parquet files of an exported folder, for other readers to compare with: one line of JSON per file,
 * `{ path, rows, sha256 }`, the digest over the canonical JSON of its rows, each followed by a newline.
 *
 *   npx tsx test/trainers/row-digests.ts FOLDER
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readParquetRows } from "../../pipeline/adapters/parquet-reader.ts";
import { canonicalJson } from "../../stages/lib/canonical-json.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("expected the folder of an exported dataset");

const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".parquet"));
for (const path of paths.sort()) {
  const digest = createHash("sha256");
  let rows = 0;
  for await (const row of readParquetRows(join(folder, path))) {
    digest.update(`${canonicalJson(row)}\n`);
    rows += 1;
  }
  console.log(JSON.stringify({ path, rows, sha256: digest.digest("hex") }));
}
