import { z } from "zod";
import { Metrics } from "./metrics.ts";
import { Selection } from "./selection.ts";
import { Detection, Memory, Workspace } from "./sidecars.ts";
import { Trajectory } from "./trajectory.ts";
import { Verdict } from "./verdict.ts";

const outcomeOf = <T extends z.ZodType>(value: T) =>
  z
    .discriminatedUnion("ok", [z.strictObject({ ok: z.literal(true), value }), z.strictObject({ ok: z.literal(false), why: z.string() })])
    .nullable();

/** `catgen show ID --json`: a contract. null where a stage has not run. */
export const Show = z.strictObject({
  run: z.string(),
  trajectory: Trajectory,
  detection: outcomeOf(Detection),
  memory: outcomeOf(Memory),
  workspace: outcomeOf(Workspace),
  metrics: outcomeOf(Metrics),
  verdict: outcomeOf(Verdict),
  selection: outcomeOf(Selection),
});
export type Show = z.infer<typeof Show>;
