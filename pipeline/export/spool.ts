import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SampleKind } from "../../schemas/sample.ts";
import type { ExportedSample } from "../../stages/export/export.ts";
import { asIoFault } from "../store/atomic.ts";
import { readLines } from "../store/lines.ts";

const bufferedChars = 4_000_000;

/**
 * Samples on disk between rendering and Parquet, one file per kind. Each line is `<place>\t<sample as JSON>`, where the place is a number
 * that says which repository it comes from: the split is drawn only when all places are known, and a reader skips lines of the other
 * side without parsing them. So rendering happens once and one Parquet writer at a time holds rows in memory, whatever the size.
 */
export class Spool {
  private readonly folder: string;
  private readonly files = new Map<SampleKind, { readonly handle: FileHandle; pending: string[]; chars: number }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  async add(place: number, exported: ExportedSample): Promise<void> {
    const file = this.files.get(exported.sample.kind) ?? (await this.open(exported.sample.kind));
    const line = `${place}\t${JSON.stringify(exported)}\n`;
    file.pending.push(line);
    file.chars += line.length;
    if (file.chars >= bufferedChars) await this.flush(exported.sample.kind);
  }

  async finish(): Promise<void> {
    for (const kind of this.files.keys()) await this.flush(kind);
  }

  /** In the order in which they were added, those of the places asked for. */
  async *samples(kind: SampleKind, wanted: (place: number) => boolean): AsyncGenerator<ExportedSample> {
    for await (const line of this.lines(kind, wanted)) yield JSON.parse(line) as ExportedSample; // our own line of a moment ago
  }

  private async *lines(kind: SampleKind, wanted: (place: number) => boolean): AsyncGenerator<string> {
    if (!this.files.has(kind)) return;
    for await (const { text } of readLines(this.path(kind))) {
      const end = text.indexOf("\t");
      if (wanted(Number(text.slice(0, end)))) yield text.slice(end + 1);
    }
  }

  /** Digest of those samples as they are spooled: what rows are made of. */
  async digest(kind: SampleKind, wanted: (place: number) => boolean): Promise<string> {
    const hash = createHash("sha256");
    for await (const line of this.lines(kind, wanted)) hash.update(`${line}\n`);
    return hash.digest("hex");
  }

  async remove(): Promise<void> {
    for (const { handle } of this.files.values()) await handle.close();
    this.files.clear();
    await rm(this.folder, { recursive: true, force: true });
  }

  private path(kind: SampleKind): string {
    return join(this.folder, `${kind}.jsonl`);
  }

  private async open(kind: SampleKind): Promise<{ readonly handle: FileHandle; pending: string[]; chars: number }> {
    try {
      await mkdir(this.folder, { recursive: true });
      const file = { handle: await open(this.path(kind), "wx"), pending: [], chars: 0 };
      this.files.set(kind, file);
      return file;
    } catch (error) {
      throw asIoFault(error, `writing ${this.path(kind)}`);
    }
  }

  private async flush(kind: SampleKind): Promise<void> {
    const file = this.files.get(kind);
    if (file === undefined || file.pending.length === 0) return;
    try {
      await file.handle.appendFile(file.pending.join(""));
    } catch (error) {
      throw asIoFault(error, `writing ${this.path(kind)}`);
    }
    file.pending = [];
    file.chars = 0;
  }
}
