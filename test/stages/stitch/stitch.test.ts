import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Workspace } from "../../../schemas/sidecars.ts";
import type { Step, Trajectory } from "../../../schemas/trajectory.ts";
import { segmentTurns } from "../../../stages/lib/samples.ts";
import { cutSegments, stitch } from "../../../stages/stitch/stitch.ts";
import { fakePorts } from "../../fakes/fake-ports.ts";
import { blocksAt, legalCuts, personaRecipe, place } from "../../invariants/placement.ts";

const numbered = (index: number): { thought: string; memory: string } => ({ thought: `C${index + 1}`, memory: `M${index + 1}` });
const steps = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) => ({
    thought: String(index + 1),
    reasoning: null,
    calls: [{ id: null, name: "bash", arguments: "{}", result: `r${index + 1}`, exitCode: null, failed: null }],
    feedback: [],
  }));
const trajectory = (count: number): Trajectory => ({
  format: "catgen.trajectory/1",
  id: "test/one/0123456789ab",
  source: "test",
  instance: "one",
  origin: { dialect: "test", file: "x", record: null, digest: "0".repeat(64), licence: null, model: null, callStyle: "native" },
  task: { system: null, prompt: "Q", issue: null, workdir: null, repository: null, tools: [] },
  steps: steps(count),
  outcome: { resolved: null, evidence: null, exit: "submitted", rawExit: null, patch: null },
  marks: [],
});

describe("the example of DESIGN 5: T = 12, cuts 5 and 9, k = 2", () => {
  const placement = place(trajectory(12), personaRecipe(), 2, [5, 9], numbered);

  test("as pointers", () => {
    expect(placement.workspace).toEqual({
      segments: [
        { opens: null, recent: null, target: { start: 0, end: 5 }, closes: 0 },
        { opens: 0, recent: { start: 3, end: 5 }, target: { start: 5, end: 9 }, closes: 1 },
        { opens: 1, recent: { start: 7, end: 9 }, target: { start: 9, end: 12 }, closes: null },
      ],
      condensations: [
        { opens: null, folds: { start: 0, end: 3 }, recent: { start: 3, end: 5 }, target: 0 },
        { opens: 0, folds: { start: 3, end: 7 }, recent: { start: 7, end: 9 }, target: 1 },
      ],
    });
  });

  test("as samples, word for word", () => {
    const short = placement.segments.map((turns) =>
      turns
        .slice(1)
        .flatMap(({ role, content, train }) => {
          const word =
            role === "user" ? (/\n(M\d)\n/.exec(content)?.[1] ?? (content === "Q" ? "Q" : null)) : (content.split("\n")[0] ?? "");
          return word === null ? [] : [`${word}${train ? "*" : ""}`];
        })
        .join(" "),
    );
    expect(short).toEqual(["Q 1* 2* 3* 4* 5* C1*", "Q C1 M1 4 5 6* 7* 8* 9* C2*", "Q C2 M2 8 9 10* 11* 12*"]);
  });

  test("results follow their steps, except after the last trained turn", () => {
    const users = placement.segments.map((turns) =>
      turns.filter((turn) => turn.role === "user").map((turn) => /r\d+|M\d|Q/.exec(turn.content)?.[0]),
    );
    expect(users).toEqual([
      ["Q", "r1", "r2", "r3", "r4", "r5"],
      ["Q", "M1", "r4", "r5", "r6", "r7", "r8", "r9"],
      ["Q", "M2", "r8", "r9", "r10", "r11"],
    ]);
  });
});

test("without blocks there is one segment, the whole trajectory", () => {
  expect(cutSegments(1, { blocks: [] })).toEqual({
    segments: [{ opens: null, recent: null, target: { start: 0, end: 1 }, closes: null }],
    condensations: [],
  });
});

test("with k = 0 nothing is repeated", () => {
  const { segments, condensations } = cutSegments(3, { blocks: blocksAt([1, 2], 0, numbered) });
  expect(segments.map((segment) => segment.recent)).toEqual([null, null, null]);
  expect(condensations.map((one) => [one.folds, one.recent])).toEqual([
    [{ start: 0, end: 1 }, null],
    [{ start: 1, end: 2 }, null],
  ]);
});

test("whatever legal cuts there are, targets and folds tile, and the row parses", () => {
  const drawn = fc
    .record({ count: fc.integer({ min: 1, max: 30 }), keepSteps: fc.nat(5) })
    .chain(({ count, keepSteps }) =>
      fc.record({ count: fc.constant(count), keepSteps: fc.constant(keepSteps), cuts: fc.subarray(legalCuts(count, keepSteps)) }),
    );
  fc.assert(
    fc.property(drawn, ({ count, keepSteps, cuts }) => {
      const workspace = Workspace.parse(cutSegments(count, { blocks: blocksAt(cuts, keepSteps, numbered) }));
      const range = (end: number): number[] => Array.from({ length: end }, (_, index) => index);
      const within = ({ start, end }: { start: number; end: number }): number[] => range(end - start).map((offset) => start + offset);
      expect(workspace.segments.flatMap((segment) => within(segment.target))).toEqual(range(count));
      expect(workspace.condensations.flatMap((one) => within(one.folds))).toEqual(range((cuts.at(-1) ?? keepSteps) - keepSteps));
      for (const { recent, target } of workspace.segments.slice(1))
        expect(recent).toEqual(keepSteps === 0 ? null : { start: target.start - keepSteps, end: target.start });
    }),
    { seed: 61, numRuns: 500 },
  );
});

test("the stage reads trajectory and memory and asks nothing of the world", async () => {
  const ports = fakePorts(
    () => new Error("asked"),
    () => Number.NaN,
  );
  const outcome = await stitch.run(
    { trajectory: trajectory(12), memory: { blocks: blocksAt([5, 9], 2, numbered) } },
    stitch.params.parse({}),
    ports,
  );
  expect(outcome).toEqual({ ok: true, value: cutSegments(12, { blocks: blocksAt([5, 9], 2, numbered) }) });
  expect(ports.requests).toEqual([]);
});

test("a segment that points at no block is a bug and flies", () => {
  const { rendered, recipe } = place(trajectory(2), personaRecipe(), 0, [], numbered);
  expect(() => segmentTurns(rendered, [], { opens: 0, recent: null, target: { start: 0, end: 1 }, closes: null }, recipe)).toThrow(
    "block 0 of 0",
  );
});
