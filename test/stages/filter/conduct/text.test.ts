import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  brokenCharacters,
  controlCharacters,
  foreignScriptShare,
  scrubbedPersonalValues,
  scrubbedSecrets,
} from "../../../../stages/filter/conduct/text.ts";
import { bashStep, trajectoryOf } from "../../../fakes/steps.ts";

const saying = (...thoughts: string[]) => trajectoryOf(thoughts.map((thought) => bashStep("ls", "", thought)));
const printing = (result: string) => trajectoryOf([bashStep("ls", result)]);

describe("the share of letters in a foreign script", () => {
  test("counts letters of the agent's turns alone, digits and signs apart", () => {
    expect(foreignScriptShare(saying("ab 12 ...", "修复"))).toBe(0.5);
    expect(foreignScriptShare(saying("π ≤ 4", "abc"))).toBe(0.25);
    expect(foreignScriptShare(saying("naïve Zürich"))).toBe(0);
    expect(foreignScriptShare(printing("修复"))).toBeNull();
  });

  test("leaves out the script of the task, and Latin in any case", () => {
    const chinese = { ...saying("修复 the bug"), task: { ...saying("").task, prompt: "请修复这个错误 in core.py" } };
    expect(foreignScriptShare(chinese)).toBe(0);
    expect(foreignScriptShare({ ...chinese, steps: [bashStep("ls", "", "ошибка")] })).toBe(1);
  });
});

describe("broken characters", () => {
  test.each([
    ["a\ufffdb\ufffd", 2],
    ["a \ud83d b", 1],
    ["cafÃ© â€™ Â·", 3],
    ["café ’ · Ångström â", 0],
    ["😀 日本", 0],
  ])("%j has %i", (text, count) => expect(brokenCharacters(printing(text))).toBe(count));
});

test("control characters count once each, a terminal's sequence as one, tab and line ends not at all", () => {
  expect(controlCharacters(printing("a\tb\r\n"))).toBe(0);
  expect(controlCharacters(printing("\u001b[31mred\u001b[0m \u0007\u0085"))).toBe(4);
});

test("scrubbed values are counted by value, wherever their placeholders stand, secrets and personal values apart", () => {
  const run = trajectoryOf([bashStep("echo [SECRET:github-token:1]", "[SECRET:github-token:1] [SECRET:github-token:2] [PERSONAL:mail:1]")]);
  expect([scrubbedSecrets(run), scrubbedPersonalValues(run)]).toEqual([2, 1]);
  const names = printing("[SECRET] and [SECRET:], [PERSONAL:1]");
  expect([scrubbedSecrets(names), scrubbedPersonalValues(names)]).toEqual([0, 0]);
});

test("of any text, nothing is found that plain text could have", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
      expect([brokenCharacters(printing(text)), controlCharacters(printing(text)), foreignScriptShare(saying(text)) ?? 0]).toEqual([
        0, 0, 0,
      ]);
    }),
    { seed: 3, numRuns: 200 },
  );
});
