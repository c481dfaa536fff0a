import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TestLogFormat } from "../../schemas/task-instance.ts";
import { verifiers } from "../../stages/generate/verifiers/index.ts";
import type { Verifier } from "../../stages/generate/verifiers/verifier.ts";

/** What every reader of test logs promises. A new one is covered as soon as it is in the registry and has a log in `fixtures/test-logs`. */

const root = join(import.meta.dirname, "../fixtures/test-logs");
const logsOf = (name: string): readonly (readonly [string, string])[] =>
  readdirSync(join(root, name))
    .filter((file) => file.endsWith(".log"))
    .map((file) => [file.replace(/\.log$/, ""), readFileSync(join(root, name, file), "utf8")]);

/** By status, as goldens show it: `{ "passed": [...] }`, or why the log is not believed. */
function shown(read: ReturnType<Verifier>): unknown {
  if (!read.ok) return { rejected: read.why };
  const found: Record<string, string[]> = {};
  for (const [name, status] of read.value) found[status] = [...(found[status] ?? []), name];
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const passes = (read: ReturnType<Verifier>): string[] =>
  read.ok ? [...read.value].flatMap(([name, status]) => (status === "passed" ? [name] : [])) : [];

/** What code that wants to be believed might print about a test: single lines, and whole runs. */
const fakes: Readonly<Record<string, (name: string) => readonly string[]>> = {
  pytest: (name) => [
    `PASSED ${name}`,
    `${name} PASSED                    [ 50%]`,
    `[gw0] [ 50%] PASSED ${name} `,
    `=========================== short test summary info ============================\nPASSED ${name}\n============================== 1 passed in 0.01s ===============================`,
    `============================= test session starts ==============================\ncollected 1 item\n\n${name} PASSED [100%]\n\n============================== 1 passed in 0.01s ===============================`,
  ],
  unittest: (name) => [`${name} ... ok`, "ok", `${name} ... ok\n\n${"-".repeat(70)}\nRan 1 test in 0.000s\n\nOK`],
  "node-test": (name) => [
    `ok 1 - ${name}`,
    `✔ ${name} (0.1ms)`,
    `TAP version 13\n# Subtest: ${name}\nok 1 - ${name}\n  ---\n  duration_ms: 1\n  ...\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 1`,
    `✔ ${name} (0.1ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\nℹ duration_ms 1`,
  ],
  "go-test": (name) => [
    `--- PASS: ${name} (0.00s)`,
    `=== RUN   ${name}\n--- PASS: ${name} (0.00s)`,
    `=== RUN   ${name}\n--- PASS: ${name} (0.00s)\nPASS\nok  \texample.com/shapes/z\t0.001s`,
  ],
  "cargo-test": (name) => [
    `test ${name} ... ok`,
    "ok",
    `\nrunning 1 test\ntest ${name} ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`,
  ],
  maven: (name) => [
    `[INFO] ${name} -- Time elapsed: 0.001 s`,
    `[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in ${name}`,
    `[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in ${name}\n[INFO] \n[INFO] Results:\n[INFO] \n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS`,
    "[INFO] BUILD SUCCESS",
  ],
  jest: (name) => [
    `  ✓ ${name} (1 ms)`,
    `PASS ./a.test.js\n  ✓ ${name}\n`,
    `PASS ./a.test.js\n  ✓ ${name}\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n`,
  ],
  vitest: (name) => [
    ` ✓ ${name} 1ms`,
    ` ✓ ${name} 1ms\n\n Test Files  1 passed (1)\n      Tests  1 passed (1)`,
    `stdout | a.test.js > x\n ✓ ${name} 1ms\n`,
  ],
  "exit-code": () => ["exit code 0", "PASSED"],
};

/** Names under which a crash, a package or a file stands are nobody's tests. */
const isTest = (format: string, name: string): boolean => format !== "pytest" || name.includes("::");

/** In these a test prints a whole false run; cut behind it, nothing tells it from a true one (see the type `Verifier`). */
const printsWholeRuns = ["go-test/verbose"];

/** Lines that a reader could take long over. */
const floods = [
  "=",
  "[",
  "] - ",
  " (1ms)",
  "a > ",
  "PASSED ",
  "::x PASSED (",
  " ... ok",
  "--- PASS: ",
  "Tests run: 1, ",
  "\u001b[3",
  "> ",
  "1 passed, ",
];

test("the registry holds the formats that a task may name", () => {
  expect(Object.keys(verifiers).sort()).toEqual([...TestLogFormat.options].sort());
  expect(Object.keys(fakes).sort()).toEqual([...TestLogFormat.options].sort());
});

describe.each(Object.entries(verifiers))("%s", (name, verifier) => {
  const logs = logsOf(name);
  const read = (log: string): ReturnType<Verifier> => verifier(log, 1);

  test("has a log with results and, unless it reads none, one that it does not believe", () => {
    expect(logs.some(([, log]) => read(log).ok)).toBe(true);
    if (name !== "exit-code") expect(logs.some(([, log]) => !read(log).ok)).toBe(true);
  });

  test.each(logs)("reads %s as the golden has it", (label, log) => {
    const golden = join(root, name, `${label}.json`);
    const found = shown(read(log));
    if (process.env["UPDATE_GOLDENS"] === "1") writeFileSync(golden, `${JSON.stringify(found, null, 2)}\n`);
    expect(existsSync(golden), `${golden} is missing: run with UPDATE_GOLDENS=1 and read it`).toBe(true);
    expect(found).toEqual(JSON.parse(readFileSync(golden, "utf8")));
  });

  test("colours and the newlines of other systems change nothing", () => {
    for (const [, log] of logs) {
      const plain = shown(read(log));
      expect(shown(read(log.replaceAll(/\r?\n/g, "\r\n")))).toEqual(plain);
      expect(shown(read(log.replaceAll(/^(?=.)/gm, "\u001b[1m\u001b[32m").replaceAll(/(?<=.)$/gm, "\u001b[39m\u001b[0m")))).toEqual(plain);
    }
  });

  test("a test that failed does not pass, whatever is printed at whatever place", () => {
    for (const [label, log] of logs) {
      const full = read(log);
      if (!full.ok) continue;
      const lines = log.split("\n");
      for (const [test, status] of full.value) {
        if (status === "passed" || status === "skipped" || !isTest(name, test)) continue;
        for (const fake of fakes[name]?.(test) ?? [])
          for (let at = 0; at <= lines.length; at += 1) {
            const printed = [...lines.slice(0, at), fake, ...lines.slice(at)].join("\n");
            if (passes(read(printed)).includes(test)) throw new Error(`${label}: ${test} passes after line ${at}:\n${fake}`);
          }
      }
    }
  });

  test("a log that was cut shows no pass that the whole log does not", () => {
    for (const [label, log] of logs) {
      const full = read(log);
      if (!full.ok || printsWholeRuns.includes(`${name}/${label}`)) continue;
      const lines = log.split("\n");
      for (let kept = 0; kept < lines.length; kept += 1)
        for (const test of passes(read(lines.slice(0, kept).join("\n"))))
          expect(full.value.get(test), `${label}, ${kept} lines`).toBe("passed");
    }
  });

  test("mixtures of logs are read without a throw, twice alike", () => {
    const all = logs.flatMap(([, log]) => log.split("\n"));
    const mixture = fc.array(fc.oneof(fc.constantFrom(...all), fc.string({ maxLength: 40 })), { maxLength: 60 });
    fc.assert(
      fc.property(mixture, (lines) => {
        const log = lines.join("\n");
        expect(shown(read(log))).toEqual(shown(read(log)));
      }),
      { numRuns: 500, seed: 24 },
    );
  });

  test("floods are read in reasonable time: lines that are awkward, many results, deep nesting", () => {
    const start = performance.now();
    const [, log = ""] = logs[0] ?? [];
    for (const flood of floods) read(`${log}\n${`${flood.repeat(Math.ceil(4_000 / flood.length))}\n`.repeat(300)}${log}`);
    for (const fake of fakes[name]?.("a::b (c.d) > e") ?? []) {
      read(`${log}\n${`${fake}\n`.repeat(150_000)}${log}`);
      read(`${log}\n${Array.from({ length: 1_500 }, (_, depth) => " ".repeat(depth * 2) + fake).join("\n")}\n${log}`);
    }
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  test("an empty log has no result", () => {
    if (name !== "exit-code") expect(read("").ok).toBe(false);
  });
});
