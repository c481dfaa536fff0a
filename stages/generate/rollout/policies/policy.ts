import type { RolloutTurn } from "../../../../schemas/rollout.ts";

/** How an agent deals with its context. `none` records base trajectories; others change what the model sees of its own past. */
export interface ContextPolicy {
  readonly name: string;
  /** The turns that the model sees before its next one, of all turns so far. */
  view(turns: readonly RolloutTurn[]): readonly RolloutTurn[];
}
