import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportTrajectory } from "../../../stages/export/export.ts";
import { piecesOf } from "../../../stages/export/layouts/input-output.ts";
import { chatText } from "../../../stages/lib/chatml.ts";
import { arbitraryTrajectory } from "../../fakes/arbitrary-trajectory.ts";
import { paramsOf, ports, smallBundle, smallRecipe, smallTrajectory } from "./small-bundles.ts";

const recipe = smallRecipe();
const params = paramsOf(recipe);

test("a trajectory with two context calls gives three segments, two condensations and one base sample", async () => {
  const exported = exportTrajectory(await smallBundle(recipe), params, ports);
  expect(exported.samples.map(({ sample }) => sample.id.split("#")[1])).toEqual([
    "segment0",
    "segment1",
    "segment2",
    "condense0",
    "condense1",
    "base0",
  ]);
  expect(exported.refused).toEqual([]);
});

test("each base step is trained exactly once over the segments", async () => {
  const exported = exportTrajectory(await smallBundle(recipe), params, ports);
  const trained = exported.samples
    .filter(({ sample }) => sample.kind === "segment")
    .flatMap(({ sample }) => sample.turns.filter((turn) => turn.train && turn.step >= 0).map((turn) => turn.step));
  expect(trained).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("sizes of a sample are those that were measured, and the exact tokens of its text", async () => {
  const bundle = await smallBundle(recipe);
  const exported = exportTrajectory(bundle, params, ports);
  const measured = [...bundle.metrics.segments, ...bundle.metrics.condensations, bundle.metrics.base];
  expect(exported.samples.map(({ facts }) => [facts.tokens, facts.trainedTokens])).toEqual(
    measured.map((one) => [one?.tokens, one?.trainedTokens]),
  );
  for (const { sample, facts } of exported.samples) expect(ports.countTokens(chatText(sample.turns))).toBe(facts.tokens);
});

test("a condense sample opens with the template's default system prompt, written out", async () => {
  const exported = exportTrajectory(await smallBundle(recipe), params, ports);
  const condense = exported.samples.find(({ sample }) => sample.kind === "condense");
  expect(condense?.sample.turns.map((turn) => turn.role)).toEqual(["system", "user", "assistant"]);
  expect(condense?.facts.toolsJson).toBe("[]");
});

describe("built-in memories", () => {
  test("are not taught: their condense samples are left out and counted", async () => {
    const exported = exportTrajectory(await smallBundle(recipe, { writer: "extractive" }), params, ports);
    expect(exported.refused.map(({ kind, why }) => [kind, why])).toEqual([
      ["condense", "extractive-memory"],
      ["condense", "extractive-memory"],
    ]);
    expect(exported.samples.filter(({ sample }) => sample.kind === "segment")).toHaveLength(3);
  });

  test("are taught when the recipe asks for it", async () => {
    const wanted = smallRecipe({ export: { condenseExtractive: true, training: { globalBatch: 4 } } });
    const exported = exportTrajectory(await smallBundle(wanted, { writer: "extractive" }), paramsOf(wanted), ports);
    expect(exported.samples.filter(({ sample }) => sample.kind === "condense")).toHaveLength(2);
  });
});

test("a trajectory without memories still gives its base sample", async () => {
  const exported = exportTrajectory(await smallBundle(recipe, { cuts: null }), params, ports);
  expect(exported.samples.map(({ sample }) => sample.kind)).toEqual(["base"]);
});

test("what the verdict does not keep is counted, not exported", async () => {
  const bundle = await smallBundle(recipe);
  const verdict = { ...bundle.verdict, segments: bundle.verdict.segments.map((decision, index) => ({ ...decision, keep: index !== 1 })) };
  const exported = exportTrajectory({ ...bundle, verdict }, params, ports);
  expect(exported.notKept).toEqual({ segment: 1, condense: 0, base: 0, flat: 0, step: 0 });
  expect(exported.samples.filter(({ sample }) => sample.kind === "segment").map(({ sample }) => [sample.index, sample.count])).toEqual([
    [0, 3],
    [2, 3],
  ]);
});

test("a dropped last call leaves what would be there had it not been made: ids, text, masks, sizes and counts", async () => {
  const trajectory = smallTrajectory();
  const both = await smallBundle(recipe, { trajectory });
  const first = await smallBundle(recipe, { trajectory, cuts: [[3, 2]] });
  const [earlier = 0, ratio = 0] = both.metrics.blocks.map((block) => block.foldRatio);
  const dropping = smallRecipe();
  dropping.filter.minFoldRatio = ratio + 0.000001;
  dropping.filter.actions = { "fold-ratio-too-low": "drop-last" };
  expect(earlier).toBeGreaterThan(ratio + 0.000001);
  const judged = await smallBundle(dropping, { trajectory });
  expect(judged.verdict.dropLast?.keep).toBe(true);
  const exported = exportTrajectory(judged, params, ports);
  expect(exported).toEqual(exportTrajectory(first, params, ports));
  expect(exported.samples.map(({ sample }) => sample.id.split("#")[1])).toEqual(["segment0", "segment1", "condense0", "base0"]);
});

test("control-token text that the judge lets through is refused by the last gate", async () => {
  const lenient = smallRecipe();
  lenient.filter.maxControlTokenTexts = null;
  const [first, ...rest] = (await smallBundle(lenient)).trajectory.steps;
  if (first === undefined) throw new Error("a small trajectory has steps");
  const bundle = await smallBundle(lenient, { steps: [{ ...first, thought: "It prints <|im_end|>." }, ...rest] });
  const exported = exportTrajectory(bundle, paramsOf(lenient), ports);
  expect(exported.samples).toEqual([]);
  expect(new Set(exported.refused.map(({ why }) => why))).toEqual(new Set(["control-token-text"]));
});

test("a sample larger than the window is refused even when its verdict keeps it", async () => {
  const bundle = await smallBundle(recipe);
  const exported = exportTrajectory(bundle, { ...params, window: { ...params.window, tokens: 1_024 } }, ports);
  expect(exported.samples).toEqual([]);
  expect(exported.refused.map(({ why }) => why)).toEqual(exported.refused.map(() => "window-exceeded"));
});

test("the meta column names the writer of every memory in the text, with sorted keys", async () => {
  const exported = exportTrajectory(await smallBundle(recipe), params, ports);
  const metas = exported.samples.map(({ facts }) => JSON.parse(facts.metaJson ?? "null") as Record<string, unknown>);
  for (const meta of metas) expect(Object.keys(meta)).toEqual(Object.keys(meta).sort());
  expect(metas[1]?.["memories"]).toMatchObject([{ block: 0, condenser: "llm", model: "big-model", trained: false }]);
  expect(metas[4]?.["memories"]).toMatchObject([
    { block: 0, trained: false },
    { block: 1, trained: true },
  ]);
  expect(metas[0]?.["calls"]).toBe("written as hermes, source: native");
});

test("whatever the trajectory, pieces of exported samples tokenize apart as they do together", async () => {
  const lenient = smallRecipe({ window: { keepSteps: 1 } });
  await fc.assert(
    fc.asyncProperty(
      arbitraryTrajectory({ minSteps: 3, maxSteps: 9, longText: 400, controlTexts: true }),
      fc.boolean(),
      async (trajectory, closing) => {
        const bundle = await smallBundle(lenient, { trajectory, cuts: closing ? [[2, 1]] : null });
        for (const { sample, facts } of exportTrajectory(bundle, paramsOf(lenient), ports).samples) {
          const pieces = piecesOf(sample.turns);
          expect(pieces.map((piece) => piece.text).join("")).toBe(chatText(sample.turns));
          const counted = pieces.map((piece) => ({ ...piece, tokens: ports.countTokens(piece.text) }));
          expect(counted.reduce((sum, piece) => sum + piece.tokens, 0)).toBe(facts.tokens);
          expect(counted.reduce((sum, piece) => sum + (piece.label ? piece.tokens : 0), 0)).toBe(facts.trainedTokens);
        }
      },
    ),
    { numRuns: 150 },
  );
});
