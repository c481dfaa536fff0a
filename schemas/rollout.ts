import { z } from "zod";
import { Digest, ExitStatus, Mark } from "./trajectory.ts";
import { Verification } from "./verification.ts";

/** A call of a live agent with what the environment answered. */
export const RolloutCall = z.strictObject({
  name: z.string(),
  /** As the model wrote it; may be no JSON. */
  arguments: z.string(),
  result: z.string(),
  exitCode: z.int().nullable(),
  failed: z.boolean().nullable(),
  /** No tool ran: an unknown name or unusable arguments, and `result` says what was expected. */
  malformed: z.boolean(),
});
export type RolloutCall = z.infer<typeof RolloutCall>;

/** One turn of a live agent. */
export const RolloutTurn = z.strictObject({
  /** The visible text, without the calls. */
  thought: z.string(),
  /** Kept apart; the model never sees it again. */
  reasoning: z.string().nullable(),
  calls: z.array(RolloutCall),
  /** What the loop said beside results: no call was made, the calls could not be read. */
  feedback: z.array(z.string()),
  /** As the endpoint billed them; null: it does not say. */
  tokensIn: z.int().nonnegative().nullable(),
  tokensOut: z.int().nonnegative().nullable(),
});
export type RolloutTurn = z.infer<typeof RolloutTurn>;

/** What the agent was told and offered; the same for all samples of a task. */
export const RolloutOpening = z.strictObject({
  /** As the persona says it, tools apart. */
  system: z.string(),
  prompt: z.string(),
  /** Raw JSON text of each schema. */
  tools: z.array(z.string()),
});
export type RolloutOpening = z.infer<typeof RolloutOpening>;

/** How a live run ended. */
export const RolloutEnd = z.strictObject({
  exit: ExitStatus,
  /** More exactly: `max-tokens`, `repeats-itself`, ...; null: `exit` says it all. */
  rawExit: z.string().nullable(),
  /** Unified diff of everything the agent changed; null: it could not be taken. */
  patch: z.string().nullable(),
  marks: z.array(Mark),
});
export type RolloutEnd = z.infer<typeof RolloutEnd>;

/**
 * The raw record of a live run: what stage 1 imports, as it imports others' runs. Written once, when the run has ended and was verified.
 * Without clocks, hosts and prices, so that equal replies and observations give equal bytes.
 */
export const Rollout = z.strictObject({
  format: z.literal("catgen.rollout/1"),
  /** Digest of what decides the run: task, persona, limits, policy, model and sampling, sample index. */
  key: Digest,
  source: z.string(),
  instance: z.string(),
  repository: z.string().nullable(),
  licence: z.string().nullable(),
  issue: z.string(),
  workdir: z.string(),
  /** 0, 1, ...: which of the runs of this instance. */
  sample: z.int().nonnegative(),
  /** As the endpoint calls it; `scripted` for a policy from a file. */
  model: z.string(),
  callStyle: z.enum(["native", "xml"]),
  /** Context policy of the agent. */
  policy: z.string(),
  /** Kind of sandbox it ran in. */
  sandbox: z.string(),
  opening: RolloutOpening,
  turns: z.array(RolloutTurn),
  end: RolloutEnd,
  /** null: not asked for. */
  verification: Verification.nullable(),
});
export type Rollout = z.infer<typeof Rollout>;
