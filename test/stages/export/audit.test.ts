import { expect, test } from "vitest";
import { type Contamination, telltaleShare } from "../../../schemas/contamination.ts";
import type { Metrics } from "../../../schemas/metrics.ts";
import type { Failure, Verdict } from "../../../schemas/verdict.ts";
import { withheldReason } from "../../../stages/export/audit.ts";
import { uncontaminated } from "../../fakes/no-evaluation.ts";
import { smallBundles, smallRecipe } from "./small-bundles.ts";

const [bundle] = await smallBundles(smallRecipe({}));
if (bundle === undefined) throw new Error("no bundle");

const metrics = (found: Partial<Contamination>): Metrics => ({
  ...bundle.metrics,
  trajectory: { ...bundle.metrics.trajectory, contamination: { ...uncontaminated, ...found } },
});
const failing = (filter: string, action: Failure["action"]): Verdict => ({
  ...bundle.verdict,
  trajectory: { keep: false, failed: [{ filter, block: null, value: "bench", limit: false, action }] },
});
const overlap = (share: number) => [{ list: "bench", instance: "x__y-1", share }];
const tooLong = failing("too-many-steps", "reject-trajectory");

test.each<[string, Partial<Contamination>]>([
  ["by its id", { instance: ["bench"] }],
  ["by the words of its task", { text: overlap(telltaleShare) }],
  ["by the words of its patch", { patch: overlap(1) }],
])("a rejected trajectory on an evaluation task, found %s, is withheld, whatever it was rejected for", (_name, found) => {
  expect(withheldReason(false, metrics(found), tooLong)).toBe("evaluation-task");
  expect(withheldReason(true, metrics(found), tooLong)).toBeNull(); // in the dataset already; the gate asks for it
});

test("one on another task of an evaluation set's repository travels, unless the recipe rejects such repositories", () => {
  const found = metrics({ repository: ["bench"], text: overlap(telltaleShare - 0.01) });
  expect(withheldReason(false, found, tooLong)).toBeNull();
  expect(withheldReason(false, found, failing("contaminated-repository", "flag"))).toBeNull();
  expect(withheldReason(false, found, failing("contaminated-repository", "reject-trajectory"))).toBe("evaluation-task");
  expect(withheldReason(false, found, failing("contaminated-text", "reject-trajectory"))).toBe("evaluation-task"); // a stricter share than ours
});

test("what could not be measured, and so not be held against evaluation tasks, is withheld", () => {
  expect(withheldReason(false, null, null)).toBe("not-measured");
  expect(withheldReason(false, metrics({}), tooLong)).toBeNull();
});
