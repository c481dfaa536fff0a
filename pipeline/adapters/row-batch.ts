import type { ColumnSchema, Row } from "../../schemas/columns.ts";
import { arrow, arrowFields, StructColumn } from "./arrow-columns.ts";

/**
 * Rows as one Arrow record batch, put into its columns as they come, so that no row is held. The next batch takes the same memory: asking the
 * system for it with each row group costs a sixth of writing one.
 */
export class RowBatch {
  private readonly columns: ColumnSchema;
  private readonly root: StructColumn;
  private stream = Buffer.alloc(0);

  constructor(columns: ColumnSchema) {
    this.columns = columns;
    this.root = new StructColumn({ type: "struct", nullable: false, fields: columns });
  }

  get rows(): number {
    return this.root.length;
  }

  /** A row that was checked (`row-size.ts`). */
  add(row: Row): void {
    this.root.add(row);
  }

  clear(): void {
    this.root.clear();
  }

  /** The batch as an IPC stream of its own, which the next call overwrites: how the Parquet encoder takes it. */
  ipcStream(): Uint8Array {
    const pieces = new Pieces();
    const writer = new arrow.RecordBatchStreamWriter();
    writer.reset(pieces).write(new arrow.RecordBatch(new arrow.Schema(arrowFields(this.columns)), this.root.data()));
    writer.finish();
    if (pieces.bytes > this.stream.length) this.stream = Buffer.allocUnsafeSlow(pieces.bytes);
    return this.stream.subarray(0, pieces.copy(this.stream));
  }
}

/** What an Arrow writer says, piece by piece; its own queue would join them in new memory. */
class Pieces extends arrow.AsyncByteQueue {
  bytes = 0;
  private readonly pieces: Uint8Array[] = [];

  override write(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.bytes += piece.byteLength;
  }

  /** One behind the other; returns where they end. */
  copy(to: Uint8Array): number {
    let end = 0;
    for (const { buffer, byteOffset, byteLength } of this.pieces) {
      to.set(new Uint8Array(buffer, byteOffset, byteLength), end); // a column of numbers comes as an array of them
      end += byteLength;
    }
    return end;
  }
}
