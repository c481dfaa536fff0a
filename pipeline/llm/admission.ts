import PQueue from "p-queue";
import type { Halt } from "./halt.ts";

/** Calls in flight from the start: half of what one vLLM server takes by default (max_num_seqs = 256). */
const firstLimit = 128;

/**
 * How many attempts may be in flight, found by trying: slow start (one more for every good reply, so it doubles with every round)
 * until the endpoint says "too many", then half of it, then one more per round. As TCP does it (RFC 5681, 3.1).
 */
export interface Limit {
  now(): number;
  /** Taken when an attempt starts. */
  ticket(): number;
  answered(): void;
  /** The endpoint said 429. Attempts that started before the last cut say nothing new. */
  overloaded(ticket: number): void;
}

export function createLimit(most: number): Limit {
  let limit = Math.min(most, firstLimit);
  let slowStart = true;
  let cuts = 0;
  return {
    now: () => Math.floor(limit),
    ticket: () => cuts,
    answered() {
      limit = Math.min(most, limit + (slowStart ? 1 : 1 / limit));
    },
    overloaded(ticket) {
      if (ticket !== cuts) return;
      cuts += 1;
      slowStart = false;
      limit = Math.max(1, limit / 2);
    },
  };
}

/** Attempts waiting for one of the places that `limit` leaves. */
export interface Admission {
  readonly limit: Limit;
  /** `attempt` 2, 3, ... go before new calls, so that what was begun is finished first. */
  wait<T>(task: () => Promise<T>, attempt: number): Promise<T>;
  idle(): Promise<void>;
}

export function createAdmission(most: number, halt: Halt): Admission {
  const limit = createLimit(most);
  const queue = new PQueue({ concurrency: limit.now() });
  const waiting = new Set<(why: unknown) => void>();
  // The queue's own abort would also let go of tasks that run, and their replies are being paid for.
  halt.signal.addEventListener("abort", () => {
    queue.clear();
    for (const reject of waiting) reject(halt.reason());
    waiting.clear();
  });
  return {
    limit,
    wait: (task, attempt) =>
      new Promise((resolve, reject) => {
        halt.check();
        waiting.add(reject);
        void queue.add(
          async () => {
            waiting.delete(reject);
            await task().then(resolve, reject);
            if (queue.concurrency !== limit.now()) queue.concurrency = limit.now();
          },
          { priority: attempt },
        );
      }),
    idle: () => queue.onIdle(),
  };
}
