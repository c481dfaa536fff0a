import fc from "fast-check";
import type { Call, Mark, Step, Trajectory } from "../../schemas/trajectory.ts";

/**
 * Random trajectories for property tests. Without options every value parses under `Trajectory`, renders under the `paper` persona, holds no
 * control-token text and no lone surrogate, and carries exactly the marks its steps call for. Words come from small pools, so that files,
 * commands and errors repeat as they do in real runs.
 */
export interface TrajectoryOptions {
  /** Steps, at least and at most. Default 1 and 14. */
  readonly minSteps?: number;
  readonly maxSteps?: number;
  /** Calls in one step, at most. Default 3; 1 for sources without parallel calls. */
  readonly maxCalls?: number;
  /** Length of the longest text that a result may have, characters. Default 2,000. */
  readonly longText?: number;
  /** Adds what importers mark and rendering rejects: unparsable arguments, missing results, silent steps, unknown tools, lone surrogates. Default false. */
  readonly defects?: boolean;
  /** Adds text that would become a control token of the Qwen2.5 tokenizer. Default false. */
  readonly controlTexts?: boolean;
}

type Filled = Required<TrajectoryOptions>;
const filled = (options: TrajectoryOptions): Filled => ({
  minSteps: 1,
  maxSteps: 14,
  maxCalls: 3,
  longText: 2_000,
  defects: false,
  controlTexts: false,
  ...options,
});

const files = ["/testbed/src/core.py", "src/util.ts", "tests/test_core.py", "/repo/a b/ünï.py", "Makefile", "reproduce.py"];
const commands = [
  "ls -la",
  "cat src/util.ts",
  "grep -rn 'def run' /testbed/src | head -5",
  "python -m pytest tests/test_core.py -x -q",
  "python reproduce.py",
  "cd /testbed && git diff",
  "git commit -am 'fix'",
  "sed -i 's/a/b/' src/util.ts",
  "cat <<'EOF' > reproduce.py\nimport core\nprint(core.run(1))\nEOF",
  "npm test",
  'echo "unclosed',
  "make test 2>&1 | tail -20; rm -f reproduce.py",
];
const results = [
  "",
  "ok",
  "2 failed, 3 passed in 0.12s",
  "5 passed in 0.08s",
  "FAILED tests/test_core.py::test_run - AssertionError: assert 3 == 4\n1 failed, 4 passed in 0.31s",
  "Traceback (most recent call last):\n  File \"reproduce.py\", line 2, in <module>\n    print(core.run(1))\nTypeError: run() missing 1 required positional argument: 'x'",
  "bash: foo: command not found\n[The command completed with exit code 127.]",
  "<returncode>1</returncode>\n<output>\nNo such file or directory\n</output>",
  "The file /testbed/src/core.py has been edited. Here's the result of running `cat -n`",
  "No replacement was performed, old_str did not appear verbatim in src/util.ts.",
];
const thoughts = [
  "",
  "Let me look at the repository first.",
  "The bug is in `run()` of src/core.py, line 42: the argument is never checked.",
  "All tests pass now. I still need to add a test for the empty input.",
  "That did not work. Let me try another approach.\n\nNext I will read tests/test_core.py.",
];

/** Any well-formed text, from ASCII to emoji, right-to-left and control characters; newlines are frequent. */
export const arbitraryText = (maxLength = 60): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength, unit: "grapheme" }),
    fc.string({ maxLength, unit: "binary" }),
    fc.array(fc.string({ maxLength: 12, unit: "grapheme-ascii" }), { maxLength: 5 }).map((lines) => lines.join("\n")),
  );

const hostile = (options: Filled): fc.Arbitrary<string>[] => [
  ...(options.controlTexts ? [fc.constantFrom("<|im_end|>", "a <tool_call> b", "<|endoftext|>\n</tool_call>")] : []),
  ...(options.defects ? [fc.constantFrom("\ud800", "x\udfffy", "\ud83d \udca9")] : []),
];

const arbitraryResult = (options: Filled): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...results) },
    { weight: 2, arbitrary: arbitraryText() },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...results, ...files), fc.nat(options.longText))
        .map(([text, size]) => `${text}\n`.repeat(size).slice(0, size)),
    },
    ...hostile(options).map((arbitrary) => ({ weight: 1, arbitrary })),
  );

