import { createHash } from "node:crypto";
import { type Call, Trajectory } from "../../schemas/trajectory.ts";
import type { Dialect } from "../../stages/generate/dialects/dialect.ts";
import { dialects } from "../../stages/generate/dialects/index.ts";
import { type ImportedRecord, importRecord } from "../../stages/generate/import-record.ts";

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const origin = { file: "fuzzed.json", record: null, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] };

/** Longest time that one record of a few ten thousand characters may take. */
const longestMs = 2_000;

function frozen<T>(value: T): T {
  const open: unknown[] = [value];
  for (let one = open.pop(); open.length > 0 || one !== undefined; one = open.pop()) {
    if (typeof one === "object" && one !== null && !Object.isFrozen(one)) open.push(...Object.values(Object.freeze(one)));
  }
  return value;
}

/** What is wrong with how `value` was read; null: nothing. A test of this judge gives a reader that is wrong on purpose. */
export function fault(
  value: unknown,
  reader: typeof importRecord = importRecord,
): { readonly read: ImportedRecord | null; readonly wrong: string | null } {
  const before = JSON.stringify(value);
  const started = performance.now();
  let read: ImportedRecord;
  try {
    read = reader(frozen(value), origin, digest);
  } catch (error) {
    return { read: null, wrong: `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` };
  }
  const took = performance.now() - started;
  const wrong =
    took > longestMs
      ? `took ${Math.round(took)} ms`
      : (polluted() ?? ambiguous(value, read) ?? (read.ok ? wrongRow(value, before, read.trajectory, reader) : badReason(read.why)));
  return { read, wrong };
}

const polluted = (): string | null =>
  [Object.prototype, Array.prototype, String.prototype].some((prototype) => Object.keys(prototype).length > 0) || "polluted" in {}
    ? "a prototype was changed"
    : null;

/** A record that two dialects know is refused. */
function ambiguous(value: unknown, read: ImportedRecord): string | null {
  const names = Object.values<Dialect>(dialects).flatMap((dialect) =>
    dialect.recognises(value, { file: origin.file }) ? [dialect.name] : [],
  );
  return names.length > 1 && (read.ok || read.kind !== "refused") ? `read, though recognised by ${names.join(" and ")}` : null;
}

const badReason = (why: string): string | null => (why.length < 6 || why.length > 1_000 ? `a reason of ${why.length} characters` : null);

// ---- Silently wrong rows: everything in a row has to come from the source ----

