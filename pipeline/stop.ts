import { Fault } from "../schemas/fault.ts";

/** To be asked between two pieces of work: throws once a stop was requested, so that whoever asked reads what to do next and not of a bug. */
export function stopIfAsked(signal: AbortSignal | undefined, words: string): void {
  if (signal?.aborted) throw new Fault("DRAINED", "stop", `${words}; run the same command again`);
}
