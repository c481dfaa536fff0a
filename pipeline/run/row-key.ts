import type { Row } from "../../schemas/row.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { digestOf, sha256 } from "../store/digest.ts";

/**
 * Digest of an outcome as it is written: every value has come out of its schema, so equal ones have equal text, and writing is five times
 * as fast as sorting keys.
 */
export const revOf = (outcome: Row<unknown>["outcome"]): string => revOfText(JSON.stringify(outcome));
export const revOfText = (outcomeText: string): string => sha256(outcomeText);

/** Key of a row: what made it and the content of what it read. Where it lies, and when and how it was made, is not in it. */
export function rowKey(stageKey: string, from: Record<string, string>): string {
  // Canonical JSON by the native writer, which is faster: this is asked for every row, and only the parts have to be sorted.
  const sorted: Record<string, string> = {};
  for (const part of Object.keys(from).sort()) sorted[part] = from[part] ?? "";
  return sha256(JSON.stringify({ from: sorted, stageKey }));
}

/** An imported trajectory rests on the evidence of its outcome too, which may come from another file. */
export const trajectoryKey = (stageKey: string, from: Record<string, string>, evidence: Trajectory["outcome"]["evidence"]): string =>
  digestOf({ stageKey, from, evidence });
