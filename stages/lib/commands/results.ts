/** What a tool's answer says about itself: exit code, test counts, failing tests. Reads ends and beginnings of long texts, never all twice. */

export interface TestResult {
  /** Tests that passed; null: the runner does not print it. */
  readonly passed: number | null;
  /** Tests that failed, errors included; null: some did, but the runner does not print how many. */
  readonly failed: number | null;
}

/** Characters at either end of a result that are searched. */
export const edge = 8_000;
const longestLine = 2_000;

/** mini-swe-agent; Claude Code's background shells; R2E-Gym, Codex and Claude Code. */
const statedAtStart = [
  /^\s*<(?:returncode|exit_code|exitcode)>\s*(-?\d{1,6})\s*</,
  /^\s*(?:<(?:retrieval_status|task_id|task_type|status)>[^<\n]{0,100}<\/\w{1,20}>\s{0,4}){1,6}<exit_code>(-?\d{1,6})</,
  /^Exit code:? (?:Error: Exit code )?(-?\d{1,6})\r?\n/,
  /^(?:Chunk ID: .{0,40}\r?\n)?Wall time: .{0,40}\r?\nProcess exited with code (-?\d{1,6})\r?\n/,
];
/** OpenHands, Gemini CLI, pi. */
const statedAtEnd =
  /\[(?:The command completed|Command finished) with exit code (-?\d{1,6})\.?\]|^\(?(?:exit code|exit status|Command exited with code)[:\s]+(-?\d{1,6})\)?\s*$/gim;

/** Exit code that the scaffold wrote into the result, or null. */
export function statedExitCode(result: string): number | null {
  for (const pattern of statedAtStart) {
    const code = pattern.exec(result.slice(0, 600))?.[1];
    if (code !== undefined) return Number(code);
  }
  const last = [...result.slice(-600).matchAll(statedAtEnd)].at(-1);
  const code = last?.[1] ?? last?.[2];
  return code === undefined ? null : Number(code);
}

/** Does a record in the place of an answer say that the tool failed? Source: Cline's editor, `{"query", "result", "error", "success"}`. */
export const saysFailed = (result: string): boolean =>
  result.startsWith('{"query":') && /"success":\s?false\s?\}\s*$/.test(result.slice(-40));

