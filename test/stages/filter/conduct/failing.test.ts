import { describe, expect, test } from "vitest";
import { failedCallShare, malformedCalls, stuckSteps } from "../../../../stages/filter/conduct/failing.ts";
import { callStep, conductOfSteps, shellStep } from "../../../fakes/seen.ts";
import { shortRun, wordStep } from "../../../fakes/steps.ts";

const works = shellStep("ls", "a.py");
const fails = (name: string) => shellStep(`./${name}`, `bash: ./${name}: No such file or directory`, 127);
const submit = callStep("submit", {}, null);

describe("stuck steps", () => {
  const stuck = (...steps: Parameters<typeof conductOfSteps>[0]) => stuckSteps(conductOfSteps(steps));

  test("are those after the last that works, whatever is handed in or said behind them", () => {
    expect(stuck(works, fails("a"), fails("b"), wordStep("I give up.", ""), submit)).toBe(2);
    expect(stuck(fails("a"), fails("b"), works, submit)).toBe(0);
    expect(stuck(...shortRun)).toBe(0);
  });

  test("a test run whose tests are counted works, however many fail", () => {
    expect(stuck(works, shellStep("pytest", "3 failed, 1 passed in 0.12s", 1))).toBe(0);
    expect(stuck(works, shellStep("pytest", "bash: pytest: command not found", 127))).toBe(1);
  });

  test("doing the same again with the same answer gets nowhere, alone or in turn with another", () => {
    expect(stuck(works, works, works)).toBe(2);
    const other = shellStep("cat a.py", "x = 1");
    expect(stuck(works, other, works, other, works)).toBe(3);
    expect(stuck(works, other, shellStep("cat b.py", "y"), works)).toBe(0);
  });

  test("a turn that the scaffold could not read gets nowhere", () => {
    const unread = wordStep("```ls```", "Please always provide EXACTLY ONE action in triple backticks, found 2 actions.");
    expect(stuck(works, unread, unread, unread)).toBe(3);
    expect(stuck(works, unread, shellStep("pwd", "/testbed"))).toBe(0);
  });

  test("a run that only speaks is not stuck", () => expect(stuck(wordStep("Hello", "Hi"), wordStep("Bye", ""))).toBe(0));
});

test("the share of failing calls leaves thinking and handing in apart, and is unknown without calls", () => {
  const think = callStep("think", { thought: "hm" }, "Your thought has been logged.");
  expect(failedCallShare(conductOfSteps([works, fails("a"), fails("b"), works, think, submit]))).toBe(0.5);
  expect(failedCallShare(conductOfSteps([think, submit]))).toBeNull();
});

describe("malformed calls", () => {
  const malformed = (...steps: Parameters<typeof conductOfSteps>[0]) => malformedCalls(conductOfSteps(steps));

  test.each([
    ["no JSON object", callStep("execute_bash", "{command: ls}", "ok")],
    ["a list", callStep("execute_bash", "[1]", "ok")],
    [
      "a missing parameter",
      callStep(
        "str_replace_editor",
        { command: "str_replace", path: "/a.py" },
        "ERROR:\nParameter `old_str` is required for command: str_replace.",
      ),
    ],
    [
      "an unknown tool",
      callStep("write_file", { path: "a" }, 'Tool "write_file" not found in registry. Tools must use the exact names that are registered.'),
    ],
    ["our own agent's answer", wordStep("foo({})", "There is no tool foo. Expected one of execute_bash, submit.")],
    ["a format error", wordStep("ls", "Please always provide EXACTLY ONE action in triple backticks, found 0 actions.")],
  ])("%s is one", (_, step) => expect(malformed(step)).toBe(1));

  test("a call that is well formed and fails is none, nor is one that only prints the words", () => {
    expect(malformed(fails("a"))).toBe(0);
    expect(malformed(shellStep("cat log", "Parameter `old_str` is required for command: str_replace."))).toBe(0);
    expect(malformed(wordStep("Done?", "Please go on."))).toBe(0);
  });
});
