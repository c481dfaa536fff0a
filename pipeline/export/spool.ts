import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Metrics } from "../../schemas/metrics.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import type { Writer } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { ExportedSample } from "../../stages/export/export.ts";
import { asIoFault } from "../store/atomic.ts";
import { readLines } from "../store/lines.ts";

/** A trajectory with samples: what the card and the statistics say of it, and which samples it has. */
export interface Account {
  readonly trajectory: Pick<Trajectory, "source" | "origin">;
  readonly writers: readonly Writer[];
  readonly metrics: Metrics;
  readonly samples: readonly { readonly kind: SampleKind; readonly draw: string }[];
}

type SpoolName = SampleKind | "accounts";
type Wanted = (place: number, draw: string) => boolean;

const bufferedChars = 4_000_000;

/**
 * Samples on disk between rendering and Parquet, one file per kind. Each line is `<place>\t<draw>\t<sample as JSON>`, where the place is a
 * number that says which repository it comes from, and the draw decides whether the mix has it: both are settled only when all samples
 * are known, and a reader skips other lines without parsing them. Accounts of the trajectories lie beside, for the same reason. So rendering happens once and one Parquet writer at a time holds rows in memory, whatever the size.
 */
export class Spool {
  private readonly folder: string;
  private readonly files = new Map<SpoolName, { readonly handle: FileHandle; pending: string[]; chars: number }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  add(place: number, draw: string, exported: ExportedSample): Promise<void> {
    return this.write(exported.sample.kind, `${place}\t${draw}\t${JSON.stringify(exported)}\n`);
  }

  addAccount(account: Account): Promise<void> {
    return this.write("accounts", `${JSON.stringify(account)}\n`);
  }

  /** In the order in which they were added. */
  async *accounts(): AsyncGenerator<Account> {
    if (!this.files.has("accounts")) return;
    for await (const { text } of readLines(this.path("accounts"))) yield JSON.parse(text) as Account; // our own line of a moment ago
  }

  private async write(name: SpoolName, line: string): Promise<void> {
    const file = this.files.get(name) ?? (await this.open(name));
    file.pending.push(line);
    file.chars += line.length;
    if (file.chars >= bufferedChars) await this.flush(name);
  }

  async finish(): Promise<void> {
    for (const kind of this.files.keys()) await this.flush(kind);
  }

  /** In the order in which they were added, those asked for. */
  async *samples(kind: SampleKind, wanted: Wanted): AsyncGenerator<ExportedSample> {
    for await (const line of this.lines(kind, wanted)) yield JSON.parse(line) as ExportedSample; // our own line of a moment ago
  }

  private async *lines(kind: SampleKind, wanted: Wanted): AsyncGenerator<string> {
    if (!this.files.has(kind)) return;
    for await (const { text } of readLines(this.path(kind))) {
      const first = text.indexOf("\t");
      const second = text.indexOf("\t", first + 1);
      if (wanted(Number(text.slice(0, first)), text.slice(first + 1, second))) yield text.slice(second + 1);
    }
  }

  /** Digest of those samples as they are spooled: what rows are made of. */
  async digest(kind: SampleKind, wanted: Wanted): Promise<string> {
    const hash = createHash("sha256");
    for await (const line of this.lines(kind, wanted)) hash.update(`${line}\n`);
    return hash.digest("hex");
  }

  async remove(): Promise<void> {
    for (const { handle } of this.files.values()) await handle.close();
    this.files.clear();
    await rm(this.folder, { recursive: true, force: true });
  }

  private path(kind: SpoolName): string {
    return join(this.folder, `${kind}.jsonl`);
  }

  private async open(kind: SpoolName): Promise<{ readonly handle: FileHandle; pending: string[]; chars: number }> {
    try {
      await mkdir(this.folder, { recursive: true });
      const file = { handle: await open(this.path(kind), "wx"), pending: [], chars: 0 };
      this.files.set(kind, file);
      return file;
    } catch (error) {
      throw asIoFault(error, `writing ${this.path(kind)}`);
    }
  }

  private async flush(kind: SpoolName): Promise<void> {
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
