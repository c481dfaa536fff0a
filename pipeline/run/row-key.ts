import type { Trajectory } from "../../schemas/trajectory.ts";
import { digestOf } from "../store/digest.ts";

/** Key of a row: what made it and the content of what it read. Where it lies, and when and how it was made, is not in it. */
export const rowKey = (stageKey: string, from: Record<string, string>): string => digestOf({ stageKey, from });

/** An imported trajectory rests on the evidence of its outcome too, which may come from another file. */
export const trajectoryKey = (stageKey: string, from: Record<string, string>, evidence: Trajectory["outcome"]["evidence"]): string =>
  digestOf({ stageKey, from, evidence });
