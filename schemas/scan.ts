import { z } from "zod";

/** A place that looks secret. `place`: `line 12`, or the row and the path inside it, `row 3 messages.4.content`; rows and lines count from 1. */
export const ScanHit = z.strictObject({
  file: z.string(),
  place: z.string(),
  kind: z.enum(["SECRET", "PERSONAL"]),
  type: z.string(),
  /** First four characters and the length; the value itself is printed nowhere. */
  excerpt: z.string(),
});
export type ScanHit = z.infer<typeof ScanHit>;

/** `catgen scan PATH... --json`: a contract. */
export const Scan = z.strictObject({
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** Places, by type; all of them, also those that `found` leaves out. */
  byType: z.record(z.string(), z.int().positive()),
  found: z.array(ScanHit),
  /** Places beyond the first 1,000. */
  more: z.int().nonnegative(),
  /** What could not be looked into. */
  skipped: z.array(z.strictObject({ file: z.string(), why: z.string() })),
});
export type Scan = z.infer<typeof Scan>;
