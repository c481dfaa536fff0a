import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Step, Trajectory } from "../../../schemas/trajectory.ts";
import { importRecord } from "../../../stages/generate/import-record.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const file = (path: string): string => readFileSync(join(import.meta.dirname, "../../fixtures/dialects", path), "utf8");
const raw = (path: string): Record<string, unknown> => JSON.parse(file(`${path}.raw.json`));
const log = (path: string): Record<string, unknown>[] =>
  file(`${path}.raw.jsonl`)
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function imported(value: unknown, file = "a__b-1.json"): Trajectory {
  const read = importRecord(
    value,
    { file, record: null, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] },
    digest,
  );
  if (!read.ok) throw new Error(read.why);
  return read.trajectory;
}

const bare = (steps: readonly Step[]) => steps.map((step) => ({ ...step, calls: step.calls.map((call) => ({ ...call, id: null })) }));

describe("OpenHands", () => {
  test("the text view and the structured view of one run parse to the same steps and the same task", () => {
    const [text, structured] = [imported(raw("openhands-completions/xml-view")), imported(raw("openhands-completions/both-views"))];
    expect(bare(text.steps)).toEqual(bare(structured.steps));
    expect(text.task.prompt).toBe(structured.task.prompt);
  });
  test.each(["openhands-v0-events/parallel-and-condensed", "openhands-v1-events/row-parallel-condensed"])(
    "%s: a condensation is marked and never taken for an observation",
    (path) => {
      const run = imported(raw(path));
      expect(run.marks).toContain("pre-condensed");
      expect(JSON.stringify(run.steps)).not.toContain("NOT AN OBSERVATION");
    },
  );
  test("an observation goes to the action that caused it, in whatever order they come", () => {
    const [first] = imported(raw("openhands-v0-events/parallel-and-condensed")).steps;
    expect(first?.calls.map((call) => [call.id, call.exitCode, call.failed])).toEqual([
      ["c1", 0, false],
      ["c2", 1, true],
    ]);
  });
  test("arguments are kept as the model wrote them, the SDK's own additions too", () => {
    const run = imported(raw("openhands-v1-events/row-parallel-condensed"));
    expect(run.steps[0]?.calls[0]?.arguments).toBe('{"command": "ls", "security_risk": "LOW"}');
    expect(run.steps[1]?.calls[0]?.arguments).toBe('{"command": "sleep 1"');
  });
  test.each([[[]], [null]])("a row that broke before the first step (history %j) is empty, with the source's reason", (history) => {
    const value = { instance_id: "a__b-1", metadata: {}, history, error: "STATUS$ERROR_LLM_AUTHENTICATION" };
    const read = importRecord(
      value,
      { file: "x", record: 0, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] },
      digest,
    );
    expect(read).toMatchObject({ ok: false, kind: "empty", why: expect.stringContaining("STATUS$ERROR_LLM_AUTHENTICATION") });
  });
});

