import { afterAll, describe, expect, test } from "vitest";
import { PersonaRecipe } from "../../../../schemas/recipe/persona.ts";
import type { Rollout } from "../../../../schemas/rollout.ts";
import type { Verification } from "../../../../schemas/verification.ts";
import { importRecord } from "../../../../stages/generate/import-record.ts";
import { callStyles } from "../../../../stages/lib/call-styles/index.ts";
import { render } from "../../../../stages/lib/render.ts";
import { sha256 } from "../../../fakes/fake-ports.ts";
import { plainSandboxes } from "../../../fakes/plain-sandbox.ts";
import { bash, call, conversation, opening, play, request, submits } from "./live.ts";

/** From a live run to a trajectory: records are imported as others' runs are. */

const sandboxes = plainSandboxes({ "a.txt": "a\n" });
afterAll(() => sandboxes.remove());
const asks = request(sandboxes.workdir);

const verified: Verification = {
  status: "resolved",
  why: null,
  failToPass: { passed: ["adds"], failed: [] },
  passToPass: { passed: ["x", "y"], failed: [] },
  testsTouched: [],
  runnerConfigTouched: [],
  exitCode: 0,
  logDigest: "b".repeat(64),
  logTail: "ok",
  appliedBy: "git-apply",
  attempts: 1,
};

const played = await play(await sandboxes.open(), asks, [
  { text: "Look.", reasoning: "hidden", calls: [call("execute_bash", { command: "cat a.txt" }), call("execute_bash", "{broken")] },
  "No call.",
  bash("echo b >a.txt; false"),
  submits,
]);
const record: Rollout = {
  format: "catgen.rollout/1",
  key: "a".repeat(64),
  source: "folder",
  instance: "sum",
  repository: "acme/sum",
  licence: "MIT",
  issue: "Mend it.",
  workdir: sandboxes.workdir,
  sample: 0,
  model: "fake",
  callStyle: "native",
  policy: "none",
  sandbox: "none",
  opening,
  turns: [...played.turns],
  end: played.end,
  verification: verified,
};
const imported = (change: Partial<Rollout> = {}) =>
  importRecord(
    { ...record, ...change },
    {
      file: "rollouts/sum.json",
      record: null,
      digest: "c".repeat(64),
      source: null,
      licence: null,
      instance: null,
      marks: [],
    },
    sha256,
  );
function trajectory(change: Partial<Rollout> = {}) {
  const read = imported(change);
  if (!read.ok) throw new Error(read.why);
  return read.trajectory;
}

test("a record becomes a trajectory with its steps, task, outcome and origin", () => {
  const { steps, task, outcome, origin, marks, id } = trajectory();
  expect(id).toMatch(/^folder\/sum\/[0-9a-f]{12}$/);
  expect(steps.map(({ thought, reasoning, calls, feedback }) => [thought, reasoning, calls.length, feedback.length])).toEqual([
    ["Look.\nexecute_bash({broken)", "hidden", 1, 1],
    ["No call.", null, 0, 1],
    ["", null, 1, 0],
    ["Done.", null, 1, 0],
  ]);
  expect(steps[2]?.calls[0]).toMatchObject({ id: null, exitCode: 1, failed: null, result: expect.stringContaining("exit code 1") });
  expect(task).toMatchObject({
    system: "You mend code.",
    prompt: "Mend the sum.",
    issue: "Mend it.",
    repository: "acme/sum",
    tools: opening.tools,
  });
  expect(outcome).toEqual({
    resolved: true,
    evidence: { kind: "verifier", detail: "resolved: fail-to-pass 1/1, pass-to-pass 2/2", digest: verified.logDigest },
    exit: "submitted",
    rawExit: null,
    patch: expect.stringContaining("+b"),
  });
  expect(origin).toMatchObject({ dialect: "catgen-rollout", model: "fake", licence: "MIT", callStyle: "native" });
  expect(marks).toEqual([]);
});

