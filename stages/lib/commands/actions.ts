import { endsInTraceback, errorLine, isBareError, isOfSurroundings, signatureOf } from "./errors.ts";
import { givenIn } from "./given.ts";
import { type ActionKind, type Intent, shortened } from "./intent.ts";
import { bodyOf, failingTests, saysFailed, statedExitCode, type TestResult, testSummary } from "./results.ts";
import { intentOf } from "./tools.ts";

export { shortened };

/** A call with its answer: what `Call` of a trajectory and `RenderedCall` of a rendered one share. */
export interface AnsweredCall {
  readonly name: string;
  readonly arguments: string;
  readonly result: string | null;
  readonly exitCode: number | null;
  readonly failed: boolean | null;
}

/** What a call did, read from its command and its answer. Every text in here is a piece of the input, whitespace and cuts apart. */
export interface Action extends Omit<Intent, "masked"> {
  readonly failed: boolean;
  /** One spelling per failure (type and message without numbers, paths, times); null when it did not fail or says nothing. */
  readonly signature: string | null;
  /** The line that says what went wrong, as printed; null as for `signature`. */
  readonly error: string | null;
  readonly testResult: TestResult | null;
  /** The line of the test runner that states the counts. */
  readonly summary: string | null;
  /** Names of failing tests as printed. */
  readonly failing: readonly string[];
}

/** Commands that stand for an answer's words: their output is what the agent asked to see, not a report on how the command went. */
const showsOnly = (kind: ActionKind): boolean => kind === "explore" || kind === "think" || kind === "submit" || kind === "version-control";

/** A non-zero exit code counts first, then the source's own flag, then what is printed; 0 behind a pipe vouches for nothing. */
function hasFailed(call: AnsweredCall, wanted: Intent, body: string, result: TestResult | null): boolean {
  if (call.result === null && call.exitCode === null) return call.failed ?? false;
  const code = call.exitCode ?? statedExitCode(call.result ?? "");
  const printed = showsOnly(wanted.kind)
    ? isBareError(body)
    : isBareError(body) || (wanted.tests && result !== null && result.failed !== 0) || endsInTraceback(body);
  if (code !== null ? code !== 0 : call.failed === true || saysFailed(call.result ?? "")) return true;
  if (wanted.tests && (result?.failed ?? 0) > 0) return true;
  const vouched = code === 0 || call.failed === false;
  return vouched && !wanted.masked ? false : printed;
}

const lastLine = (body: string): string | null =>
  body
    .slice(-2_000)
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.trim() ?? null;

function read(call: AnsweredCall): Action {
  const wanted = intentOf({ name: call.name, given: givenIn(call.arguments), result: call.result });
  const body = call.result === null ? "" : bodyOf(call.result);
  const found = wanted.tests || wanted.kind === "run" ? testSummary(body) : null;
  const failed = hasFailed(call, wanted, body, found?.result ?? null);
  const silent = showsOnly(wanted.kind) && !isBareError(body);
  const error = failed && !silent ? (errorLine(body) ?? found?.line ?? lastLine(body)) : failed ? errorLine(body) : null;
  const signature = error === null ? null : signatureOf(error);
  const { masked: _, ...rest } = wanted;
  return {
    ...rest,
    failed,
    signature: signature === "" ? null : signature,
    error: error === null ? null : shortened(error, 240),
    testResult: found?.result ?? null,
    summary: found === null ? null : shortened(found.line, 200),
    failing: failed && (wanted.tests || found !== null) ? failingTests(body).map((name) => shortened(name, 160)) : [],
  };
}

/** Calls never change, so each is read once however many cuts look back at it. */
const known = new WeakMap<AnsweredCall, Action>();

/** What a call did and how it ended. Total and deterministic; linear in the length of the call. */
export function actionOf(call: AnsweredCall): Action {
  const seen = known.get(call);
  if (seen !== undefined) return seen;
  const action = read(call);
  known.set(call, action);
  return action;
}

/** Do two spellings name one file? `src/a.py` is `/testbed/src/a.py` as seen from elsewhere. */
export function sameFile(left: string, right: string): boolean {
  const [a, b] = [left, right].map((path) => path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, ""));
  if (a === undefined || b === undefined || a === "" || b === "") return left === right;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long === short || long.endsWith(short.startsWith("/") ? short : `/${short}`);
}

/** Were the files changed? A run may fail after what it wrote first was written. */
export const changesFiles = (action: Action): boolean =>
  action.files.length > 0 && (!action.failed || action.kind === "run" || action.kind === "test");

/** Does it try something out: tests, a script, a program? Installing is none of it. */
export const isCheck = (action: Action): boolean => (action.kind === "run" || action.kind === "test" || action.tests) && !action.installs;

/** Did it fail for want of a module, a file, a right? That says nothing about the code in question. */
export const failsForSurroundings = (action: Action): boolean => action.failed && isOfSurroundings(action.error ?? "");

/** What is tried, without what only shapes its output: one spelling for `pytest a.py` and `pytest a.py 2>&1 | tail -5`. */
export const checkOf = (action: Action): string => (action.command.split(" | ")[0] ?? "").replace(/ 2>&1/g, "").trim();

/** The actions of one turn, in order. */
export const actionsOf = (step: { readonly calls: readonly AnsweredCall[] }): Action[] => step.calls.map(actionOf);
