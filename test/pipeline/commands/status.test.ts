import { expect, test } from "vitest";
import { statusText } from "../../../pipeline/commands/status.ts";
import { Status } from "../../../schemas/status.ts";

const statusWith = (rejected: Record<string, number>, [stage, name] = ["2-detect", "detect"]): Status =>
  Status.parse({
    run: "mine",
    verdict: "default",
    verdicts: [],
    shards: 1,
    stages: [
      {
        stage,
        name,
        rows: { in: 60, out: 0, rejected, quarantined: 0, failed: 0 },
        shardsDone: 1,
        shardsMissing: 0,
        shardsStale: 0,
      },
    ],
    inputs: { files: 0, imported: 0, joined: 0, partOf: 0, empty: 0, refused: [], quarantined: [], trajectories: 0, byDialect: {} },
    rollouts: null,
    spent: { calls: 0, cached: 0, tokensIn: 0, tokensOut: 0, cost: null },
  });

test("the five commonest reasons are named, and the others are counted", () => {
  const rejected = { a: 9, b: 8, c: 7, d: 6, e: 5, f: 4, g: 3, "generate: no-steps": 2 };
  expect(statusText(statusWith(rejected))).toContain(
    "2-detect rejected: 9 a, 8 b, 7 c, 6 d, 5 e, 7 for 2 other reasons (all of them: catgen status --json), 2 passed on from generate",
  );
  expect(statusText(statusWith({ a: 1 }))).toContain("2-detect rejected: 1 a\n");
  expect(statusText(statusWith({ "near-duplicate": 3 }, ["5-select", "select"]))).toContain("5-select left out: 3 near-duplicate\n");
});
