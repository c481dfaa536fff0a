import { beforeAll, describe, expect, test } from "vitest";
import { FilterRecipe } from "../../../schemas/recipe/filter.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { contaminatedInstance } from "../../../stages/filter/filters/contaminated-instance.ts";
import { contaminatedText } from "../../../stages/filter/filters/contaminated-text.ts";
import type { Filter, Limits } from "../../../stages/filter/filters/filter.ts";
import {
  anonymous,
  haveRuns,
  held,
  listed,
  type RealRun,
  realRuns,
  shareOf,
  sharesAmongPatches,
  sharesAmongStatements,
  skipped,
} from "./proof.ts";

/** The same over real data, in figures: npx tsx notebooks/contamination.ts */

if (!haveRuns) console.log(skipped);
const limits: Limits = { ...FilterRecipe.parse({}), windowTokens: 65_536 };
const rejects = (filter: Filter, run: Trajectory): boolean =>
  filter.scope === "trajectory" && filter.fails({ contamination: held(run) } as Parameters<typeof filter.fails>[0], limits) !== null;

describe.skipIf(!haveRuns)("real runs under the default filters", () => {
  let runs: RealRun[];
  let verified: RealRun[];
  beforeAll(async () => {
    runs = await realRuns();
    verified = runs.filter(({ task }) => listed("swe-bench-verified").has(task));
  });

  test("on SWE-bench Verified are all caught by id, but for conversations of OpenHands V1, which do not name their task", () => {
    expect(verified).toHaveLength(38);
    const missed = verified.filter(({ run }) => !rejects(contaminatedInstance, run)).map(({ run }) => run.origin);
    expect(missed).toHaveLength(8);
    expect(new Set(missed.map(({ dialect }) => dialect))).toEqual(new Set(["openhands-v1-events"]));
    for (const { run, task } of verified)
      if (run.origin.dialect !== "openhands-v1-events") expect(held(run).instance, task).toContain("swe-bench-verified");
  });

  test("on SWE-bench Verified are all caught by text alone, and the text names their task", () => {
    for (const { run, task } of verified) {
      expect([task, rejects(contaminatedText, run)]).toEqual([task, true]);
      expect(held(run).text).toEqual([{ list: "swe-bench-verified", instance: task, share: 1 }]);
    }
  });

  test("on SWE-bench Verified are all caught by text alone after id, repository and paths are removed, from their words, too", () => {
    for (const one of verified) {
      const bare = anonymous(one);
      expect([one.task, held(bare).instance, held(bare).repository]).toEqual([one.task, [], []]);
      expect(JSON.stringify([bare.task.prompt, bare.task.issue])).not.toMatch(/\//);
      expect([one.task, rejects(contaminatedText, bare)]).toEqual([one.task, true]);
    }
  });

  test("on Lite alone are caught by id; their statements are in no index that is shipped", () => {
    const lite = runs.filter(({ task }) => listed("swe-bench-lite").has(task) && !listed("swe-bench-verified").has(task));
    expect(lite).toHaveLength(8);
    for (const { run } of lite) expect([rejects(contaminatedInstance, run), held(run).text]).toEqual([true, []]);
  });

  test("on other tasks raise no alarm, SWE-smith's and SWE-rebench's among them", () => {
    const others = runs.filter(({ task }) => !listed("swe-bench-verified").has(task) && !listed("swe-bench-lite").has(task));
    const from = (folder: string): RealRun[] => others.filter(({ run }) => run.origin.file.includes(folder));
    expect([from("swe-smith").length, from("nebius").length, others.length]).toEqual([21, 15, 73]);
    for (const { run } of others) {
      expect([run.id, rejects(contaminatedInstance, run), rejects(contaminatedText, run)]).toEqual([run.id, false, false]);
      expect(shareOf(run)).toBeLessThan(0.03);
    }
  });

  test("have patches with nothing in common on different tasks, but for one issue that goes by two names", () => {
    const { other } = sharesAmongPatches(runs);
    expect(other.length).toBeGreaterThan(2_000);
    for (const { share, tasks } of other)
      if (share > 0) expect([tasks, share < 0.25]).toEqual([expect.stringContaining("github_issue"), true]);
  });
});

test("of Verified's 500 statements none would be taken for another, whatever forms their repositories' issues have", () => {
  const among = sharesAmongStatements(true);
  expect(among).toHaveLength(500);
  expect(among[0]?.share).toBeLessThan(0.27);
  expect(limits.maxEvaluationTextShare).toBeGreaterThan(0.3);
  expect(sharesAmongStatements(false)[0]?.share, "which all fingerprints together do not achieve").toBeGreaterThan(0.5);
});
