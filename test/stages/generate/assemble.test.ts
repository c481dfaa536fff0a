import { expect, test } from "vitest";
import { assemble, type Entry, type FoundCall } from "../../../stages/generate/assemble.ts";

const call = (key: string | null): FoundCall => ({ id: key, key, name: "bash", arguments: "{}" });
const turn = (...keys: (string | null)[]): Entry => ({ kind: "turn", thought: "t", reasoning: null, calls: keys.map(call) });
const result = (key: string | null, text: string): Entry => ({ kind: "result", key, text, exitCode: null, failed: null });
const user = (text: string): Entry => ({ kind: "user", text });

test("results find their calls by key, whatever their order", () => {
  const { steps, marks } = assemble([user("task"), turn("a", "b"), result("b", "of b"), result("a", "of a")]);
  expect(steps[0]?.calls.map((entry) => entry.result)).toEqual(["of a", "of b"]);
  expect(marks).toEqual([]);
});

test("results without a key are taken in order", () => {
  const { steps } = assemble([user("task"), turn(null, null), result(null, "first"), result(null, "second")]);
  expect(steps[0]?.calls.map((entry) => entry.result)).toEqual(["first", "second"]);
});

test("a result that comes after the next turn stays where it was seen, so nothing is shown before it happened", () => {
  const { steps, marks } = assemble([user("task"), turn("a"), turn("b"), result("a", "late"), result("b", "in time")]);
  expect(steps[0]?.calls[0]?.result).toBeNull();
  expect(steps[1]?.calls[0]?.result).toBe("in time");
  expect(steps[1]?.feedback).toEqual(["late"]);
  expect(marks).toEqual(["orphan-result"]);
});

test("a second result of the same call is kept as feedback and marked", () => {
  const { steps, marks } = assemble([user("task"), turn("a"), result("a", "one"), result("a", "two")]);
  expect(steps[0]?.calls[0]?.result).toBe("one");
  expect(steps[0]?.feedback).toEqual(["two"]);
  expect(marks).toEqual(["orphan-result"]);
});

test("user messages after a turn are its feedback; those before the first turn join the prompt and are marked when there are several", () => {
  const { prompt, steps, marks, system } = assemble([
    { kind: "system", text: "s" },
    user("one"),
    user("two"),
    turn(),
    user("nudge"),
    { kind: "system", text: "interrupt" },
    turn(),
  ]);
  expect({ prompt, system }).toEqual({ prompt: "one\n\ntwo", system: "s" });
  expect(steps.map((step) => step.feedback)).toEqual([["nudge", "interrupt"], []]);
  expect(marks).toEqual(["feedback-before-first-step"]);
});

test("a run without a turn has no steps and keeps its prompt", () => {
  expect(assemble([user("task")])).toEqual({ system: null, prompt: "task", steps: [], marks: [] });
});
