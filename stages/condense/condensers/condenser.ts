import type { Writer } from "../../../schemas/sidecars.ts";
import type { CondenseInput } from "../../lib/condense-input.ts";
import type { Outcome, Ports } from "../../stage.ts";

/** One try at one memory. `label` is for the ledger: `<trajectory id>@<cut>`; `attempt` is 0 for the first try. */
export interface CondenseTry {
  readonly label: string;
  readonly attempt: number;
  /** null: the recipe's; further tries are warmer, since a greedy endpoint would only repeat itself. */
  readonly temperature: number | null;
}

/** Writes one memory under the headings of `stages/lib/memory-text`. */
export type Condenser = (
  input: CondenseInput,
  ports: Ports,
  attempt: CondenseTry,
) => Promise<Outcome<{ readonly memory: string; readonly writer: Writer }>>;