describe("resolved is", () => {
  test.each([
    ["resolved", true],
    ["unresolved", false],
    ["no-patch", false],
    ["patch-does-not-apply", false],
    ["tests-timed-out", false],
    ["unparsable-log", null],
    ["infrastructure", null],
  ] as const)("for %s %s, with evidence exactly when it is known", (status, resolved) => {
    const { outcome } = trajectory({ verification: { ...verified, status } });
    expect([outcome.resolved, outcome.evidence === null]).toEqual([resolved, resolved === null]);
  });

  test("null where nobody verified", () => {
    expect(trajectory({ verification: null }).outcome).toMatchObject({ resolved: null, evidence: null, exit: "submitted" });
  });
});

test("marks of the live run are kept and sorted in among the others", () => {
  const end = { ...record.end, marks: ["diverged-on-resume", "tests-touched"] as const };
  expect(trajectory({ end: { ...end, marks: [...end.marks] } }).marks).toEqual(["diverged-on-resume", "tests-touched"]);
});

test("two samples with equal steps have one id, so the second is a duplicate; another observation makes another run", () => {
  expect(trajectory({ sample: 1, key: "d".repeat(64) }).id).toBe(trajectory().id);
  const [first, ...rest] = record.turns;
  const other = { ...first, thought: "Look again." } as Rollout["turns"][number];
  expect(trajectory({ turns: [other, ...rest] }).id).not.toBe(trajectory().id);
});

test("a run that ended before its first turn is empty, and says why", () => {
  const end = { ...record.end, exit: "context-limit", rawExit: "window-full" } as const;
  expect(imported({ turns: [], end })).toEqual({
    ok: false,
    dialect: "catgen-rollout",
    kind: "empty",
    why: "the run ended before its first turn: window-full",
  });
});

test("a record with a key too many is none of this version", () => {
  expect(imported({ surprise: 1 } as never)).toMatchObject({ ok: false, kind: "quarantined" });
});

describe("a run with malformed calls is no reason to reject it: its samples say what the live agent saw", () => {
  const odd = [
    call("execute_bash", "{broken"),
    call("execute_bash", "[1]"),
    call("no_such_tool", { a: 1 }),
    call("functions.execute bash", { command: "ls" }),
    call("str_replace_editor", { command: "view", path: "/a", colour: "red" }),
    call("\n odd", {}),
  ];
  const good = call("execute_bash", { command: "echo fine" });
  const said = [
    ...odd.map((one) => ({ text: "I try.", calls: [one] })),
    ...odd.map((one) => ({ text: "", calls: [one] })),
    { text: "Both.", calls: [good, ...odd, good] },
    "No call.",
    bash("echo on"),
    submits,
  ];

  test.each(["hermes", "xml"] as const)("in %s", async (callStyle) => {
    const style = callStyles[callStyle];
    const inText = (one: { readonly name: string; readonly arguments: string }) => style.assistant("I try.", [one]);
    const parsable = odd.filter(({ arguments: text }) => text.startsWith('{"') || text === "{}");
    const wire = callStyle === "xml" ? "xml" : "native";
    const replies = wire === "native" ? said : [...parsable.map(inText), inText(good), style.assistant("Done.", [call("submit", {})])];
    const { turns, end, asked } = await play(await sandboxes.open(), { ...asks, conversation: conversation(callStyle) }, replies);
    const recipe = PersonaRecipe.parse({ callStyle });
    const rendered = render(trajectory({ turns: [...turns], end, callStyle: wire }), recipe);
    if (!rendered.ok) throw new Error(rendered.reasons.join());
    const seen = (asked.at(-1)?.messages ?? []).slice(2);
    const live: string[] = [];
    for (const message of seen)
      if (wire === "xml")
        live.push(message.content); // as it is sent
      else if (message.role === "assistant") live.push(style.assistant(message.content, message.calls));
      else if (seen[seen.indexOf(message) - 1]?.role === "assistant")
        live.push(message.role === "tool" ? style.user([message.content], []) : message.content);
      else live.push(`${live.pop()}\n${message.role === "tool" ? style.user([message.content], []) : message.content}`);
    const shown = rendered.value.steps.slice(0, -1).flatMap(({ assistant, user }) => [assistant, user ?? ""]);
    expect(shown).toEqual(live);
  });
});
