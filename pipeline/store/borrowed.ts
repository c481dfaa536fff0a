/**
 * Buffers that are used again. V8 takes every megabyte of them for a reason to collect all garbage: with fresh ones, judging spent a fifth of
 * its time on that (18 full collections over 64 shards, 2 with these).
 */
const idle: Buffer[] = [];
/** Of those that wait: what a shard's parts need at once, and no more for long. Our choice. */
const mostIdle = 4;

/** A buffer of at least so many bytes, whatever is in it. */
export function borrow(bytes: number): Buffer {
  let best = -1;
  for (const [index, buffer] of idle.entries())
    if (buffer.length >= bytes && buffer.length < (idle[best]?.length ?? Number.POSITIVE_INFINITY)) best = index;
  return best < 0 ? Buffer.allocUnsafeSlow(bytes) : (idle.splice(best, 1)[0] as Buffer);
}

/** Nobody may look at it any more. */
export function giveBack(buffer: Buffer): void {
  idle.push(buffer);
  if (idle.length > mostIdle) idle.splice(idle.indexOf(idle.reduce((a, b) => (a.length <= b.length ? a : b))), 1);
}
