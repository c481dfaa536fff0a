/** Lends memory for as long as the caller needs it. */
export type Room = (bytes: number) => Buffer;

/** Memory of its own for everyone who asks. */
export const newRoom: Room = (bytes) => Buffer.allocUnsafeSlow(bytes);

/**
 * Memory that is used again and again: a row group takes 48 MB of texts, and asking the system for them anew each time costs a sixth of
 * writing it. What `room` lent is no one's after the next `again`.
 */
export class Scratch {
  private memory = Buffer.alloc(0);
  private used = 0;
  private missing = 0;

  readonly room: Room = (bytes) => {
    if (this.used + bytes > this.memory.length) {
      this.missing += bytes;
      return newRoom(bytes);
    }
    const from = this.used;
    this.used += bytes;
    return this.memory.subarray(from, this.used);
  };

  /** Takes everything back; what was too much last time fits from now on. */
  again(): void {
    if (this.missing > 0) this.memory = Buffer.allocUnsafeSlow(this.used + this.missing);
    this.used = 0;
    this.missing = 0;
  }
}
