import { setMaxListeners } from "node:events";
import { Fault } from "../../schemas/fault.ts";

/** Transport failures in a row, over all calls, after which nothing more is sent. */
export const maxConsecutiveFailures = 20;

/** Why nothing more is sent: drained, endpoint gone or key refused. Set once; calls in flight may finish until `hardSignal`. */
export interface Halt {
  /** Aborts when no new attempt may start; ends sleeps. */
  readonly signal: AbortSignal;
  /** Aborts `graceMs` later, for calls in flight that do not finish. */
  readonly hardSignal: AbortSignal;
  stop(fault: Fault): void;
  /** Null while calls may be sent. */
  reason(): Fault | null;
  /** Throws the reason when there is one. */
  check(): void;
  /** Forgets the pending `hardSignal`. */
  close(): void;
}

export function createHalt(graceMs: number): Halt {
  const soft = new AbortController();
  const hard = new AbortController();
  setMaxListeners(0, soft.signal, hard.signal); // one listener per call in flight is no leak
  let reason: Fault | null = null;
  let timer: NodeJS.Timeout | null = null;
  return {
    signal: soft.signal,
    hardSignal: hard.signal,
    stop(fault) {
      if (reason !== null) return;
      reason = fault;
      timer = setTimeout(() => hard.abort(), graceMs).unref();
      soft.abort();
    },
    reason: () => reason,
    check() {
      if (reason !== null) throw reason;
    },
    close() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Counts transport failures in a row. */
export interface Circuit {
  /** Taken when an attempt starts. */
  ticket(): number;
  succeeded(): void;
  /** True when this failure was one too many. `always` counts it even when others of the same moment were counted. */
  failed(ticket: number, always: boolean): boolean;
}

/**
 * Failures of attempts that were in flight together count once: a restart or a rate limit breaks all of them at the same moment
 * and says no more than one of them does. Time-outs count each (`always`): every one of them has waited its full time.
 */
export function createCircuit(limit = maxConsecutiveFailures): Circuit {
  let moment = 0;
  let failures = 0;
  return {
    ticket: () => moment,
    succeeded() {
      failures = 0;
      moment += 1;
    },
    failed(ticket, always) {
      if (!always && ticket !== moment) return false;
      moment += 1;
      failures += 1;
      return failures >= limit;
    },
  };
}

export const unreachable = (baseUrl: string, detail: string): Fault =>
  new Fault(
    "ENDPOINT_UNREACHABLE",
    "stop",
    `${maxConsecutiveFailures} failures in a row at ${baseUrl}, the last: ${detail}; check that the endpoint runs and is reachable, then run again: what is done is kept`,
  );

export const drained = (): Fault =>
  new Fault("DRAINED", "stop", "stopped on request; replies already paid for are kept, run again to go on");