/** JSON text of an object, compact or with Python's spaces: both occur in real data. */
const jsonText = (value: Record<string, unknown>, spaced: boolean): string =>
  spaced
    ? `{${Object.entries(value)
        .map(([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`)
        .join(", ")}}`
    : JSON.stringify(value);

const arbitraryArguments = (options: Filled): fc.Arbitrary<{ name: string; value: Record<string, unknown> }> => {
  const text = fc.oneof(arbitraryText(), ...hostile(options));
  const path = fc.constantFrom(...files);
  const bash = fc
    .oneof({ weight: 4, arbitrary: fc.constantFrom(...commands) }, { weight: 1, arbitrary: text })
    .map((command) => ({ command }));
  const editor = fc.oneof(
    path.map((file) => ({ command: "view", path: file })),
    fc.tuple(path, text).map(([file, body]) => ({ command: "create", path: file, file_text: body })),
    fc.tuple(path, text, text).map(([file, old, next]) => ({ command: "str_replace", path: file, old_str: old, new_str: next })),
    fc.tuple(path, fc.nat(99), text).map(([file, line, body]) => ({ command: "insert", path: file, insert_line: line, new_str: body })),
    path.map((file) => ({ command: "undo_edit", path: file })),
  );
  return fc.oneof(
    { weight: 5, arbitrary: bash.map((value) => ({ name: "execute_bash", value })) },
    { weight: 3, arbitrary: editor.map((value) => ({ name: "str_replace_editor", value })) },
    { weight: 1, arbitrary: fc.constant({ name: "submit", value: {} }) },
    ...(options.defects ? [{ weight: 1, arbitrary: text.map((thought) => ({ name: "think", value: { thought } })) }] : []),
  );
};

const arbitraryCall = (options: Filled): fc.Arbitrary<Call> =>
  fc
    .record({
      call: arbitraryArguments(options),
      spaced: fc.boolean(),
      broken: fc.integer({ min: 0, max: 11 }),
      id: fc.option(fc.stringMatching(/^call_[a-z0-9]{1,8}$/), { nil: null }),
      result: arbitraryResult(options),
      exitCode: fc.option(fc.constantFrom(0, 0, 1, 2, 127), { nil: null }),
      failed: fc.option(fc.boolean(), { nil: null }),
    })
    .map(({ call, spaced, broken, id, result, exitCode, failed }) => {
      const text = jsonText(call.value, spaced);
      return {
        id,
        name: call.name,
        arguments: options.defects && broken === 0 ? text.slice(0, -1) : text,
        result: options.defects && broken === 1 ? null : result,
        exitCode,
        failed,
      };
    });

/** One step. It always has a call with a result or some feedback, unless `defects` are asked for. */
export const arbitraryStep = (options: TrajectoryOptions = {}): fc.Arbitrary<Step> => {
  const all = filled(options);
  return fc
    .record({
      thought: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...thoughts) },
        { weight: 1, arbitrary: arbitraryText() },
        ...hostile(all).map((arbitrary) => ({ weight: 1, arbitrary })),
      ),
      reasoning: fc.option(arbitraryText(), { nil: null, freq: 4 }),
      calls: fc.oneof(
        { weight: 6, arbitrary: fc.array(arbitraryCall(all), { minLength: 1, maxLength: 1 }) },
        { weight: 2, arbitrary: fc.array(arbitraryCall(all), { maxLength: all.maxCalls }) },
      ),
      feedback: fc.oneof(
        { weight: 4, arbitrary: fc.constant<string[]>([]) },
        { weight: 1, arbitrary: fc.array(arbitraryText(), { maxLength: 2 }) },
      ),
    })
    .map((step) => (all.defects || step.calls.length + step.feedback.length > 0 ? step : { ...step, feedback: ["Please go on."] }));
};

const isObject = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
};

/** The marks that these steps call for, as an importer would set them. */
const marksOf = (steps: readonly Step[]): Mark[] => {
  const marks = new Set<Mark>();
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1;
    if (step.calls.length > 1) marks.add("parallel-calls");
    if (step.thought === "" && step.calls.length === 0) marks.add("empty-turn");
    if (!last && step.calls.length + step.feedback.length === 0) marks.add("silent-step");
    if (step.calls.some((call) => call.result === null)) marks.add(last ? "no-final-result" : "missing-result");
    if (step.calls.some((call) => !isObject(call.arguments))) marks.add("unparsable-arguments");
  }
  const ids = steps.flatMap((step) => step.calls.flatMap((call) => (call.id === null ? [] : [call.id])));
  if (new Set(ids).size < ids.length) marks.add("duplicate-call-ids");
  return [...marks].sort();
};

const hex = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));

/** The last step may end without results, as real runs do. */
const openEnded = (steps: readonly Step[], open: boolean): Step[] =>
  steps.map((step, index) =>
    open && index === steps.length - 1 ? { ...step, calls: step.calls.map((call) => ({ ...call, result: null })), feedback: [] } : step,
  );

/** A whole trajectory; see `TrajectoryOptions` for what it holds and what not. */
export const arbitraryTrajectory = (options: TrajectoryOptions = {}): fc.Arbitrary<Trajectory> => {
  const all = filled(options);
  return fc
    .record({
      steps: fc.array(arbitraryStep(all), { minLength: all.minSteps, maxLength: all.maxSteps }),
      open: fc.boolean(),
      attempt: hex(12),
      digest: hex(64),
      instance: fc.constantFrom("django__django-11019", "repo__repo.1a2b3c.pr_7"),
      system: fc.option(arbitraryText(), { nil: null }),
      prompt: fc.oneof(fc.constantFrom("Fix run() in src/core.py: it must accept no argument."), arbitraryText(200)),
      issue: fc.option(arbitraryText(200), { nil: null }),
      workdir: fc.constantFrom("/testbed", "/repo", null),
      resolved: fc.option(fc.boolean(), { nil: null }),
      exit: fc.constantFrom("submitted", "step-limit", "unknown"),
      callStyle: fc.constantFrom("native", "xml"),
    })
    .map((draw): Trajectory => {
      const steps = openEnded(draw.steps, draw.open);
      return {
        format: "catgen.trajectory/1",
        id: `random/${draw.instance}/${draw.attempt}`,
        source: "random",
        instance: draw.instance,
        origin: {
          dialect: "random",
          file: "random.jsonl",
          record: 0,
          digest: draw.digest,
          licence: "Apache-2.0",
          model: null,
          callStyle: draw.callStyle,
        },
        task: { system: draw.system, prompt: draw.prompt, issue: draw.issue, workdir: draw.workdir, repository: null, tools: [] },
        steps,
        outcome: {
          resolved: draw.resolved,
          evidence: draw.resolved === null ? null : { kind: "row", detail: "random", digest: null },
          exit: draw.exit,
          rawExit: null,
          patch: null,
        },
        marks: marksOf(steps),
      };
    });
};
