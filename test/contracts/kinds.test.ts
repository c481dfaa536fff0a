import { describe, expect, test } from "vitest";
import { ExportRecipe } from "../../schemas/recipe/export.ts";
import { SampleKind } from "../../schemas/sample.ts";
import { exportTrajectory } from "../../stages/export/export.ts";
import { kinds } from "../../stages/export/kinds/index.ts";
import { paramsOf, ports, smallBundle, smallRecipe } from "../stages/export/small-bundles.ts";

const names = Object.keys(kinds) as SampleKind[];

test("the registry has exactly the kinds that a recipe may name", () => {
  expect(names.sort()).toEqual([...SampleKind.options].sort());
});

describe.each(names)("kind %s", (kind) => {
  const recipe = smallRecipe({ export: { kinds: [kind] } });

  test("has as many samples as the verdict has decisions on it, in order, and ids that say so", async () => {
    const bundle = await smallBundle(recipe);
    const { samples } = exportTrajectory(bundle, paramsOf(recipe), ports);
    expect(samples.map(({ sample }) => sample.id)).toEqual(
      kinds[kind].decisions(bundle).map((_decision, index) => `${bundle.trajectory.id}#${kind}${index}`),
    );
  });

  test("opens with a system turn, alternates, trains agent turns only and ends with a trained one", async () => {
    for (const { sample } of exportTrajectory(await smallBundle(recipe), paramsOf(recipe), ports).samples) {
      expect(sample.turns.map((turn) => turn.role)).toEqual(
        sample.turns.map((_turn, index) => (index === 0 ? "system" : index % 2 === 1 ? "user" : "assistant")),
      );
      expect(sample.turns.filter((turn) => turn.train).every((turn) => turn.role === "assistant")).toBe(true);
      expect(sample.turns.at(-1)?.train).toBe(true);
    }
  });

  test("describes the tools in its system turn that the tools column lists", async () => {
    for (const { sample, facts } of exportTrajectory(await smallBundle(recipe), paramsOf(recipe), ports).samples) {
      const tools = JSON.parse(facts.toolsJson) as { function: { name: string } }[];
      for (const tool of tools) expect(sample.turns[0]?.content).toContain(`{"name": "${tool.function.name}"`);
      expect(sample.turns[0]?.content.match(/"type": "function"/g) ?? []).toHaveLength(tools.length);
    }
  });

  test("gives nothing for a trajectory that the verdict rejects", async () => {
    const strict = smallRecipe({ export: { kinds: [kind] } });
    strict.filter.minSteps = 100;
    const { samples, refused, notKept } = exportTrajectory(await smallBundle(strict), paramsOf(strict), ports);
    expect([samples, refused]).toEqual([[], []]);
    expect(notKept[kind]).toBeGreaterThan(0);
  });
});

test("base samples leave out the context tool when the recipe says so", async () => {
  const recipe = smallRecipe({ export: { kinds: ["base"], baseTools: "without-context" } });
  const [base] = exportTrajectory(await smallBundle(recipe), paramsOf(recipe), ports).samples;
  expect(base?.sample.turns[0]?.content).not.toContain('"name": "context"');
  expect(base?.facts.toolsJson).not.toContain('"context"');
});

test("base samples are of resolved runs unless the recipe says otherwise; the others say why not", async () => {
  const outcomes = [true, false, null];
  const kept = async (baseOutcome?: string | null) => {
    const recipe = smallRecipe({ export: { kinds: ["base"], ...(baseOutcome === undefined ? {} : { baseOutcome }) } });
    const bundles = await Promise.all(outcomes.map((resolved) => smallBundle(recipe, { resolved })));
    return bundles.map(
      (bundle) =>
        exportTrajectory(bundle, paramsOf(recipe), ports)
          .refused.map(({ why }) => why)
          .join() || "in",
    );
  };
  expect(ExportRecipe.parse({}).baseOutcome).toBe("resolved");
  expect(await kept("resolved")).toEqual(["in", "unresolved", "unresolved"]);
  expect(await kept("not-failed")).toEqual(["in", "unresolved", "in"]);
  expect(await kept(null)).toEqual(["in", "in", "in"]);
});

test("a flat sample goes where a context call is bad enough to cost one of its segments", async () => {
  const recipe = smallRecipe({ export: { kinds: ["flat"] } });
  const bundle = await smallBundle(recipe);
  const failed = [{ filter: "ungrounded", block: 0, value: 1, limit: 0, action: "reject-sample" as const }];
  const [first, ...others] = bundle.verdict.condensations;
  if (first === undefined) throw new Error("there are condensations");
  const verdict = { ...bundle.verdict, condensations: [{ keep: false, failed }, ...others] };
  expect(exportTrajectory(bundle, paramsOf(recipe), ports).samples).toHaveLength(1);
  expect(exportTrajectory({ ...bundle, verdict }, paramsOf(recipe), ports)).toMatchObject({ samples: [], notKept: { flat: 1 } });
});
