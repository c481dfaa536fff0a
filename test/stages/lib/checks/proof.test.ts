import { beforeAll, describe, expect, test } from "vitest";
import { type CorruptionName, corruptions } from "./corrupt.ts";
import { condensedFolds, extractiveFolds, type Fold, haveTrajectories, paraphrasedFolds } from "./folds.ts";
import { alarms, detection, poolOf, type Row } from "./proof.ts";

/** A bounded proof: floors a little below what `npx tsx notebooks/checks-proof.ts` measures over all folds (notebooks/LOG.md, 2026-11-21). */

if (!haveTrajectories) console.log("skipped: the proof of the checks (there is no folder ../shared/trajectories beside the checkout)");

/** Least share that is found; null: out of the deterministic checks' reach, and reported as such. */
const floors: Record<CorruptionName, number | null> = {
  "swap a path for one never shown": 0.95,
  "swap a path for another of the fold": null,
  "swap a symbol": 0.95,
  "flip a result": null,
  "drop a constraint": null,
  "add a future fact": 0.75,
  "delete the failure": null,
  "tell a failure as success": 0.9,
  "move the line of a name": 0.6,
  "move a range of lines": null,
  "change a count or version": 0.75,
  "alter a command": 0.95,
};

describe.skipIf(!haveTrajectories)("on real folds", { timeout: 300_000 }, () => {
  let extractive: Fold[] = [];
  let condensed: Fold[] = [];
  let paraphrased: Fold[] = [];
  let rows: Row[] = [];
  beforeAll(async () => {
    extractive = await extractiveFolds();
    condensed = await condensedFolds();
    paraphrased = await paraphrasedFolds();
    const pool = poolOf([...condensed, ...paraphrased].map(({ view }) => view));
    rows = detection([...condensed, ...paraphrased], pool, 1, 24);
  }, 300_000);

  test("there are at least 200 folds, and memories of every origin", () => {
    expect(extractive.length + condensed.length + paraphrased.length).toBeGreaterThanOrEqual(200);
    expect(condensed).toHaveLength(8);
    expect(paraphrased.length).toBeGreaterThanOrEqual(40);
  });

  test("every corruption that the checks can reach is found about as often as was measured", () => {
    expect(rows.map(({ corruption }) => corruption)).toEqual(Object.keys(corruptions));
    for (const { corruption, tried, detected, missed } of rows) {
      const floor = floors[corruption];
      if (floor !== null) expect(detected / tried, `${corruption}: ${JSON.stringify(missed.slice(0, 3))}`).toBeGreaterThanOrEqual(floor);
    }
  });

  test("at most 5 % of the good memories, written by a model or freely, are blamed wrongly", () => {
    const { memories, withFalse } = alarms([...condensed, ...paraphrased]);
    expect(withFalse / memories).toBeLessThanOrEqual(0.05);
  });

  test("of the built-in condenser's memories at most 4 % have a finding", () => {
    expect(alarms(extractive).withFinding / extractive.length).toBeLessThanOrEqual(0.04);
  });
});