/** What such a record answers; anything else as it is. */
function answerIn(result: string): string {
  if (!result.startsWith('{"query":')) return result;
  try {
    const record = new Map<string, unknown>(Object.entries(JSON.parse(result)));
    const said = ["error", "result"].map((key) => record.get(key)).find((text) => typeof text === "string" && text !== "");
    return typeof said === "string" ? said : result;
  } catch {
    return result;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are control characters
const colours = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g;
const wrappers = [
  /^\s*<(?:returncode|exit_code|exitcode)>[^<\n]{0,20}<\/(?:returncode|exit_code|exitcode)>[ \t]*\n?/,
  /^\s*OBSERVATION:[ \t]*\n/,
  /^\s*<output(?:_head)?>\n?/,
  /^Exit code:? (?:Error: Exit code )?-?\d{1,6}\n(?:Wall time: .{0,40}\n(?:Total output lines: \d{1,9}\n)?Output:\n)?/, // Claude Code, Codex
  /^Execution output of \[\w{1,60}\]:\n/, // R2E-Gym
  /^(?:Chunk ID: .{0,40}\n)?Wall time: .{0,40}\nProcess (?:exited|running) with .{0,60}\n(?:Original token count: \d{1,9}\n)?Output:\n/, // Codex
  /^Command: [^\0]{0,3000}?\nDirectory: .{0,400}\n(?:Output|Stdout): (?:\(empty\)(?=\n))?/, // Gemini CLI
  /^<tool_use_error>/, // Claude Code
];
const trailers = [
  /\n?<\/output(?:_tail)?>\s*$/,
  /\n?\[(?:The command (?:completed|has)|Command (?:finished|exited)|Current working directory|Python [Ii]nterpreter|Jupyter)[^\]\n]{0,300}\]\s*$/,
  /\n?\[Python Interpreter: [^\]\n]{0,200}\]\s*\n[^\n]{0,200}[#$]\s*$/,
  /\n?\(Open file: [^\n]{0,300}\)\n\(Current directory: [^\n]{0,300}\)\nbash-\$\s*$/,
  /(?:\nError: \(none\))?\nExit Code: [^\n]{1,20}(?:\nSignal: [^\n]{1,20})?(?:\nBackground PIDs: [^\n]{1,60})?\nProcess Group PGID: [^\n]{1,20}\s*$/, // Gemini CLI
  /(?:^|\n{1,2})Command exited with code -?\d{1,6}\s*$/, // pi
  /<\/tool_use_error>\s*$/,
];

/** The result without what the scaffold put around it: return codes, output tags, prompts, colours; newlines as `\n`. */
export function bodyOf(result: string): string {
  let body = answerIn(result).replaceAll("\r\n", "\n");
  if (body.includes("\u001b")) body = body.replace(colours, "");
  for (const wrapper of wrappers) {
    const found = wrapper.exec(body.slice(0, 4_000))?.[0];
    if (found !== undefined) body = body.slice(found.length);
  }
  for (let again = true; again; ) {
    again = false;
    for (const trailer of trailers) {
      const from = Math.max(0, body.length - 800);
      const found = trailer.exec(body.slice(from));
      if (found !== null) {
        body = body.slice(0, from + found.index);
        again = true;
      }
    }
  }
  return body;
}

export const linesOf = (text: string): string[] =>
  text.split("\n").map((line) => (line.length > longestLine ? line.slice(0, longestLine) : line).trimEnd());
/** The last lines, where summaries and error lines stand. */
export const tailLines = (body: string): string[] => linesOf(body.slice(-edge));

const sum = (numbers: readonly (number | undefined)[]): number => numbers.reduce((total: number, one) => total + (one ?? 0), 0);
const counted = (line: string, word: RegExp): number | undefined => {
  const found = word.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
};
const pair = (passed: number | undefined | null, failed: number | undefined | null): TestResult => ({
  passed: passed ?? null,
  failed: failed ?? null,
});
const last = (lines: readonly string[], pattern: RegExp): string | undefined => lines.findLast((line) => pattern.test(line));

type Reader = (lines: readonly string[]) => { readonly result: TestResult; readonly line: string } | null;

/** Moatless: `Total: 3 passed, 1 failed, 0 errors, 0 skipped.`, or `3 passed. 1 failed. 0 errors.` */
const moatless: Reader = (lines) => {
  const line = last(lines, /^(?:Total: )?\d{1,7} passed[.,] \d{1,7} failed[.,] \d{1,7} errors/);
  const bad = [counted(line ?? "", /(\d{1,7}) failed/), counted(line ?? "", /(\d{1,7}) errors/)];
  return line === undefined ? null : { result: pair(counted(line, /(\d{1,7}) passed/), sum(bad)), line };
};

const digits = /\b\d{1,7} (?:passed|failed|errors?|exceptions?)\b/;
/** pytest (`2 failed, 3 passed in 0.1s`, with or without `=`), tox's and SymPy's (`tests finished: 3 passed, in 0.2 seconds`). */
const pytest: Reader = (lines) => {
  const line = lines.findLast((one) => digits.test(one) && /\bin \d+(?:\.\d+)?\s*s|\bin \d+\.\d+ seconds/.test(one));
  const passed = counted(line ?? "", /(\d{1,7}) passed/);
  const bad = [counted(line ?? "", /(\d{1,7}) failed/), counted(line ?? "", /(\d{1,7}) (?:errors?|exceptions?)\b/)];
  if (line !== undefined) return { result: pair(passed ?? 0, sum(bad)), line };
  const none = last(lines, /no tests ran in |^collected 0 items/);
  return none === undefined ? null : { result: pair(0, 0), line: none };
};

/** unittest and Django: `Ran 5 tests in 0.1s`, then `OK` or `FAILED (failures=1, errors=2)`. */
const unittest: Reader = (lines) => {
  const ran = counted(last(lines, /^Ran \d{1,7} tests? in /) ?? "", /^Ran (\d{1,7})/);
  const line = last(lines, /^(?:OK(?: \(.{0,200}\))?|FAILED \([a-z]{1,20} ?[a-z]{0,20}=.{0,200}\))$/);
  if (ran === undefined || line === undefined) return null;
  if (line.startsWith("OK")) return { result: pair(ran - sum([counted(line, /skipped=(\d+)/)]), 0), line };
  const failed = sum([counted(line, /failures=(\d+)/), counted(line, /errors=(\d+)/)]);
  return { result: pair(Math.max(0, ran - failed - sum([counted(line, /skipped=(\d+)/)])), failed), line };
};

/** jest and vitest: `Tests: 1 failed, 3 passed, 4 total`, `Tests  1 failed | 3 passed (4)`. */
const jest: Reader = (lines) => {
  const line = last(lines, /^\s*Tests:?\s+\d{1,7} (?:failed|passed|skipped|todo)/);
  return line === undefined ? null : { result: pair(counted(line, /(\d{1,7}) passed/) ?? 0, counted(line, /(\d{1,7}) failed/) ?? 0), line };
};

/** node --test: `# pass 3`, `# fail 2` (or with an info sign). */
const nodeTest: Reader = (lines) => {
  const fail = last(lines, /^(?:#|ℹ) fail \d{1,7}$/);
  const pass = last(lines, /^(?:#|ℹ) pass \d{1,7}$/);
  return fail === undefined ? null : { result: pair(counted(pass ?? "", /(\d+)$/), counted(fail, /(\d+)$/)), line: fail };
};

/** mocha: `3 passing (20ms)`, `1 failing`. */
const mocha: Reader = (lines) => {
  const pass = last(lines, /^\s*\d{1,7} passing\b/);
  const fail = last(lines, /^\s*\d{1,7} failing\b/);
  if (pass === undefined && fail === undefined) return null;
  return { result: pair(counted(pass ?? "", /(\d+) passing/) ?? 0, counted(fail ?? "", /(\d+) failing/) ?? 0), line: fail ?? pass ?? "" };
};

/** cargo: one `test result:` line per binary, added up. */
const cargo: Reader = (lines) => {
  const all = lines.filter((line) => /^test result: (?:ok|FAILED)\. /.test(line));
  const line = all.findLast((one) => one.includes("FAILED")) ?? all.at(-1);
  if (line === undefined) return null;
  return { result: pair(sum(all.map((one) => counted(one, /(\d+) passed/))), sum(all.map((one) => counted(one, /(\d+) failed/)))), line };
};

/** go test: `--- FAIL: TestX`, `FAIL pkg`, `ok pkg 0.1s`. */
const go: Reader = (lines) => {
  const named = lines.filter((line) => /^\s*--- FAIL: /.test(line));
  const failed = last(lines, /^FAIL(?:\s|$)/);
  const line = named.at(-1) ?? failed ?? last(lines, /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)/);
  if (line === undefined) return null;
  const passed = lines.filter((one) => /^\s*--- PASS: /.test(one)).length;
  return { result: pair(passed === 0 ? null : passed, named.length > 0 ? named.length : failed === undefined ? 0 : null), line };
};

/** Maven's last `Tests run:`, PHPUnit, RSpec, CTest, Gradle. */
const others: Reader = (lines) => {
  const maven = last(lines, /Tests run: \d{1,7}, Failures: \d/);
  const phpunit = last(lines, /^Tests: \d{1,7}, Assertions: \d/) ?? last(lines, /^OK \(\d{1,7} tests?, \d/);
  const rspec = last(lines, /^\d{1,7} examples?, \d{1,7} failures?/);
  const ctest = last(lines, /^\d{1,3}% tests passed, \d{1,7} tests? failed out of \d/);
  const gradle = last(lines, /^\d{1,7} tests? completed(?:, \d{1,7} failed)?/);
  const line = maven ?? phpunit ?? rspec ?? ctest ?? gradle;
  if (line === undefined) return null;
  const all = counted(line, /(?:Tests run|Tests|OK \(|out of):? ?(\d{1,7})/) ?? counted(line, /^(\d{1,7}) (?:examples?|tests? completed)/);
  const failed = sum(
    [/Failures?: (\d+)/, /Errors: (\d+)/, /(\d+) failures?/, /(\d+) tests? failed/, /, (\d+) failed/].map((word) => counted(line, word)),
  );
  return { result: pair(all === undefined ? null : Math.max(0, all - failed - sum([counted(line, /Skipped: (\d+)/)])), failed), line };
};

const readers: readonly Reader[] = [pytest, unittest, jest, nodeTest, mocha, cargo, moatless, others, go];

/** Test counts and the line that states them, from the end of a body; null: no known runner's summary is there. */
export function testSummary(body: string): { readonly result: TestResult; readonly line: string } | null {
  const lines = tailLines(body);
  for (const reader of readers) {
    const found = reader(lines);
    if (found !== null) return { result: found.result, line: found.line.trim() };
  }
  return null;
}

const failingName = [
  /^(?:FAILED|ERROR) ([^\s:]{1,300}::.{1,300}?)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\S{1,200} \([^)\n]{1,200}\))/,
  /^\s*--- FAIL: (\S{1,200})/,
  /^not ok \d{1,6} - (.{1,200}?)(?: #.*)?$/,
  /^test (\S{1,200}) \.\.\. FAILED$/,
  /^\s*● (.{1,200}? › .{1,200})$/,
  /^ {1,4}[✖×✗] (.{1,200}?)(?: \(?[\d.]+ ?ms\)?)?$/,
];

/** Names of failing tests as the runner prints them, in order, without repeats, 20 at most. */
export function failingTests(body: string): string[] {
  const names = new Set<string>();
  const text = body.length > 5 * edge ? body.slice(0, edge) + body.slice(-4 * edge) : body;
  for (const line of linesOf(text))
    for (const pattern of failingName) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined && names.size < 20) names.add(name);
    }
  return [...names];
}
