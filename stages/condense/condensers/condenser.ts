import type { Writer } from "../../../schemas/sidecars.ts";
import type { CondenseInput } from "../../lib/condense-input.ts";
import type { Outcome, Ports } from "../../stage.ts";
import type { CondenseParams } from "../params.ts";
import type { ThoughtView } from "../thought.ts";

/** One block to be written. */
export interface CondenseJob {
  readonly input: CondenseInput;
  /** For the ledger: `<trajectory id>@<cut>`. */
  readonly label: string;
  readonly params: CondenseParams;
  /** What the thought before the call may be made from. */
  readonly thought: ThoughtView;
}

export interface Written {
  readonly memory: string;
  readonly thought: string;
  readonly writer: Writer;
}

/** Writes one memory, in the form of `stages/lib/memory-text` and within the cap, and the thought before the call that returns it. */
export type Condenser = (job: CondenseJob, ports: Ports) => Promise<Outcome<Written>>;
