import { expect, test } from "vitest";
import type { Turn } from "../../../schemas/sample.ts";
import { type Candidate, gate } from "../../../stages/export/gate.ts";

const turn = (role: Turn["role"], content: string, train = false): Turn => ({ role, content, train, step: -1 });
const good = [turn("system", "s <tool_call>"), turn("user", "u"), turn("assistant", "a\n<tool_call>\n{}\n</tool_call>", true)];
const candidate = (turns: Turn[], change: Partial<Candidate> = {}): Candidate => ({
  sample: { kind: "segment", turns },
  controlTexts: 0,
  tokens: 10,
  neededTokens: 10,
  windowTokens: 10,
  secretTypes: [],
  ...change,
});

test("a sound sample passes, the call style's own tags included", () => {
  expect(gate(candidate(good))).toBeNull();
});

test("a sample without trained tokens is refused, since no trainer learns from it and some end with an error", () => {
  const untrained = [turn("system", "s"), turn("user", "u"), turn("assistant", "a")];
  expect(gate(candidate(untrained))).toMatch(/^no-trained-turn /);
});

test.each<[string, Candidate]>([
  ["control-token-text", candidate(good, { controlTexts: 1 })],
  ["control-token-text", candidate([turn("system", "s"), turn("user", "a <tool_call> b"), turn("assistant", "a", true)])],
  ["control-token-text", candidate([turn("system", "s"), turn("user", "u"), turn("assistant", "a<|im_end|>", true)])],
  ["control-token-text", candidate(good, { sample: { kind: "condense", turns: good } })],
  ["empty-turn", candidate([turn("system", "s"), turn("user", "u"), turn("assistant", " ", true)])],
  ["empty-turn", candidate([turn("system", "s"), turn("user", ""), turn("assistant", "a", true)])],
  ["leading-newline", candidate([turn("system", "s"), turn("user", "u"), turn("assistant", " \n a", true)])],
  ["no-trained-turn last-turn-untrained", candidate([turn("system", "s"), turn("user", "u"), turn("assistant", "a")])],
  ["last-turn-untrained", candidate([...good, turn("user", "u")])],
  ["not-alternating", candidate([turn("system", "s"), turn("user", "u"), turn("user", "v"), turn("assistant", "a", true)])],
  ["not-alternating", candidate(good.slice(1))],
  ["trained-turn-not-by-agent", candidate([turn("system", "s"), turn("user", "u", true), turn("assistant", "a", true)])],
  ["window-exceeded", candidate(good, { tokens: 11 })],
  ["window-exceeded", candidate(good, { neededTokens: 11 })],
  ["secret:jwt secret:password", candidate(good, { secretTypes: ["jwt", "password", "jwt"] })],
])("the gate says %s", (why, refused) => {
  expect(gate(refused)).toBe(why);
});
