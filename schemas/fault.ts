/**
 * What may be done after a breakage: `retry` (the world may be better later), `skip` (leave this record, go on with the next),
 * `stop` (going on would lose data or money).
 */
export type Remedy = "retry" | "skip" | "stop";

/** Stable codes, what each means and the exit status of a command that ends with it (sysexits, DESIGN 6). The README prints this table. */
export const faultCodes = {
  USAGE: { exit: 64, meaning: "the command line cannot be understood" },
  INPUT_MISSING: { exit: 64, meaning: "an input path does not exist" },
  RECIPE_INVALID: { exit: 78, meaning: "the recipe has an unknown key or a value out of range" },
  RUN_MISMATCH: { exit: 78, meaning: "the run folder was made with other fixed settings" },
  RUN_MISSING: { exit: 64, meaning: "there is no run of that name" },
  RUN_LOCKED: { exit: 73, meaning: "another process works on this run" },
  STAGE_INCOMPLETE: { exit: 64, meaning: "an earlier stage has to run first" },
  DATA_ERRORS: { exit: 65, meaning: "more input was unreadable than the recipe allows, or records failed" },
  ROWS_CORRUPT: { exit: 65, meaning: "a stored file does not match its manifest" },
  IO: { exit: 74, meaning: "reading or writing a file failed (disk full, no permission, file too large)" },
  DRAINED: { exit: 75, meaning: "stopped on request after finishing what was in flight; run again to go on" },
  ENDPOINT_UNREACHABLE: { exit: 75, meaning: "the model endpoint refused, stalled or broke off too often" },
  ENDPOINT_AUTH: { exit: 78, meaning: "the endpoint refused the key, the path or the model name" },
  ENDPOINT_MISSING: { exit: 78, meaning: "a model is needed and no endpoint is configured" },
  REPLY_INVALID: { exit: 75, meaning: "the endpoint answered with something that is no chat completion" },
  REQUEST_REFUSED: { exit: 65, meaning: "the endpoint refuses this very request (too long, malformed)" },
  BATCH_WAITING: { exit: 75, meaning: "the record waits for the results of a batch file; read them, then write the next" },
  BATCH_FOREIGN: { exit: 65, meaning: "a file of batch results is broken, half downloaded or of other requests" },
  SANDBOX_MISSING: { exit: 78, meaning: "rollouts need a sandbox, and the one asked for (or any) does not work here" },
  SANDBOX_BROKEN: { exit: 75, meaning: "a sandbox could not be started or broke, through no doing of the agent; run again to go on" },
  TASK_INVALID: { exit: 65, meaning: "a task cannot be worked on: no tests, a broken tree, an evaluation instance" },
  SECRETS_FOUND: { exit: 65, meaning: "something that is about to be published holds a secret" },
  PUBLISH_BLOCKED: { exit: 65, meaning: "a gate found something in the dataset that must not be published unlooked at" },
  HUB_AUTH: { exit: 78, meaning: "the hub does not know the token, or it may not do what was asked" },
  HUB_UNREACHABLE: { exit: 75, meaning: "the hub refused, stalled or broke off too often; nothing is half-published, run again to go on" },
  HUB_REFUSED: { exit: 65, meaning: "the hub refuses this very request (a name, a tag, a visibility), or has no such dataset" },
  BUDGET_SPENT: { exit: 75, meaning: "the budget in tokens or money is used up" },
} as const;
export type FaultCode = keyof typeof faultCodes;

/**
 * The world broke: disk, network, endpoint, configuration. The message says what was expected, what came, where, and what to do
 * next; never a secret. Data that is not good enough is no fault: return it. A bug is no fault either: let it fly.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly remedy: Remedy;

  constructor(code: FaultCode, remedy: Remedy, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}
