import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { condenseInput, targetTokens } from "../../../stages/lib/condense-input.ts";
import { condenseRequest, requestOverhead } from "../../../stages/lib/condense-request.ts";
import { heading, memorySections } from "../../../stages/lib/memory-text.ts";
import { conversationTokens, openingTokens } from "../../../stages/lib/sizes.ts";
import { exactTokens } from "../../fakes/fake-ports.ts";
import { arbitraryPlacement, memorySize } from "../../invariants/placement.ts";

const step = (text: string) => ({
  thought: `thought ${text}`,
  calls: [{ name: "execute_bash", arguments: `{"command": "${text}"}`, result: `result ${text}`, exitCode: 0, failed: null }],
  feedback: [],
  assistant: "unused",
  user: "unused",
});
const input = {
  task: "TASK TEXT",
  previousMemory: "OLD MEMORY",
  fold: [step("a"), step("b")],
  first: 4,
  recent: [step("c")],
  targetTokens: 1000,
  capTokens: 2000,
};

describe("condenseRequest", () => {
  test("holds task, previous memory, fold and recent steps, each once and in this order, with the numbers the steps have in the run", () => {
    const text = condenseRequest(input);
    const pieces = [
      "# Task",
      "TASK TEXT",
      "# Previous memory",
      "OLD MEMORY",
      "# Steps to fold",
      "[step 4]",
      "thought a",
      '[call] execute_bash {"command": "a"}',
      "[result]\nresult a",
      "[step 5]",
      "# Recent steps (read-only)",
      "[step 6]",
      "result c",
    ];
    const places = pieces.map((piece) => text.indexOf(piece));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const once of ["thought a", "thought b", "result c", "[step 6]", "OLD MEMORY"]) expect(text.split(once)).toHaveLength(2);
  });

  test("says where there is no previous memory and no recent step", () => {
    const text = condenseRequest({ ...input, previousMemory: null, recent: [] });
    expect(text).toContain("# Previous memory\n\n(none yet)");
    expect(text).toContain("# Recent steps (read-only)\n\n(none)");
  });

  test("asks for every section by its heading", () => {
    for (const { title } of memorySections) expect(condenseRequest(input).split("\n")).toContain(heading(title));
  });

  test("leaves out results that never came and thoughts that say nothing", () => {
    const silent = {
      ...step("a"),
      thought: "",
      calls: [{ ...step("a").calls[0], name: "submit", arguments: "{}", result: null, exitCode: null, failed: null }],
      feedback: ["note"],
    };
    expect(condenseRequest({ ...input, fold: [silent] })).toContain("[step 4]\n[call] submit {}\n[feedback]\nnote\n\n#");
  });

  test("is measured by its overhead and its parts, a few tokens per step more or less", () => {
    fc.assert(
      fc.property(arbitraryPlacement({ longText: 300 }), ({ rendered, sizes, blocks }) => {
        for (const [index, block] of blocks.entries()) {
          const own = condenseInput(rendered, sizes, block, blocks[index - 1] ?? null, memorySize);
          const content = condenseRequest(own);
          const exact = conversationTokens([{ role: "user", content, train: false, step: -1 }], exactTokens) + openingTokens(exactTokens);
          const from = blocks[index - 1]?.keptFrom ?? 0;
          const steps = (sizes.upTo[block.cut] ?? 0) - (sizes.upTo[from] ?? 0) + 16 * (block.cut - from);
          const bound = requestOverhead(exactTokens) + exactTokens(own.task) + exactTokens(own.previousMemory ?? "") + steps + 4;
          expect(exact).toBeLessThanOrEqual(bound);
        }
      }),
      { seed: 81, numRuns: 150 },
    );
  });
});

describe("condenseInput", () => {
  test("is made from the previous block, the fold and the recent steps, and from nothing later", () => {
    fc.assert(
      fc.property(arbitraryPlacement({ longText: 50 }), ({ rendered, sizes, blocks, keepSteps }) => {
        for (const [index, block] of blocks.entries()) {
          const own = condenseInput(rendered, sizes, block, blocks[index - 1] ?? null, memorySize);
          expect(own.previousMemory).toBe(blocks[index - 1]?.memory ?? null);
          expect([...own.fold, ...own.recent]).toEqual(rendered.steps.slice(own.first - 1, block.cut));
          expect(own.first).toBe((blocks[index - 1]?.keptFrom ?? 0) + 1);
          expect(own.recent).toHaveLength(keepSteps);
          expect(own.fold.length).toBeGreaterThan(0);
          const until = { upTo: sizes.upTo.slice(0, block.cut + 1) };
          expect(
            condenseInput({ ...rendered, steps: rendered.steps.slice(0, block.cut) }, until, block, blocks[index - 1] ?? null, memorySize),
          ).toEqual(own);
        }
      }),
      { seed: 82, numRuns: 150 },
    );
  });

  test("the target is base + share of what came before keptFrom, up to the cap", () => {
    const recipe = { memoryBaseTokens: 256, memoryShare: 0.15, memoryCapTokens: 8192 };
    const sizes = { upTo: [0, 1000, 3000, 100_000] };
    expect([0, 1, 2, 3].map((keptFrom) => targetTokens(sizes, keptFrom, recipe))).toEqual([256, 406, 706, 8192]);
  });
});