describe("mini-swe-agent", () => {
  test("the submitted diff is the patch and never an observation", () => {
    const value = raw("mini-swe-agent/v1-format-error");
    const { steps, outcome } = imported({ ...value, info: {} });
    expect(outcome.patch).toMatch(/^diff --git/);
    expect(steps.at(-1)?.calls[0]?.result).toBeNull();
    expect(JSON.stringify(steps.map((step) => step.feedback))).not.toContain("diff --git");
  });
  test("a reply with several blocks is a step without a call, and the complaint is its feedback", () => {
    const step = imported(raw("mini-swe-agent/v1-format-error")).steps.find((candidate) => candidate.calls.length === 0);
    expect(step?.thought.match(/```/g)?.length).toBeGreaterThan(2);
    expect(step?.feedback[0]).toMatch(/^Please always provide EXACTLY ONE action/);
  });
  test("a complaint about a reply that was not stored is feedback of the step before", () => {
    const steps = imported(raw("mini-swe-agent/v1.1-tool-call-error")).steps;
    expect(steps[1]?.feedback).toEqual([expect.stringMatching(/^Tool call error:/)]);
    expect(steps[1]?.calls[0]?.exitCode).toBe(1);
  });
  test("which limit was hit is read off mini's own counters", () => {
    const value = raw("mini-swe-agent/v1-format-error");
    const limited = (calls: number) => ({
      ...value,
      info: { exit_status: "LimitsExceeded", model_stats: { api_calls: calls }, config: { agent: { step_limit: 250 } } },
    });
    expect(imported(limited(250)).outcome.exit).toBe("step-limit");
    expect(imported(limited(30)).outcome.exit).toBe("cost-limit");
  });
});

describe("SWE-agent", () => {
  const turn = (text: string, action: string) => ({
    message: {
      role: "assistant",
      content: `${text}\n\`\`\`\n${action}\n\`\`\``,
      thought: `${text}\n`,
      action: `${action}\n`,
      agent: "primary",
    },
    action: { action: `${action}\n`, observation: `saw ${action}`, response: `${text}\n\`\`\`\n${action}\n\`\`\``, thought: `${text}\n` },
  });
  const said = (content: string) => ({ role: "user", content, agent: "primary" });
  const [one, two, three] = [turn("First.", "ls"), turn("Second.", "open x.py"), turn("Third.", "submit")];
  const run = (history: unknown[], trajectory: unknown[], info: object = { exit_status: "submitted" }) =>
    imported({ history: [{ role: "system", content: "S" }, said("task"), ...history], trajectory, info });

  test("observations come from the executed actions where the conversation holds them shortened", () => {
    const { steps, marks } = run(
      [one.message, said("Old environment output: (1 lines omitted)"), two.message, said("seen\nbash-$"), three.message],
      [one.action, two.action, three.action],
    );
    expect(steps.map((step) => [step.thought, step.calls[0]?.name, step.calls[0]?.result])).toEqual([
      ["First.", "bash", "saw ls"],
      ["Second.", "open", "saw open x.py"],
      ["Third.", "submit", "saw submit"],
    ]);
    expect(steps.flatMap((step) => step.feedback)).toEqual([]);
    expect(marks).toEqual(["pre-condensed"]);
  });
  test("a reply that was asked again stands in the conversation only, and the pairs after it stay right", () => {
    const { steps } = run(
      [
        one.message,
        said("x"),
        { role: "assistant", content: "No action here.", agent: "primary" },
        said("Your output was not formatted"),
        two.message,
      ],
      [one.action, two.action],
    );
    expect(steps.map((step) => step.calls[0]?.result ?? null)).toEqual(["saw ls", null, "saw open x.py"]);
    expect(steps[1]?.feedback).toEqual(["Your output was not formatted"]);
  });
  test("an action whose reply the conversation lacks is a step at its own place, once", () => {
    const { steps } = run([one.message, said("x"), three.message], [one.action, two.action, three.action]);
    expect(steps.map((step) => step.calls[0]?.name)).toEqual(["bash", "open", "submit"]);
  });
  test("a file without the conversation is read from its actions", () => {
    expect(imported({ trajectory: [one.action, three.action], info: {} }).steps.map((step) => step.calls[0]?.name)).toEqual([
      "bash",
      "submit",
    ]);
  });
  test("what the scaffold wrote at the end is no turn of the agent", () => {
    const notice = { action: "exit_cost", observation: "Exited", response: "Exit due to cost limit", thought: "Exit due to cost limit" };
    const { steps, outcome, marks } = run(
      [one.message, said("x"), { role: "assistant", content: "Exit due to cost limit", agent: "primary" }],
      [one.action, notice],
      { exit_status: "submitted (exit_cost)" },
    );
    expect(steps).toHaveLength(1);
    expect(outcome.exit).toBe("auto-submitted");
    expect(marks).toEqual(["submit-not-by-agent"]);
  });
  test("several agents in one run are marked", () => {
    expect(run([one.message, said("x"), { ...two.message, agent: "editor" }], [one.action, two.action]).marks).toContain("multi-agent");
  });
});

test("the same run under another file name keeps the last part of its id", () => {
  const value = raw("openhands-completions/xml-view");
  const [a, b] = [imported(value, "x/one.json"), imported(value, "two.json")];
  expect([a.id, b.id].map((id) => id.split("/")[1])).toEqual(["one", "two"]);
  expect(a.id.split("/")[2]).toBe(b.id.split("/")[2]);
});

describe("session logs", () => {
  test.each(["claude-code/sidechain-branch-and-compaction", "codex-rollout/parallel-patch-and-compacted", "pi/branches-and-compaction"])(
    "%s: summaries, sub-agents and turns taken back are marked and in no step",
    (path) => {
      const run = imported(log(path));
      expect(run.marks).toContain("pre-condensed");
      expect(JSON.stringify(run)).not.toMatch(/SUMMARY|SIDECHAIN|TAKEN BACK|taken back|KEPT BACK/);
    },
  );
  test("a summary that opens a session is all there is of what went before, and stays", () => {
    const run = imported(raw("cline/compacted"));
    expect(run.task.prompt).toMatch(/^Context summary:/);
    expect(run.marks).toContain("pre-condensed");
  });
  test("one reply spread over lines is one turn, and its parallel calls keep their own results", () => {
    const [first, second] = imported(log("claude-code/sidechain-branch-and-compaction")).steps;
    expect([first?.thought, first?.reasoning, first?.calls.length]).toEqual(["I ask a sub-agent.", "A sub-agent can look.", 1]);
    expect(second?.calls.map((call) => [call.id, call.failed])).toEqual([
      ["t3", null],
      ["t4", true],
    ]);
  });
  test("lines that come twice count once", () => {
    const lines = log("claude-code/parallel-and-hooks");
    expect(imported(lines.flatMap((line) => [line, line])).steps).toEqual(imported(lines).steps);
  });
  test("what Codex repeats for the screen counts once", () => {
    const lines = log("codex-rollout/one-run");
    const spoken = lines.filter((line) => line["type"] !== "event_msg");
    expect(spoken.length).toBeLessThan(lines.length);
    expect(imported(spoken).steps).toEqual(imported(lines).steps);
  });
  test("answers of Codex's shell give their exit code in either form", () => {
    const steps = imported(log("codex-rollout/parallel-patch-and-compacted")).steps;
    expect(steps[0]?.calls.map((call) => [call.id, call.exitCode])).toEqual([
      ["c1", 0],
      ["c2", 2],
    ]);
    expect(steps[1]?.calls[0]).toMatchObject({ exitCode: 0, result: expect.stringMatching(/^Success\./) });
  });
  test("a rollout with turns taken back is refused: its lines do not say which still count", () => {
    const lines = [
      ...log("codex-rollout/one-run"),
      { timestamp: "t", type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
    ];
    const read = importRecord(
      lines,
      { file: "x", record: 0, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] },
      digest,
    );
    expect(read).toMatchObject({ ok: false, kind: "refused", why: expect.stringContaining("taken back") });
  });
  test("pictures are left out and marked, and the call that showed one is answered all the same", () => {
    const run = imported(log("claude-code/interrupted-with-image"));
    expect(run.marks).toContain("parts-left-out");
    expect(run.steps.find((step) => step.calls[0]?.result === "")?.calls[0]?.name).toBe("Read");
  });
  test("requests that failed are no turns of trae's agent", () => {
    const error = { content: [{ type: "text", text: "error occur for llm responses" }], finish_reason: "Error", tool_calls: null };
    const value = {
      task: "say hello",
      model: "gpt-4",
      llm_interaction: [{ step_number: 1, steps: { step_number: 1, llm_response: error, tool_calls: null, tool_results: null } }],
      success: false,
      final_result: "Task execution exceeded maximum steps without completion",
    };
    const read = importRecord(
      value,
      { file: "x", record: 0, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] },
      digest,
    );
    expect(read).toMatchObject({ ok: false, kind: "empty", why: expect.stringContaining("exceeded maximum steps") });
  });
});

