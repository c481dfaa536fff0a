import { describe, expect, test } from "vitest";
import type { Step } from "../../../schemas/trajectory.ts";
import { changedFiles, factsOf, type StepFacts } from "../../../stages/detect/facts.ts";
import { agents } from "../../fakes/dialect-steps.ts";
import { bashStep, createStep, editStep, shortRun, traceback, viewStep, wordStep } from "../../fakes/steps.ts";

const facts = (...steps: readonly Step[]): StepFacts[] =>
  factsOf(
    steps,
    steps.map(() => 1),
  );
const phases = (...steps: readonly Step[]): (string | null)[] => facts(...steps).map(({ phase }) => phase);
const last = (...steps: readonly Step[]): StepFacts => {
  const found = facts(...steps).at(-1);
  if (found === undefined) throw new Error("there is a step");
  return found;
};

describe("phases", () => {
  test("of a short run", () => {
    expect(phases(...shortRun)).toEqual([
      "explore",
      "explore",
      "explore",
      "reproduce",
      "reproduce",
      "edit",
      "test",
      "test",
      "edit",
      "test",
      null,
    ]);
  });

  test("a refused edit is editing, but what follows is not yet testing", () => {
    const refused = editStep("/a.py", "x", "y", "", "No replacement was performed, old_str did not appear verbatim.");
    expect(phases(refused, bashStep("pytest", "1 passed in 0.1s"))).toEqual(["edit", "reproduce"]);
  });

  test("turns without a call, and installing, say nothing", () => {
    expect(phases(wordStep("Done?", "Go on."), bashStep("pip install -e .", "ok"), bashStep("npm ci", "ok"))).toEqual([null, null, null]);
  });

  test("what fails for want of a module says nothing, what fails otherwise does", () => {
    expect(phases(bashStep("python a.py", traceback("ModuleNotFoundError: No module named 'x'")))).toEqual([null]);
    expect(phases(bashStep("python a.py", traceback("ValueError: x")))).toEqual(["reproduce"]);
  });

  test("only tidying up is submitting already", () => {
    const own = createStep("/testbed/reproduce.py", "x");
    expect(phases(own, bashStep("rm /testbed/reproduce.py"), bashStep("submit"))).toEqual(["reproduce", "submit", "submit"]);
    expect(phases(own, bashStep("rm /testbed/reproduce.py && pytest", "1 passed in 0.1s"))[1]).toBe("reproduce");
  });
});

describe("whose a file is", () => {
  test("scripts of the agent's own and tests are helpers, the rest are sources", () => {
    expect(last(createStep("/testbed/reproduce_issue.py", "x"))).toMatchObject({ sources: [], helpers: ["/testbed/reproduce_issue.py"] });
    expect(last(editStep("/testbed/tests/test_a.py", "x", "y"))).toMatchObject({ sources: [], helpers: ["/testbed/tests/test_a.py"] });
    expect(last(createStep("/testbed/src/new.py", "x"))).toMatchObject({ sources: ["/testbed/src/new.py"], helpers: [] });
  });

  test("a file that was looked at before is the project's, whatever it is called", () => {
    expect(last(viewStep("/testbed/src/debug.py"), editStep("/testbed/src/debug.py", "x", "y")).sources).toEqual(["/testbed/src/debug.py"]);
    expect(last(bashStep("cat src/debug.py"), editStep("/testbed/src/debug.py", "x", "y")).sources).toEqual(["/testbed/src/debug.py"]);
  });

  test("an own script stays one, however often it is edited and looked at", () => {
    const own = createStep("/testbed/check.py", "x");
    expect(last(own, viewStep("/testbed/check.py"), bashStep("sed -i 's/x/y/' check.py")).helpers).toEqual(["check.py"]);
  });
});

describe("what changes the sources", () => {
  const script = "p = 'core.py'\nopen(p, 'w').write('y')\n";

  test("a script that is written now and run later does so when it is run", () => {
    const [write, run] = facts(createStep("/testbed/apply_fix.py", script), bashStep("cd /testbed && python apply_fix.py"));
    expect(write).toMatchObject({ sources: [], change: null, phase: "reproduce" });
    expect(run).toMatchObject({ sources: ["core.py"], phase: "edit" });
    expect(run?.change).toBe(run?.actions[0]);
  });

  test("a script written anew is read anew", () => {
    const write = (file: string): Step => bashStep(`cat > fix.py <<'EOF'\nopen('${file}', 'w').write('y')\nEOF\npython fix.py`);
    expect(facts(write("a.py"), write("b.py")).map(changedFiles)).toEqual([["a.py"], ["b.py"]]);
  });

  test("nothing under .git does", () => {
    expect(last(bashStep("echo x > .git/info/exclude")).sources).toEqual([]);
  });

  test.each(Object.entries(agents))("%s changes a file it has looked at", (_, { look, change }) => {
    const found = last(look("src/a.py"), change("src/a.py"));
    expect(found).toMatchObject({ sources: ["src/a.py"], phase: "edit" });
    expect(changedFiles(found)).toEqual(["src/a.py"]);
    expect(found.change).not.toBeNull();
  });
});

test("what a thinking tool is given was said", () => {
  const [call] = bashStep("ls").calls;
  if (call === undefined) throw new Error("a bash step has a call");
  const step: Step = {
    thought: "First.",
    reasoning: null,
    calls: [{ ...call, name: "think", arguments: '{"thought": "Then."}' }],
    feedback: [],
  };
  expect(last(step).said).toBe("First.\nThen.");
});
