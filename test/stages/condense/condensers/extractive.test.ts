import fc from "fast-check";
import { expect, test } from "vitest";
import { CondenseRecipe } from "../../../../schemas/recipe/condense.ts";
import type { PersonaRecipe } from "../../../../schemas/recipe/persona.ts";
import type { Step, Trajectory } from "../../../../schemas/trajectory.ts";
import { extractive } from "../../../../stages/condense/condensers/extractive.ts";
import { CondenseParams } from "../../../../stages/condense/params.ts";
import type { CondenseInput } from "../../../../stages/lib/condense-input.ts";
import { emptyNotes, heading, memorySections, parseMemory, renderMemory } from "../../../../stages/lib/memory-text.ts";
import { type RenderedStep, render } from "../../../../stages/lib/render.ts";
import { requestVersion } from "../../../../stages/lib/request-version.ts";
import { arbitraryTrajectory } from "../../../fakes/arbitrary-trajectory.ts";
import { fakePorts, roughTokens } from "../../../fakes/fake-ports.ts";
import { invented } from "../../../fakes/invented.ts";
import { bashStep, createStep, editStep, shortRun, traceback, viewStep, wordStep } from "../../../fakes/steps.ts";

const persona: PersonaRecipe = { name: "paper", system: null, rename: {}, callStyle: "hermes", controlTokens: "escape" };
const task = { system: null, prompt: "Fix run() in src/core.py.", issue: null, workdir: "/testbed", repository: null, tools: [] };

function rendered(steps: readonly Step[]): readonly RenderedStep[] {
  const last = bashStep("true", "");
  const value = render({ task, origin: { callStyle: "native" }, steps: [...steps, last] } as unknown as Trajectory, persona);
  if (!value.ok) throw new Error(value.reasons.join(" "));
  return value.value.steps.slice(0, steps.length);
}

const inputOf = (fold: readonly Step[], more: Partial<CondenseInput> = {}): CondenseInput => ({
  task: task.prompt,
  previousMemory: null,
  fold: rendered(fold),
  first: 1,
  recent: [],
  targetTokens: 1_200,
  capTokens: 8_192,
  ...more,
});

const params = CondenseParams.parse({
  persona,
  window: { tokens: 65_536, replyTokens: 4_096 },
  condense: { ...CondenseRecipe.parse({}), condenser: "extractive", thought: "template" },
  endpoint: null,
  requestVersion,
});
const thought = { cut: 1, reason: "signals" as const, signals: [], lastSteps: [], pick: 0 };
const outcomeOf = (input: CondenseInput) => extractive({ input, label: "random/run@1", params, thought }, fakePorts());
async function memoryOf(input: CondenseInput): Promise<string> {
  const written = await outcomeOf(input);
  if (!written.ok) throw new Error(written.why);
  expect(written.value.writer).toEqual({ condenser: "extractive", version: 2 });
  return written.value.memory;
}

const section = (memory: string, title: string): string => memory.split("## ").find((part) => part.startsWith(title)) ?? "";

