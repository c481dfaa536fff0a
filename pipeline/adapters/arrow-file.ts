import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { ColumnSchema, Row } from "../../schemas/columns.ts";
import { asIoFault } from "../store/atomic.ts";
import { RowBatch } from "./row-batch.ts";
import { measuredFields } from "./row-size.ts";

/** Rows gather up to this many bytes before they are written as one record batch; readers map the file and hold none. Our choice. */
const batchBytes = 4_000_000;

/** End of an IPC stream: a continuation mark and a message of no length. */
const end = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/** Bytes of the schema at the start of a stream: mark, length, message; it has no body. Source: Arrow's "Encapsulated message format". */
const schemaBytes = (stream: Uint8Array): number => 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);

/** One Arrow IPC stream file, as `datasets` keeps its own: a schema, record batches, an end. Equal rows give equal bytes. Holds one batch. */
export class ArrowFile {
  rows = 0;
  private pendingBytes = 0;
  private readonly pending: RowBatch;
  private readonly path: string;
  private readonly columns: ColumnSchema;
  private readonly file: FileHandle;

  private constructor(path: string, columns: ColumnSchema, file: FileHandle) {
    this.path = path;
    this.columns = columns;
    this.pending = new RowBatch(columns);
    this.file = file;
  }

  /** The file must not be there. */
  static async create(path: string, columns: ColumnSchema): Promise<ArrowFile> {
    return guarded(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      const created = new ArrowFile(path, columns, await open(path, "wx"));
      const nothing = created.pending.ipcStream();
      await created.file.appendFile(nothing.subarray(0, schemaBytes(nothing)));
      return created;
    });
  }

  async add(row: Row): Promise<void> {
    this.pendingBytes += measuredFields(this.columns, row, `row ${this.rows}`);
    this.pending.add(row);
    this.rows += 1;
    if (this.pendingBytes >= batchBytes) await this.flush();
  }

  async close(): Promise<void> {
    await guarded(this.path, async () => {
      await this.flush();
      await this.file.appendFile(end);
      await this.file.sync();
    }).finally(() => this.file.close());
  }

  /** Leaves what is there. */
  abandon(): Promise<void> {
    return this.file.close();
  }

  private async flush(): Promise<void> {
    if (this.pending.rows === 0) return;
    const stream = this.pending.ipcStream();
    await guarded(this.path, () => this.file.appendFile(stream.subarray(schemaBytes(stream), stream.length - end.length)));
    this.pending.clear();
    this.pendingBytes = 0;
  }
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asIoFault(error, `writing ${path}`);
  }
}
