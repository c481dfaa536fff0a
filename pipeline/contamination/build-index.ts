import { Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { IndexBuilt } from "../../schemas/contamination.ts";
import { Fault } from "../../schemas/fault.ts";
import { headLines } from "../../stages/lib/contamination/fingerprint-file.ts";
import { wordAt } from "../../stages/lib/contamination/print-table.ts";
import { fingerprintsOf } from "../../stages/lib/decontamination.ts";
import { writeAtomically } from "../store/atomic.ts";
import { sha256 } from "../store/digest.ts";
import { fileDigest } from "../store/lines.ts";
import { type LocalRow, readLocalRows } from "./local-rows.ts";

export interface IndexRequest {
  readonly from: string;
  readonly name: string;
  readonly out: string;
  /** Field with the instance's id. */
  readonly id: string;
  readonly text: readonly string[];
  readonly patch: readonly string[];
}

type Column = "text" | "patch";

/** Sorted fingerprints of one instance, eight bytes each; a string of 16 digits takes four times as much. */
type Packed = Uint32Array;
const packed = (prints: readonly string[]): Packed => {
  const words = new Uint32Array(2 * prints.length);
  for (const [index, print] of prints.entries()) {
    words[2 * index] = wordAt(print, 0);
    words[2 * index + 1] = wordAt(print, 8);
  }
  return words;
};
const hex = (word: number | undefined): string => (word ?? 0).toString(16).padStart(8, "0");
const unpacked = (words: Packed): string[] =>
  Array.from({ length: words.length / 2 }, (_, index) => hex(words[2 * index]) + hex(words[2 * index + 1]));

interface Gathered {
  readonly instances: ReadonlyMap<string, Readonly<Record<Column, Packed>>>;
  readonly rows: number;
}

function idOf({ number, fields }: LocalRow, { from, id }: IndexRequest): string {
  const value = fields[id];
  if (typeof value === "string" && value !== "" && !/\s/.test(value)) return value;
  throw new Fault(
    "DATA_ERRORS",
    "stop",
    `${from}, row ${number}: expected an instance id without white space in the field ${id}, got ${JSON.stringify(value)?.slice(0, 60) ?? "nothing"}; the row has ${Object.keys(fields).join(", ")}: name the one with --id`,
  );
}

function textOf({ number, fields }: LocalRow, field: string, from: string): string {
  const value = fields[field];
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  throw new Fault(
    "DATA_ERRORS",
    "stop",
    `${from}, row ${number}: expected text in the field ${field}, got ${typeof value}; name another in --fields`,
  );
}

/** A field that no row has is a slip of the pen; one that some rows lack is not. */
function requireFields({ from, text, patch }: IndexRequest, seen: ReadonlySet<string>, rows: number): void {
  if (rows === 0) throw new Fault("DATA_ERRORS", "stop", `${from} has no rows; there is nothing to make an index of`);
  const missing = [...text, ...patch].filter((field) => !seen.has(field));
  if (missing.length > 0)
    throw new Fault("USAGE", "stop", `${from} has no field ${missing.join(", ")}; it has ${[...seen].sort().join(", ")}`);
}

async function gather(request: IndexRequest, progress: () => void): Promise<Gathered> {
  const instances = new Map<string, Record<Column, Packed>>();
  const seen = new Set<string>();
  let rows = 0;
  for await (const row of readLocalRows(request.from)) {
    for (const field of Object.keys(row.fields)) seen.add(field);
    const id = idOf(row, request);
    const before = instances.get(id);
    const prints = (column: Column): Packed => {
      const all = request[column].flatMap((field) => fingerprintsOf(textOf(row, field, request.from), sha256));
      return packed([...new Set([...all, ...(before === undefined ? [] : unpacked(before[column]))])].sort());
    };
    instances.set(id, { text: prints("text"), patch: prints("patch") });
    rows += 1;
    progress();
  }
  requireFields(request, seen, rows);
  return { instances, rows };
}

function* linesOf(request: IndexRequest, { instances }: Gathered): Generator<string> {
  for (const line of headLines(request.name, request.text, request.patch)) yield `${line}\n`;
  for (const [id, { text, patch }] of [...instances].sort(([a], [b]) => (a < b ? -1 : 1)))
    yield `${id}\t${unpacked(text).join(" ")}${request.patch.length === 0 ? "" : `\t${unpacked(patch).join(" ")}`}\n`;
}

/** Byte 9 of a gzip file names the operating system that made it; 255 = unknown, so that it is the same on all of them. RFC 1952. */
const systemAt = 9;
const unknownSystem = 255;

async function* packedBytes(lines: Iterable<string>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION });
  const source = Readable.from(lines);
  source.on("error", (error) => gzip.destroy(error));
  let first = true;
  for await (const chunk of source.pipe(gzip)) {
    const bytes = chunk as Buffer;
    if (first) bytes[systemAt] = unknownSystem;
    first = false;
    yield bytes;
  }
}

/** Writes the index of a local file: ids and hashes, no text. Equal rows give equal bytes, in whatever order they come. */
export async function buildIndex(request: IndexRequest, progress: () => void): Promise<IndexBuilt> {
  const gathered = await gather(request, progress);
  const all = [...gathered.instances.values()];
  const column = (of: Column): NonNullable<IndexBuilt["patch"]> => ({
    fields: [...request[of]],
    fingerprints: all.reduce((sum, instance) => sum + instance[of].length / 2, 0),
    instancesWithout: all.filter((instance) => instance[of].length === 0).length,
  });
  const text = column("text");
  const patch = request.patch.length === 0 ? null : column("patch");
  if (text.fingerprints + (patch?.fingerprints ?? 0) === 0)
    throw new Fault(
      "DATA_ERRORS",
      "stop",
      `${request.from}: no text of ${[...request.text, ...request.patch].join(", ")} has 13 words, so there is nothing to compare; name other fields`,
    );
  const lines = linesOf(request, gathered);
  await writeAtomically(request.out, async (handle) => {
    for await (const bytes of /\.gz$/i.test(request.out) ? packedBytes(lines) : Readable.from(lines))
      await handle.writeFile(bytes as Buffer | string);
  });
  const { sha256: digest, bytes } = await fileDigest(request.out);
  return { out: request.out, name: request.name, sha256: digest, bytes, rows: gathered.rows, instances: all.length, text, patch };
}
