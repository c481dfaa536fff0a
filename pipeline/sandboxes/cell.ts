import type { Readable, Writable } from "node:stream";

/** A process inside a sandbox, spoken to through pipes. */
export interface Inmate {
  readonly input: Writable;
  /** stdout and stderr. Ends when nobody holds the pipe any more, which may be long after the process. */
  readonly output: Readable;
  /** Exit code; null: ended by a signal. */
  readonly ended: Promise<number | null>;
  /**
   * `ask`: as Ctrl-C does, to it and to what it started, also where that left its process group (as `timeout` does); what runs in
   * the background ignores it. `force`: what it started is killed, itself spared. `group`: its process group as seen inside.
   */
  interrupt(how: "ask" | "force", group: number): Promise<void>;
  /** Ends it and all that it started. Resolves when they are gone. */
  kill(): Promise<void>;
}

/** What a kind of sandbox supplies; `open-sandbox.ts` makes a `Sandbox` of it. */
export interface Cell {
  /**
   * Starts a program inside, in the working folder. `agent`: its end must be the end of all that agents started; `ours` is ended
   * without harm to the agent's.
   */
  start(program: readonly string[], whose: "agent" | "ours"): Promise<Inmate>;
  /** Bytes written to disk so far; need be exact only where it may be more than `limit`. */
  writtenBytes(limit: number): Promise<number>;
  /** Memory of all processes now; null: the kernel bounds it for this kind. */
  readonly residentBytes: (() => Promise<number>) | null;
  /** Ends everything and removes what was written. */
  remove(): Promise<void>;
}
