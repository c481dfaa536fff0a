import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { importRecord } from "../../../stages/generate/import-record.ts";
import { actionOf, changesFiles } from "../../../stages/lib/commands/actions.ts";
import { oneRun } from "./one-run.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

function imported(value: unknown): Trajectory {
  const origin = { file: "x.json", record: null, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] };
  const read = importRecord(value, origin, digest);
  if (!read.ok) throw new Error(read.why);
  return read.trajectory;
}

const runs = Object.entries(oneRun).map(([name, value]) => ({ name, run: imported(value) }));
const of = (name: string): Trajectory => imported(oneRun[name]);

describe.each(runs)("one run as $name", ({ name, run }) => {
  const actions = run.steps.flatMap((step) => step.calls.map(actionOf));
  test("is read by its dialect", () => expect(run.origin.dialect).toBe(name.split("/")[0]));
  test("looks, edits, fails a test and passes it", () => {
    expect(actions.slice(0, 4).map(({ kind, failed, tests }) => [kind, failed, tests])).toEqual([
      ["explore", false, false],
      ["edit", false, false],
      ["test", true, true],
      ["test", false, true],
    ]);
    expect(actions[2]?.testResult).toMatchObject({ failed: 1 });
    expect(actions[3]?.testResult).toMatchObject({ passed: 1 });
  });
  test("edits this one file, and looked at it before", () => {
    expect(actions.flatMap((action) => (changesFiles(action) ? action.files : []))).toEqual(["/testbed/calc.py"]);
    expect(actions[0]?.reads).toEqual(["/testbed/calc.py"]);
  });
  test("has each thought in its own step, and each result with its call", () => {
    expect(run.steps.slice(0, 5).map((step) => step.thought)).toEqual([
      "Look first.",
      "It subtracts.",
      "Test it.",
      "The test was stale.",
      "Done.",
    ]);
    const results = run.steps.slice(0, 4).map((step) => step.calls[0]?.result);
    expect(results[0]).toContain("return a - b");
    expect(results[1]).toContain("has been edited");
    expect(results[2]).toContain("1 failed in 0.02s");
    expect(results[3]).toContain("1 passed in 0.01s");
    expect(run.steps.every((step) => step.calls.length <= 1 && step.feedback.length === 0)).toBe(true);
  });
  test("names the task, the model where it is stated, and how it ended", () => {
    expect(run.task.prompt).toContain("add() subtracts");
    expect(run.task.workdir).toBe("/testbed");
    const marks = run.marks.filter((mark) => mark !== "no-final-result" && mark !== "fabricated-turns");
    expect(marks).toEqual([]);
  });
});

/** Steps without what a way of writing cannot hold: ids, and codes that only some scaffolds state. */
const bare = (run: Trajectory) =>
  run.steps.map((step) => ({
    ...step,
    reasoning: null,
    calls: step.calls.map((call) => ({ ...call, id: null, arguments: JSON.parse(call.arguments) as unknown })),
  }));

describe("views of one run give equal steps", () => {
  test("SWE-smith's native, XML and code-block rows", () => {
    const [tool, xml, ticks] = ["tool", "xml", "ticks"].map((split) => bare(of(`swe-smith/${split}`)));
    expect(xml).toEqual(tool);
    // In a code block the end is a command like any other.
    expect(ticks?.slice(0, -1)).toEqual(tool?.slice(0, -1));
    expect(ticks?.at(-1)?.calls[0]?.name).toBe("submit");
  });
  test("messages as a list, as JSON text, in a logged call, under `trajectory` and in SWE-Gym's rows", () => {
    const list = bare(of("messages/openai"));
    const others = ["messages/json-text", "openhands-completions/one-call", "nebius-openhands/null-filled", "swe-gym/row"];
    for (const other of others) expect([other, bare(of(other))]).toEqual([other, list]);
  });
  test("elements in the text and native calls", () => {
    expect(bare(of("swe-play/row"))).toEqual(bare(of("messages/openai")));
  });
  test("ATIF and OpenAI messages", () => expect(bare(of("atif/run"))).toEqual(bare(of("messages/openai"))));
  test("events as the list of a session and as a row's history", () => {
    for (const name of ["openhands-v0-events/row", "openhands-v1-events/row"]) {
      const { history } = oneRun[name] as { history: unknown };
      expect([name, bare(imported(history))]).toEqual([name, bare(of(name))]);
    }
  });
  test("SWE-agent's conversation and its executed actions", () => {
    for (const fixture of ["v0-fenced", "v0-command-tags"]) {
      const whole = JSON.parse(readFileSync(join(import.meta.dirname, `../../fixtures/dialects/swe-agent/${fixture}.raw.json`), "utf8"));
      const acted = imported({ ...whole, history: undefined });
      expect([fixture, acted.steps]).toEqual([fixture, imported(whole).steps]);
    }
  });
});
