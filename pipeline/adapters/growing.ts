/** Numbers that are added at the end, in memory that `clear` leaves to the next ones. */
export class Growing<T extends Int8Array | Int32Array | Float64Array | Uint8Array> {
  length = 0;
  /** What lies at and behind `length` is no one's. The next `grow` may move it. */
  memory: T;
  private readonly make: (length: number) => T;

  constructor(make: (length: number) => T) {
    this.make = make;
    this.memory = make(0);
  }

  /** Takes `more` places in; returns the first of them. */
  grow(more: number): number {
    const first = this.length;
    this.length += more;
    if (this.length > this.memory.length) {
      const larger = this.make(Math.max(this.length, 2 * this.memory.length));
      larger.set(this.memory.subarray(0, first));
      this.memory = larger;
    }
    return first;
  }

  push(value: number): void {
    const at = this.grow(1);
    this.memory[at] = value;
  }

  used(): T {
    return this.memory.subarray(0, this.length) as T;
  }

  clear(): void {
    this.length = 0;
  }
}

/** One bit each, lowest first, as Arrow has them. */
export class Bits {
  length = 0;
  private readonly bytes = new Growing((length) => new Uint8Array(length));

  push(isSet: boolean): void {
    const bit = this.length & 7;
    if (bit === 0) this.bytes.push(0);
    if (isSet) this.bytes.memory[this.length >> 3] = (this.bytes.memory[this.length >> 3] ?? 0) | (1 << bit);
    this.length += 1;
  }

  used(): Uint8Array {
    return this.bytes.used();
  }

  clear(): void {
    this.length = 0;
    this.bytes.clear();
  }
}