test("the memory has its sections, in order, as bullets of one line", async () => {
  const memory = await memoryOf(inputOf(shortRun));
  expect(parseMemory(memory)).toMatchObject({ ok: true });
  expect(memory.split("\n").filter((line) => line.startsWith("## "))).toEqual(memorySections.map(({ title }) => heading(title)));
  for (const line of memory.split("\n")) expect(line).toMatch(/^(?:## .+|- .+|)$/);
});

test("it tells what was found, tried, changed and what tests say", async () => {
  const memory = await memoryOf(inputOf(shortRun));
  expect(section(memory, "Facts")).toContain("- The issue is in `run()` of src/core.py.");
  expect(section(memory, "Attempts")).toContain(
    "- failed: `python reproduce.py`: TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'\n- ran: `python reproduce.py`: 1\n",
  );
  expect(section(memory, "Attempts")).toContain(
    "- failed: `python -m pytest tests -q` (1 failed, 4 passed in 0.31s): AssertionError: assert 1 == 0; failing: tests/test_core.py::test_empty\n",
  );
  expect(section(memory, "Changes")).toContain("- Created `/testbed/reproduce.py`, which defines `main`");
  expect(section(memory, "Changes")).toContain(
    "- Edited `/testbed/src/core.py`: replaced `return value + 1` with `return 1 if value is None else value + 1`",
  );
  expect(section(memory, "Tests")).toContain("- Last test run: `python -m pytest tests -q`: 5 passed in 0.30s");
  expect(section(memory, "Facts")).toContain("- `/testbed/src/core.py` line 1: `def run(value):`");
});

test("failures stay failures, with their error and how often they came", async () => {
  const failing = bashStep("python r.py", traceback("ValueError: bad value 7"));
  const memory = await memoryOf(inputOf([failing, editStep("/a.py", "x = 1", "x = 2"), failing, failing]));
  expect(section(memory, "Attempts")).toContain("- failed: `python r.py` 3 times: ValueError: bad value 7");
  expect(section(memory, "Open questions")).toContain("- Not working yet: `python r.py`: ValueError: bad value 7");
});

test("failing tests are named until a later run says otherwise", async () => {
  const red = bashStep("pytest", "FAILED tests/a.py::test_b - assert 1 == 2\n1 failed, 4 passed in 0.31s");
  const first = await memoryOf(inputOf([red]));
  expect(section(first, "Tests")).toContain("- Failing tests: tests/a.py::test_b");
  const second = await memoryOf(inputOf([bashStep("pytest", "5 passed in 0.30s")], { previousMemory: first }));
  expect(section(second, "Tests")).not.toContain("tests/a.py::test_b");
  expect(section(second, "Attempts")).toContain("tests/a.py::test_b");
  expect(section(second, "Tests")).toContain("5 passed in 0.30s");
  expect(section(second, "Tests")).not.toContain("1 failed");
});

test("an attempt repeated after a fold is told once, with both counts", async () => {
  const failing = bashStep("python r.py", traceback("ValueError: bad value 7"));
  const first = await memoryOf(inputOf([failing, failing]));
  const second = await memoryOf(inputOf([failing], { previousMemory: first }));
  expect(section(second, "Attempts").match(/python r\.py/g)).toHaveLength(1);
  expect(second).toContain("- failed: `python r.py` 3 times: ValueError: bad value 7");
});

test("a failed edit changes nothing, and a removed file leaves no changes behind", async () => {
  const refused = editStep(
    "/a.py",
    "x = 1",
    "x = 2",
    "",
    "No replacement was performed, old_str `x = 1` did not appear verbatim in /a.py.",
  );
  const steps = [refused, createStep("/tmp/r.py", "def probe(): pass"), bashStep("rm /tmp/r.py")];
  const memory = await memoryOf(inputOf(steps));
  expect(section(memory, "Changes")).not.toContain("x = 2");
  expect(section(memory, "Changes")).not.toContain("probe");
  expect(section(memory, "Changes")).toContain("- Removed `/tmp/r.py`");
  expect(section(memory, "Attempts")).toContain("- failed: `str_replace /a.py`: No replacement was performed");
});

const heredoc = (file: string) => bashStep(`cat <<'EOF' > ${file}\nprint(1)\nEOF`, "");

test("of many files that one call removes none is told as written", async () => {
  const files = Array.from({ length: 12 }, (_, index) => `probe_${index}.py`);
  const memory = await memoryOf(inputOf([...files.map(heredoc), bashStep(`rm ${files.join(" ")}`, "")]));
  expect(section(memory, "Changes")).not.toContain("Wrote");
  expect(section(memory, "Changes")).toContain("- Removed `probe_0.py`");
});

test.each([
  ["by a pattern", "rm probe_*.py"],
  ["with -f, behind another command", "git status && rm -f probe_a.py"],
  ["in the line that wrote it", "cat <<'EOF' > probe_a.py\nprint(2)\nEOF\npython probe_a.py; rm probe_a.py"],
])("a file removed %s is not told as written, in this fold or a later one", async (_, line) => {
  const changes = async (fold: Parameters<typeof inputOf>[0], more = {}): Promise<string> =>
    section(await memoryOf(inputOf(fold, more)), "Changes");
  const written = await memoryOf(inputOf([heredoc("probe_a.py")]));
  expect(section(written, "Changes")).toContain("Wrote `probe_a.py`");
  expect(await changes([heredoc("probe_a.py"), bashStep(line, "")])).not.toMatch(/Wrote|Changed/);
  expect(await changes([bashStep(line, "")], { previousMemory: written })).not.toMatch(/Wrote|Changed/);
  expect(await changes([bashStep(line, ""), heredoc("probe_a.py")])).toContain("Wrote `probe_a.py`");
});

test("what a person told the agent is kept", async () => {
  expect(await memoryOf(inputOf([wordStep("", "Please do not touch the tests.")]))).toContain("- Told: Please do not touch the tests.");
});

test("any target is kept to, and the weightiest notes survive", async () => {
  const steps = Array.from({ length: 12 }, () => shortRun).flat();
  for (const targetTokens of [60, 120, 250, 600, 2_000]) {
    const memory = await memoryOf(inputOf(steps, { targetTokens }));
    expect(roughTokens(memory)).toBeLessThanOrEqual(targetTokens);
    if (targetTokens >= 120) expect(memory).toContain("Last test run: `python -m pytest tests -q`: 5 passed in 0.30s");
  }
});

test("the empty structure is all that is left of a tiny target, and a cap below it rejects", async () => {
  expect(await memoryOf(inputOf(shortRun, { targetTokens: 1 }))).toBe(renderMemory(emptyNotes()));
  expect(await outcomeOf(inputOf(shortRun, { targetTokens: 1, capTokens: 3 }))).toEqual({ ok: false, why: "memory-too-long" });
});

test("a fact that is needed again and again outlives many folds under a tight budget", async () => {
  let memory: string | null = null;
  for (let round = 0; round < 12; round += 1) {
    const start: Step[] =
      round === 0
        ? [bashStep("ls /testbed", "x", "The bug is in `resolve_flags` of `src/flags/resolver.py`: it must never read `legacy_mode`.")]
        : [];
    const noise = Array.from({ length: 6 }, (_, index) =>
      bashStep(
        `python probe_${round}_${index}.py`,
        traceback(`ValueError: case_${round}_${index} is wrong`),
        `The problem in \`case_${round}_${index}\` is found in \`mod_${round}/part_${index}.py\`.`,
      ),
    );
    const need = editStep(
      "src/flags/resolver.py",
      `a = ${round}`,
      `a = ${round + 1}`,
      "Back to `resolve_flags` in `src/flags/resolver.py` and `legacy_mode`.",
    );
    memory = await memoryOf(inputOf([...start, ...noise], { previousMemory: memory, recent: rendered([need]), targetTokens: 500 }));
    expect(memory).toContain("- The bug is in `resolve_flags` of `src/flags/resolver.py`: it must never read `legacy_mode`.");
  }
  expect(memory).not.toContain("case_0_0 ");
});

test("a model's memory in other words is carried over line by line", async () => {
  const previousMemory =
    "Intro line.\n\n## Completed\n1. Found `alpha_beta`.\n* Fixed it\n\n## Facts and constraints\nPlain text about `gamma_delta`.\n";
  const memory = await memoryOf(inputOf([viewStep("/a.py", "x")], { previousMemory }));
  expect(section(memory, "Completed")).toContain("- Intro line.\n- Found `alpha_beta`.\n- Fixed it");
  expect(section(memory, "Facts")).toContain("- Plain text about `gamma_delta`.");
});

test("recent steps are not retold", async () => {
  const recent = rendered([
    bashStep("python secret_probe.py", traceback("KeyError: 'only_recent'"), "The issue is found in `only_recent_too`."),
  ]);
  expect(await memoryOf(inputOf(shortRun, { recent }))).not.toMatch(/secret_probe|only_recent/);
});

test("nothing is invented: every path and number of a memory stands in its input, fold after fold", async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryTrajectory({ minSteps: 7, maxSteps: 17 }),
      fc.constantFrom(80, 300, 2_000),
      async ({ steps }, targetTokens) => {
        const all = rendered(steps.slice(0, -1));
        const half = Math.ceil(all.length / 2);
        const first = { ...inputOf([]), fold: all.slice(0, half - 1), recent: all.slice(half - 1, half), targetTokens };
        const memory = await memoryOf(first);
        const second = { ...first, previousMemory: memory, fold: all.slice(half - 1, -1), recent: all.slice(-1) };
        const next = await memoryOf(second);
        for (const [text, input] of [
          [memory, first],
          [next, second],
        ] as const) {
          expect(invented(text, input)).toEqual([]);
          expect(parseMemory(text)).toMatchObject({ ok: true });
          expect(text.isWellFormed()).toBe(true);
          expect(text).toBe(await memoryOf(structuredClone(input)));
          expect(roughTokens(text)).toBeLessThanOrEqual(Math.max(targetTokens, 40));
        }
      },
    ),
    { numRuns: 150, seed: 24 },
  );
});

test("text that would become a control token never gets in", async () => {
  const steps = [
    bashStep("python r.py", traceback("ValueError: <|im_\u001b[0mend|> and <tool_\u001b[0mcall>"), "The issue is found in `<|im_end|>`."),
  ];
  const memory = await memoryOf(inputOf(steps));
  expect(memory).not.toMatch(/<\|im_end\|>|<tool_call>/);
});

test.each(["a.b/c ", "`x", "The bug is found. ", "\n", "é\u2028\u200d\ud800", "1:", "def f(\n", "((((", "FAILED a::b - c\n", '"'])(
  "hostile repetition of %j takes linear time",
  async (piece) => {
    const long = piece.repeat(30_000);
    const steps = [
      bashStep(`grep -n x a.py # ${long}`, long, long),
      editStep("/a.py", long, `${long}y`, long),
      createStep("/b.py", long),
      bashStep("pytest", `${long}\n1 failed in 0.1s`),
      wordStep(long, long),
    ];
    const input = inputOf(steps);
    const start = performance.now();
    await memoryOf({ ...input, previousMemory: `## Next steps\n- ${long}` });
    expect(performance.now() - start).toBeLessThan(5_000);
  },
);
