import type { z } from "zod";
import type { Bundle, PartName } from "../schemas/bundle.ts";
import type { CountTokens } from "../schemas/chat-format.ts";
import type { Completion, Reply } from "../schemas/completion.ts";
import type { EvaluationSets } from "./lib/contamination/contamination.ts";

/** Rejected = a fact about the data, stored like any other row. What broke is thrown as a `Fault`. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const rejected = (why: string): Outcome<never> => ({ ok: false, why });

/** What a stage may ask of the world. `pipeline/` supplies the real ones, tests supply small fakes. */
export interface Ports {
  /** Asks the backbone; resolves with a complete reply or throws a `Fault`. */
  complete(request: Completion): Promise<Reply>;
  /** Exact tokens of `text` under the recipe's tokenizer; control-token text counts as the control token. */
  readonly countTokens: CountTokens;
  /** Lower-case hex SHA-256 of the UTF-8 bytes. */
  digest(text: string): string;
  /** Sets that models are evaluated on, as the parameters of measuring name them. */
  evaluationSets(): Promise<EvaluationSets>;
}

/**
 * What is known of a stage without its code: all that plans, keys and states need, so that a command which makes no row loads no stage.
 * Bump `version` whenever equal input and params would give another output; a golden test notices when that was forgotten.
 */
export interface StageOutline<R extends PartName, O extends PartName, W extends PartName, P> {
  readonly name: string;
  readonly version: number;
  /** Parts that must be there and not rejected. */
  readonly reads: readonly R[];
  /** Parts that may have been rejected: the stage sees their outcome. A rejection passed on says `<stage>: <why>`. */
  readonly readsIfKept: readonly O[];
  readonly writes: W;
  /** The parameters of this stage only; everything in it is part of the row key. */
  readonly params: z.ZodType<P>;
}

/** One arrow of the flow: reads some parts of a trajectory's bundle and writes exactly one more. */
export interface Stage<R extends PartName, O extends PartName, W extends PartName, P> extends StageOutline<R, O, W, P> {
  run(input: Pick<Bundle, R> & { readonly [K in O]: Outcome<Bundle[K]> }, params: P, ports: Ports): Promise<Outcome<Bundle[W]>>;
}
