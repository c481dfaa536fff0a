import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { OutcomeFact } from "../../../schemas/inputs.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { indexFacts, joinOutcome } from "../../../stages/generate/outcome.ts";
import { factsOf, patchDigest, readMarkdownReport, readReport, scopeOf, withoutTrailingCommas } from "../../../stages/generate/reports.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const zeros = "0".repeat(64);
const verdicts = (value: unknown, file = "reports/x__x-1/report.json") =>
  readReport(value, file)?.judged.map(({ instance, resolved }) => [instance, resolved]);

describe("reports", () => {
  test("a plain harness report is about the instance whose folder it lies in", () => {
    expect(verdicts({ resolved: true, tests_status: {} })).toEqual([["x__x-1", true]]);
  });
  test("a report keyed by instance, a summary with lists, a map and a list of verdicts are read", () => {
    expect(verdicts({ "a__b-1": { resolved: false, patch_exists: true } })).toEqual([["a__b-1", false]]);
    expect(verdicts({ resolved_ids: ["a"], unresolved_ids: ["b"], empty_patch_ids: ["c"], error_ids: ["d"] })).toEqual([
      ["a", true],
      ["b", false],
      ["c", false],
    ]);
    expect(verdicts({ resolved: ["a"], applied: ["a", "b"], no_generation: [] })).toEqual([
      ["a", true],
      ["b", false],
    ]);
    expect(verdicts({ a__b: true, c__d: false })).toEqual([
      ["a__b", true],
      ["c__d", false],
    ]);
    expect(verdicts({ total: 2, instances: [{ instance_id: "a", resolved: true, patch_applied: true }] })).toEqual([["a", true]]);
  });
  test.each([
    {},
    [],
    null,
    { resolved: true },
    { debug: true },
    [{ instance_id: "a", resolved: true, messages: [] }],
    { resolved_ids: [] },
    { instance_id: "a", resolved: true, model_patch: "" },
  ])("%j is no report", (value) => expect(readReport(value, "a/report.json")).toBeNull());
  test("the OpenHands page gives its sections, and errors say nothing", () => {
    const page =
      "# SWE-bench Report\n\n## Resolved Instances\n- [a__b-1](x.log)\n\n## Unresolved Instances\n- [a__b-2](y.log)\n\n## Error Instances\n- [a__b-3](z.log)\n";
    expect(readMarkdownReport(page)?.judged.map(({ instance, resolved }) => [instance, resolved])).toEqual([
      ["a__b-1", true],
      ["a__b-2", false],
    ]);
    expect(readMarkdownReport("# Read me\n## Resolved Instances\n- a")).toBeNull();
  });
  test("commas before closing brackets go, commas inside strings stay", () => {
    expect(JSON.parse(withoutTrailingCommas('{"a": [1, 2, ], "b": "x, ]", }'))).toEqual({ a: [1, 2], b: "x, ]" });
  });
  test.each([
    ["agent/reports/a.report.json", ["a", "b"], "agent"],
    ["swe/meta/run_evaluation/x__x-1/report.json", ["x__x-1"], "swe"],
    ["agent/output.swebench_eval.md", ["a"], "agent"],
    ["agent/results/results.json", ["a"], "agent"],
    ["agent/x__x-1/report.json", ["x__x-1"], "agent"],
    ["agent/other/report.json", ["x__x-1"], "agent/other"],
    ["report.json", ["a"], ""],
  ])("%s holds under the right folder", (file, instances, scope) => expect(scopeOf(file, instances)).toBe(scope));
});

describe("joining", () => {
  const run = (file: string, resolved: boolean | null = null, patch: string | null = null): Trajectory => ({
    format: "catgen.trajectory/1",
    id: "s/a__b-1/0123456789ab",
    source: "s",
    instance: "a__b-1",
    origin: { dialect: "messages", file, record: null, digest: zeros, licence: null, model: null, callStyle: "none" },
    task: { system: null, prompt: "", issue: null, workdir: null, repository: null, tools: [] },
    steps: [{ thought: "t", reasoning: null, calls: [], feedback: [] }],
    outcome: {
      resolved,
      evidence: resolved === null ? null : { kind: "row", detail: "d", digest: null },
      exit: "unknown",
      rawExit: null,
      patch,
    },
    marks: [],
  });
  const fact = (over: Partial<OutcomeFact> = {}): OutcomeFact => ({
    instance: "a__b-1",
    resolved: true,
    scope: "agent",
    patch: null,
    detail: "r.json",
    digest: zeros,
    ...over,
  });

  test("a fact reaches the runs under its folder and no other agent's", () => {
    expect(joinOutcome(run("agent/runs/x.json"), [fact()], null).outcome).toMatchObject({
      resolved: true,
      evidence: { kind: "report", detail: "r.json", digest: zeros },
    });
    expect(joinOutcome(run("agent2/x.json"), [fact()], null).outcome.resolved).toBeNull();
    expect(joinOutcome(run("agentic/x.json"), [fact()], null).outcome.resolved).toBeNull();
    expect(joinOutcome(run("x.json"), [fact({ scope: "" })], null).outcome.resolved).toBe(true);
  });
  test("another instance's fact is never joined", () =>
    expect(joinOutcome(run("agent/x.json"), [fact({ instance: "a__b-2" })], null).outcome.resolved).toBeNull());
  test("a flag in the row wins over a report", () =>
    expect(joinOutcome(run("agent/x.json", false), [fact()], null).outcome).toMatchObject({ resolved: false, evidence: { kind: "row" } }));
  test("a report about a patch holds for that very patch only, and beats one that knows just the instance", () => {
    const mine = patchDigest("diff\n", digest);
    expect(joinOutcome(run("agent/x.json"), [fact({ patch: digest("other") })], mine).outcome.resolved).toBeNull();
    expect(joinOutcome(run("agent/x.json"), [fact({ patch: mine, resolved: false }), fact()], mine).outcome.resolved).toBe(false);
    expect(patchDigest("\ndiff", digest)).toBe(mine);
  });
  test("reports that disagree leave the outcome open and say so", () => {
    const { outcome } = joinOutcome(run("agent/x.json"), [fact({ detail: "b" }), fact({ resolved: false, detail: "a" })], null);
    expect(outcome.resolved).toBeNull();
    expect(outcome.evidence?.detail).toBe("reports disagree: a says false; b says true");
  });
  test("facts are found by instance, also one called __proto__", () => {
    const index = indexFacts(
      factsOf({ name: "r", judged: [{ instance: "__proto__", resolved: true, patch: null }] }, "r.json", zeros, digest),
    );
    expect(index.get("__proto__")).toHaveLength(1);
    expect(index.get("constructor")).toBeUndefined();
  });
});
