import { describe, expect, test } from "vitest";
import type { Outcome, Step } from "../../../schemas/trajectory.ts";
import { exitOf } from "../../../stages/generate/exit.ts";
import { idPart } from "../../../stages/generate/identity.ts";
import { marksOf } from "../../../stages/generate/marks.ts";
import { instanceFromFile, issueIn, repositoryOf, workdirIn } from "../../../stages/generate/task-text.ts";
import { canonicalJson } from "../../../stages/lib/canonical-json.ts";

describe("how a run ended", () => {
  test.each([
    ["submitted", "submitted"],
    ["Submitted", "submitted"],
    ["submit", "submitted"],
    ["submitted (exit_cost)", "auto-submitted"],
    ["submitted (exit_context)", "auto-submitted"],
    ["exit_cost", "cost-limit"],
    ["LimitsExceeded (cost limit)", "cost-limit"],
    ["LimitsExceeded (step limit)", "step-limit"],
    ["exit_context", "context-limit"],
    ["token_limit", "context-limit"],
    ["RuntimeError: Agent reached maximum iteration in headless mode. Current iteration: 50, max iteration: 50", "step-limit"],
    ["TimeExceeded", "time-limit"],
    ["Timeout", "error"],
    ["InternalServerError", "error"],
    ["STATUS$ERROR_LLM_AUTHENTICATION", "error"],
    ["early_exit", "error"],
    ["something new", "unknown"],
    [null, "unknown"],
  ])("%s is %s", (raw, exit) => expect(exitOf(raw)).toBe(exit));
});

describe("the task's text", () => {
  test("gives the bare issue where the prompt marks it off, and nothing where it does not", () => {
    expect(issueIn("<pr_description>\nConsider the following PR description:\nA bug\n</pr_description> satisfy the <pr_description>")).toBe(
      "A bug",
    );
    expect(issueIn("Here's the issue text:\nISSUE:\nA bug\n\nwith two parts\n\nINSTRUCTIONS:\nNow")).toBe("A bug\n\nwith two parts");
    expect(issueIn("Fix the bug in <code>")).toBeNull();
  });
  test("gives the folder it names", () => {
    expect(workdirIn("<uploaded_files>\n/testbed\n</uploaded_files>")).toBe("/testbed");
    expect(workdirIn("a repository in the directory /tmp/tmpx/astropy. You can")).toBe("/tmp/tmpx/astropy");
    expect(workdirIn("(Open file: n/a)\n(Current directory: /my repo)\nbash-$")).toBe("/my repo");
    expect(workdirIn("fix it")).toBeNull();
  });
  test.each([
    ["django__django-11019", "django/django"],
    ["pvlib__pvlib-python-1854", "pvlib/pvlib-python"],
    ["arrow-py__arrow.1d70d009.lm_rewrite__nuzjfyur", "arrow-py/arrow"],
    ["tomerfiliba__plumbum-366_17", "tomerfiliba/plumbum"],
    ["local", null],
    [null, null],
  ])("%s is of repository %s", (instance, repository) => expect(repositoryOf(instance)).toBe(repository));
  test.each([
    ["a/b/django__django-1.traj.json.gz", "django__django-1"],
    ["x.events.jsonl", "x"],
    ["run.traj", "run"],
    [".json", ".json"],
  ])("the file %s names the instance %s", (file, instance) => expect(instanceFromFile(file)).toBe(instance));
});

test("canonical JSON does not depend on the order of keys and keeps a key called __proto__", () => {
  expect(canonicalJson(JSON.parse('{"b": 1, "__proto__": [{"z": 1, "y": null}], "a": "x"}'))).toBe(
    '{"__proto__":[{"y":null,"z":1}],"a":"x","b":1}',
  );
  expect(idPart("a/b c\n")).toBe("a_b_c_");
});

describe("marks", () => {
  const outcome: Outcome = { resolved: null, evidence: null, exit: "submitted", rawExit: null, patch: null };
  const step = (over: Partial<Step> = {}, call: Partial<Step["calls"][number]> | null = {}): Step => ({
    thought: "t",
    reasoning: null,
    feedback: [],
    calls:
      call === null
        ? []
        : [{ id: null, name: "bash", arguments: '{"command": "ls"}', result: "ok", exitCode: null, failed: null, ...call }],
    ...over,
  });
  test("a clean run has none", () => expect(marksOf([step(), step()], outcome, [])).toEqual([]));
  test("a missing result is told from a missing last one", () => {
    expect(marksOf([step({}, { result: null }), step({}, { result: null })], outcome, [])).toEqual([
      "missing-result",
      "no-final-result",
      "silent-step",
    ]);
  });
  test("a step with feedback is not silent", () => expect(marksOf([step({ feedback: ["go on"] }, null), step()], outcome, [])).toEqual([]));
  test("a step before the last with neither call nor feedback is silent", () =>
    expect(marksOf([step({}, null), step()], outcome, [])).toEqual(["silent-step"]));
  test.each(["", "[]", "null", '{"a": ', "1"])("arguments %j are no object", (text) => {
    expect(marksOf([step({}, { arguments: text })], outcome, [])).toEqual(["unparsable-arguments"]);
  });
  test("ids that come twice, parallel calls, empty turns and placeholders are seen", () => {
    const twice = step({ calls: [...step({}, { id: "x" }).calls, ...step({}, { id: "x" }).calls] });
    expect(marksOf([twice], outcome, [])).toEqual(["duplicate-call-ids", "parallel-calls"]);
    expect(marksOf([step({ thought: " \n", feedback: ["?"] }, null)], outcome, [])).toEqual(["empty-turn"]);
    expect(marksOf([step({}, { result: "Old environment output: (12 lines omitted)" })], outcome, [])).toEqual(["pre-condensed"]);
    expect(marksOf([step({}, { result: "grep: Old environment output: (12 lines omitted)" })], outcome, [])).toEqual([]);
  });
  test("a run that nobody ended is truncated, one that a limit ended is not", () => {
    expect(marksOf([step()], { ...outcome, exit: "unknown" }, [])).toEqual(["truncated"]);
    expect(marksOf([step()], { ...outcome, exit: "step-limit" }, [])).toEqual([]);
    expect(marksOf([step()], { ...outcome, exit: "auto-submitted" }, [])).toEqual(["submit-not-by-agent"]);
  });
  test("a patch whose files no call names is a mismatch", () => {
    const patch = (file: string): string => `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n`;
    const edits = step({}, { arguments: '{"path": "/testbed/arrow/arrow.py"}' });
    expect(marksOf([edits], { ...outcome, patch: patch("autograd/numpy/numpy_jvps.py") }, [])).toEqual(["patch-mismatch"]);
    expect(marksOf([edits], { ...outcome, patch: patch("arrow/arrow.py") }, [])).toEqual([]);
    expect(marksOf([edits], { ...outcome, patch: "" }, [])).toEqual([]);
  });
});