describe("Moatless", () => {
  test("of a search the way to the last finished node is the run, each observation with its action", () => {
    const run = imported(raw("moatless-nodes/search-tree"));
    expect(run.steps.map((step) => step.calls[0]?.name)).toEqual(["FindClass", "ViewCode", "StringReplace", "Finish"]);
    expect(run.marks).toEqual(["branches-left-out"]);
    expect(run.outcome.exit).toBe("submitted");
  });
});

describe("tables", () => {
  test.each([
    ["swe-gym/row", "acme__calc-1"],
    ["nebius-swe-agent/resolved", "tomerfiliba__plumbum-366"],
    ["adp-standard/swe-smith", "arrow-py__arrow.1d70d009.lm_rewrite__nuzjfyur"],
  ])("%s names the task, not the run", (path, instance) => expect(imported(raw(path)).instance).toBe(instance));
  test.each([
    ["swe-gym/row", "resolved"],
    ["nebius-swe-agent/resolved", "target"],
    ["r2e-gym/run", "reward"],
  ])("%s is resolved, by its own field", (path, name) => {
    expect(imported(raw(path)).outcome).toMatchObject({ resolved: true, evidence: { kind: "row", detail: `field ${name} of the record` } });
  });
  test.each(["max_step_limit", "token_limit", "traj_time_limit", "agent"])("R2E-Gym's exit %s has a name of ours", (reason) => {
    const limits = { max_step_limit: "step-limit", token_limit: "context-limit", traj_time_limit: "time-limit", agent: "submitted" };
    expect(imported({ ...raw("r2e-gym/run"), exit_reason: reason }).outcome.exit).toBe(limits[reason as keyof typeof limits]);
  });
});

test("a record that holds two formats at once is refused by both their names", () => {
  const value = { ...raw("mini-swe-agent/mini-coder-row"), history: raw("swe-agent/history-only")["history"] };
  const mixed = { ...value, trajectory_format: "mini-swe-agent-1" };
  const read = importRecord(
    mixed,
    { file: "x", record: 0, digest: "0".repeat(64), source: null, licence: null, instance: null, marks: [] },
    digest,
  );
  expect(read).toMatchObject({ ok: false, kind: "refused", why: "two formats in one record, swe-agent and mini-swe-agent" });
});