/** Every text of the source, those inside JSON texts too. */
function textsOf(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === "string") {
      texts.push(one);
      if (/^\s*[[{]/.test(one)) open.push(parsed(one));
    } else if (typeof one === "object" && one !== null) open.push(...Object.values(one));
  }
  return texts;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Is `line` joined from at most `most` pieces of `all`? Longest pieces first, each found by halving. */
function covers(all: string, line: string, most: number): boolean {
  let rest = line;
  for (let pieces = 0; pieces < most && rest !== ""; pieces += 1) {
    let [fits, over] = [0, rest.length + 1];
    while (over - fits > 1) {
      const middle = (fits + over) >> 1;
      if (all.includes(rest.slice(0, middle))) fits = middle;
      else over = middle;
    }
    if (fits === 0) return false;
    rest = rest.slice(fits);
  }
  return rest === "";
}

/** Words out of a quoted command may be pieces of what the source holds; a prefix, a content and a suffix make one line. */
const [mostPieces, mostPiecesOfAnAnswer] = [8, 3];

class Source {
  readonly texts: readonly string[];
  readonly #all: string;
  readonly #lines: ReadonlySet<string>;

  constructor(value: unknown) {
    this.texts = textsOf(value);
    this.#all = this.texts.join("\n");
    this.#lines = new Set(this.texts.flatMap((text) => text.split("\n").map((line) => line.trim())));
  }

  /** First line of `text` that the source does not hold. */
  missing(text: string): string | null {
    return text.split("\n").find((line) => !this.#lines.has(line.trim()) && !covers(this.#all, line.trim(), mostPieces)) ?? null;
  }
}

const leaves = (call: Call): string[] => {
  const value = parsed(call.arguments);
  return value === null ? [call.arguments] : textsOf(value);
};

/** A structured answer is shown to the model as JSON, one line each. */
const answerTexts = ({ result }: Call): string[] =>
  (result ?? "").split("\n").flatMap((line) => {
    const value = line.startsWith("{") ? parsed(line) : null;
    return value === null ? [line] : textsOf(value);
  });

function wrongRow(value: unknown, before: string, row: Trajectory, reader: typeof importRecord): string | null {
  const strict = Trajectory.safeParse(row);
  if (!strict.success) return `the row breaks its own schema: ${strict.error.message}`;
  const again = reader(value, origin, digest);
  if (!again.ok || again.trajectory.id !== row.id) return "read twice, it differs";
  if (JSON.stringify(value) !== before) return "the value was changed";
  const source = new Source(value);
  return invented(source, row) ?? repeated(source, row) ?? swapped(value, row) ?? unfounded(value, row);
}

function invented(source: Source, row: Trajectory): string | null {
  const said: [string, string | null][] = [
    ["system", row.task.system],
    ["prompt", row.task.prompt],
    ["patch", row.outcome.patch],
    ...row.steps.flatMap((step, index): [string, string | null][] => [
      [`thought ${index}`, step.thought],
      [`reasoning ${index}`, step.reasoning],
      ...step.feedback.map((text): [string, string] => [`feedback ${index}`, text]),
      ...step.calls.flatMap((call): [string, string | null][] => [
        [`name ${index}`, call.name],
        ...answerTexts(call).map((text): [string, string] => [`result ${index}`, text]),
        ...leaves(call).map((text): [string, string] => [`argument ${index}`, text]),
      ]),
    ]),
  ];
  for (const [where, text] of said) {
    const line = text === null || builtIn.has(text) ? null : source.missing(text);
    if (line !== null) return `${where} is not in the source: ${JSON.stringify(line.slice(0, 200))}`;
  }
  return null;
}

/** Names that dialects give to calls which the source writes without one. */
const builtIn = new Set(["bash", "execute_bash", "execute_ipython_cell", "action", "str_replace_editor"]);

/** A result or a thought of some length comes no more often than the source has it. */
function repeated(source: Source, row: Trajectory): string | null {
  const times = new Map<string, number>();
  for (const step of row.steps)
    for (const text of [step.thought, ...step.calls.map((call) => call.result ?? "")]) {
      const line = text.split("\n").find((one) => one.length > 30) ?? "";
      if (line !== "") times.set(text, (times.get(text) ?? 0) + 1);
    }
  for (const [text, count] of times) {
    const line = text.split("\n").find((one) => one.length > 30) ?? "";
    const has = source.texts.reduce((sum, one) => sum + one.split(line).length - 1, 0);
    if (has > 0 && count > has) return `said ${count} times, ${has} times in the source: ${JSON.stringify(text.slice(0, 100))}`;
  }
  return null;
}

const links = ["tool_call_id", "tool_use_id", "call_id", "toolCallId", "source_call_id"];

const own = (one: unknown, name: string): unknown =>
  typeof one === "object" && one !== null ? Object.getOwnPropertyDescriptor(one, name)?.value : undefined;

const linkOf = (one: unknown): unknown => links.map((link) => own(one, link)).find((id) => typeof id === "string" && id !== "");

/** Holds answers that could name their calls and do not. */
function leavesOpen(one: object): boolean {
  const results = own(one, "results");
  if (Array.isArray(results) && results.some((result) => linkOf(result) === undefined)) return true;
  if (linkOf(one) !== undefined) return false;
  const answers = ["tool", "toolResult"].includes(String(own(one, "role"))) || /(?:tool_result|_output)$/.test(String(own(one, "type")));
  return answers || (Object.hasOwn(one, "success") && Object.hasOwn(one, "result")) || links.some((link) => Object.hasOwn(one, link));
}

/** Where results name their call, a call has one of those that name it. Answers without a name go by order, and orphans are marked. */
function swapped(value: unknown, row: Trajectory): string | null {
  if (row.marks.includes("orphan-result") || row.origin.dialect.startsWith("openhands-v0")) return null;
  const answers = new Map<string, string[]>();
  let nameless = false;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === "string" && /^\s*\[/.test(one)) open.push(parsed(one));
    if (typeof one !== "object" || one === null) continue;
    const named = linkOf(one);
    if (typeof named === "string") answers.set(named, [...(answers.get(named) ?? []), textsOf(one).join("\n")]);
    nameless ||= leavesOpen(one);
    open.push(...Object.values(one));
  }
  if (nameless) return null;
  for (const [index, step] of row.steps.entries())
    for (const call of step.calls) {
      const given = call.id === null ? undefined : answers.get(call.id);
      const line = call.result?.split("\n").find((one) => one.trim() !== "");
      if (given === undefined || line === undefined) continue;
      if (!given.some((text) => covers(text, line.trim().slice(0, 200), mostPiecesOfAnAnswer)))
        return `step ${index}: call ${call.id} has another call's result: ${JSON.stringify(line.slice(0, 100))}`;
    }
  return null;
}

/** A verdict has a field that states it. */
function unfounded(value: unknown, row: Trajectory): string | null {
  const { resolved } = row.outcome;
  if (resolved === null) return null;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== "object" || one === null) continue;
    for (const name of ["resolved", "target", "reward"]) {
      const said: unknown = Object.getOwnPropertyDescriptor(one, name)?.value;
      if (said === resolved || said === Number(resolved)) return null;
    }
    // Our own records hold what the verifier found.
    const status: unknown = Object.getOwnPropertyDescriptor(one, "status")?.value;
    if (resolved ? status === "resolved" : ["unresolved", "no-patch", "patch-does-not-apply", "tests-timed-out"].includes(String(status)))
      return null;
    open.push(...Object.values(one));
  }
  return `resolved is ${resolved}, and no field says so`;
}
