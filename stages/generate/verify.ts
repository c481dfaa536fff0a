import { Fault } from "../../schemas/fault.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import type { NamedTests, Verification, VerificationStatus } from "../../schemas/verification.ts";
import type { Execution, Sandbox } from "../lib/sandbox.ts";
import { type Outcome, ok, rejected } from "../stage.ts";
import { runnerConfigIn } from "./patch-files.ts";
import { verifiers } from "./verifiers/index.ts";
import type { TestResults } from "./verifiers/verifier.ts";
import { applyPatch, applyTests, inWorkdir, keepTests, NotReady, restoreTests, scratchFolder } from "./verify-steps.ts";

export interface VerifierWorld {
  /** A new sandbox in the state in which an agent finds the task: its tree, prepared. Never one in which an agent worked. */
  openFresh(): Promise<Sandbox>;
  /** Lower-case hex SHA-256 of the UTF-8 bytes. */
  digest(text: string): string;
}

/** Tries after the first that the verifier's own troubles may cost. */
const retries = 2;
/** A log this long is read whole; of a longer one the middle is lost, and with it the agreement of names and counts. */
const logBytes = 16 * 1024 * 1024;
const tailCharacters = 4_000;

/** What was found out before something stood in the way. */
type Findings = Omit<Verification, "attempts">;
const nothing = (status: VerificationStatus, why: string | null): Findings => ({
  status,
  why,
  failToPass: { passed: [], failed: [] },
  passToPass: { passed: [], failed: [] },
  testsTouched: [],
  runnerConfigTouched: [],
  exitCode: null,
  logDigest: null,
  logTail: null,
  appliedBy: null,
});

const noRoom = /No space left on device|\bENOSPC\b|Disk quota exceeded/;
const statusNames = { 126: "could not be executed", 127: "was not found" } as const;

/** The machine's fault rather than the patch's, told from a log that says nothing else; null: it is not. */
function machineFault({ output, exitCode }: Execution): string | null {
  if (exitCode === 126 || exitCode === 127)
    return `the test command ended with ${exitCode}: a program ${statusNames[exitCode]} in the sandbox`;
  const line = noRoom.exec(output)?.[0];
  return line === undefined ? null : `the tests ran out of disk space (${JSON.stringify(line)}): raise the sandbox' limit`;
}

const told = (names: readonly string[], results: TestResults): NamedTests => ({
  passed: names.filter((name) => results.get(name) === "passed"),
  failed: names.filter((name) => results.get(name) !== "passed"),
});

/** Runs the tests that stand ready, and reads their log. */
async function runTests(task: TaskInstance, sandbox: Sandbox, world: VerifierWorld): Promise<Findings> {
  const { command, log, timeoutMs, failToPass, passToPass } = task.tests;
  const ran = await sandbox.exec(inWorkdir(task, command), { timeoutMs, outputBytes: logBytes });
  const seen = {
    ...nothing("tests-timed-out", null),
    exitCode: ran.exitCode,
    logDigest: world.digest(ran.output),
    logTail: ran.output.slice(-tailCharacters).toWellFormed(),
  };
  if (ran.timedOut) return { ...seen, why: `the tests did not end within ${timeoutMs} ms` };
  const read = verifiers[log](ran.output, ran.exitCode);
  if (!read.ok) {
    const fault = machineFault(ran);
    if (fault !== null) throw new NotReady(fault);
    const lost = ran.droppedBytes === 0 ? "" : ` (${ran.droppedBytes} bytes in the middle of the log were too many to keep)`;
    return { ...seen, status: "unparsable-log", why: read.why + lost };
  }
  const [wanted, kept] = [told(failToPass, read.value), told(passToPass, read.value)];
  const resolved = wanted.failed.length + kept.failed.length === 0;
  return { ...seen, status: resolved ? "resolved" : "unresolved", failToPass: wanted, passToPass: kept };
}

/** The agent's patch first, then the verifier's files over it: what the agent did to them does not count. */
async function verifyIn(task: TaskInstance, patch: string, sandbox: Sandbox, world: VerifierWorld): Promise<Findings> {
  const scratch = await scratchFolder(sandbox);
  const kept = await keepTests(task, sandbox, scratch);
  const applied = await applyPatch(task, patch, sandbox, scratch);
  if (!applied.ok) return { ...nothing("patch-does-not-apply", applied.why), runnerConfigTouched: runnerConfigIn(patch) };
  const testsTouched = await restoreTests(task, sandbox, kept);
  await applyTests(task, sandbox, scratch);
  const findings = await runTests(task, sandbox, world);
  return { ...findings, testsTouched, runnerConfigTouched: runnerConfigIn(patch), appliedBy: applied.value };
}

const isTrouble = (error: unknown): error is Error =>
  error instanceof NotReady || (error instanceof Fault && error.code === "SANDBOX_BROKEN");

/** Does `work` in a new sandbox, again in another one when the verifier's own means failed. */
async function tried(world: VerifierWorld, work: (sandbox: Sandbox) => Promise<Findings>): Promise<Verification> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      const sandbox = await world.openFresh();
      try {
        return { ...(await work(sandbox)), attempts };
      } finally {
        await sandbox.destroy();
      }
    } catch (error) {
      if (!isTrouble(error)) throw error;
      if (attempts > retries) return { ...nothing("infrastructure", error.message), attempts };
    }
  }
}

/**
 * Grades a patch: in a fresh copy it is applied, the verifier's tests are put in place, run and read. Troubles of the machine are tried again, and
 * end as `infrastructure`; faults that no new sandbox mends (no such kind, no such image) are thrown.
 */
export const verify = async (task: TaskInstance, patch: string | null, world: VerifierWorld): Promise<Verification> =>
  patch === null || patch.trim() === ""
    ? { ...nothing("no-patch", "the run left no change behind"), attempts: 0 }
    : await tried(world, (sandbox) => verifyIn(task, patch, sandbox, world));

/** Did the patch solve the task? null: nobody says, since its tests were not read. */
export function resolvedBy({ status }: Verification): boolean | null {
  if (status === "resolved") return true;
  return status === "unparsable-log" || status === "infrastructure" ? null : false;
}

/**
 * Is it a task? Its tests must run on the untouched tree, and those it wants mended must fail there. Once per task; the value is the run that showed it.
 * Trouble of the machine says nothing about the task and is thrown.
 */
export async function checkTask(task: TaskInstance, world: VerifierWorld): Promise<Outcome<Verification>> {
  const before = await tried(world, async (sandbox) => {
    await applyTests(task, sandbox, await scratchFolder(sandbox));
    return await runTests(task, sandbox, world);
  });
  const name = `${task.source}/${task.instance}`;
  if (before.status === "infrastructure")
    throw new Fault("SANDBOX_BROKEN", "retry", `the tests of ${name} were to be run on its untouched tree: ${before.why}; run again`);
  if (before.failToPass.passed.length > 0)
    return rejected(`tests that a fix should make pass do so already: ${before.failToPass.passed.slice(0, 5).join(", ")}`);
  return before.why === null ? ok(before) : rejected(`the tests cannot be read on the untouched tree: ${before.why}`);
}
