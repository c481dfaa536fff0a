import { z } from "zod";
import { Digest, TrajectoryId } from "./trajectory.ts";

/**
 * Envelope of every stored row. `key`: digest of what made it (stage, version, params, content digests read); `rev`: digest of its
 * outcome; `from`: the rev of every part it rests on. A rejected record is a row too, so that an old good row cannot outlive it.
 */
export const rowOf = <T extends z.ZodType>(value: T) =>
  z.strictObject({
    id: TrajectoryId,
    key: Digest,
    rev: Digest,
    from: z.record(z.string(), Digest),
    outcome: z.discriminatedUnion("ok", [
      z.strictObject({ ok: z.literal(true), value }),
      z.strictObject({ ok: z.literal(false), why: z.string() }),
    ]),
  });

export type Row<T> = {
  id: TrajectoryId;
  key: Digest;
  rev: Digest;
  from: Record<string, Digest>;
  outcome: { ok: true; value: T } | { ok: false; why: string };
};
