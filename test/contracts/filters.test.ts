import { describe, expect, test } from "vitest";
import { FilterAction } from "../../schemas/filter-action.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { Failure } from "../../schemas/verdict.ts";
import { actionOf, actionProblems, allowedActions } from "../../stages/filter/actions.ts";
import type { Filter, Finding, Limits } from "../../stages/filter/filters/filter.ts";
import { type FilterName, filters } from "../../stages/filter/filters/index.ts";
import { type CheckName, checks } from "../../stages/lib/checks/index.ts";
import { uncontaminated } from "../fakes/no-evaluation.ts";
import { plainConduct, plainMemory } from "../fakes/plain-conduct.ts";
import { nothingToCompare } from "../fakes/set-metrics.ts";

/** Every check has looked at 200 things and found nothing. */
const clean = Object.fromEntries(Object.keys(checks).map((check) => [check, [200, 0] as [number, number]]));

/** A trajectory that every filter passes under the default limits. */
const good: Metrics = {
  trajectory: {
    resolved: true,
    exit: "submitted",
    steps: 40,
    callLessSteps: 0,
    unrenderable: [],
    preCondensed: false,
    controlTokenTexts: 0,
    baseTokens: 50_000,
    rejectedBy: null,
    promptTokens: { calls: 42, sum: 1000, max: 100 },
    promptTokensPerCall: [100],
    ...plainConduct,
    contamination: uncontaminated,
  },
  blocks: [
    {
      cut: 10,
      gapSteps: 10,
      foldTokens: 9_000,
      previousMemoryTokens: 0,
      memoryTokens: 1_000,
      foldRatio: 0.3,
      windowTokensBefore: 10_000,
      windowTokensAfter: 2_000,
      windowRatio: 0.2,
      checks: clean,
      findings: [],
      previousFacts: 0,
      keptFacts: 0,
      ...plainMemory,
      judgedFindings: null,
    },
    {
      cut: 20,
      gapSteps: 10,
      foldTokens: 8_000,
      previousMemoryTokens: 1_000,
      memoryTokens: 1_500,
      foldRatio: 0.2,
      windowTokensBefore: 12_000,
      windowTokensAfter: 3_000,
      windowRatio: 0.25,
      checks: clean,
      findings: [],
      previousFacts: 40,
      keptFacts: 30,
      ...plainMemory,
      judgedFindings: null,
    },
  ],
  segments: [{ tokens: 60_000, trainedTokens: 100, neededTokens: 65_536 }],
  condensations: [{ tokens: 9_000, trainedTokens: 1_000, neededTokens: 20_000 }],
  base: { tokens: 50_000, trainedTokens: 1_000, neededTokens: 60_000 },
  dropLast: null,
  set: nothingToCompare,
};
const defaults: Limits = { ...FilterRecipe.parse({}), windowTokens: 65_536 };

type Change = (value: number | string | boolean | null | string[]) => Metrics;
const trajectory =
  (field: keyof Metrics["trajectory"]): Change =>
  (value) => ({ ...good, trajectory: { ...good.trajectory, [field]: value } });
const secondBlock =
  (field: keyof Metrics["blocks"][number]): Change =>
  (value) => ({ ...good, blocks: good.blocks.map((block, index) => (index === 1 ? { ...block, [field]: value } : block)) });
/** So many findings (or such a share of 200) by one check, in the second memory. */
const found =
  (name: CheckName, per = 1): Change =>
  (value) => ({
    ...good,
    blocks: good.blocks.map((block, index) =>
      index === 1 ? { ...block, checks: { ...clean, [name]: [200, Math.round(Number(value) * per)] as [number, number] } } : block,
    ),
  });
const blocks: Change = (value) => ({
  ...good,
  blocks: Array.from({ length: Number(value) }, () => good.blocks[0]).flatMap((block) => block ?? []),
});
const segment: Change = (value) => ({ ...good, segments: [{ tokens: 1, trainedTokens: 1, neededTokens: Number(value) }] });

interface Case {
  /** How the metric is set. */
  change: Change;
  /** Under `limits`: values that pass, and values that fail with the finding's value where it is another. */
  limits: Partial<Limits>;
  passes: Parameters<Change>[0][];
  fails: Parameters<Change>[0][];
  /** Limits that switch it off; null: always on. */
  off: Partial<Limits> | null;
}

/** Sets by id; or one overlap of the given share. */
const contaminated =
  (field: keyof Metrics["trajectory"]["contamination"]): Change =>
  (value) => {
    const found = Array.isArray(value) ? value : value === 0 ? [] : [{ list: "bench", instance: "x__y-1", share: Number(value) }];
    return { ...good, trajectory: { ...good.trajectory, contamination: { ...uncontaminated, [field]: found } } };
  };

const cases: Record<FilterName, Case> = {
  "contaminated-instance": {
    change: contaminated("instance"),
    limits: { allowEvaluationInstances: false },
    passes: [[]],
    fails: [["bench"], ["bench", "lite"]],
    off: { allowEvaluationInstances: true },
  },
  "contaminated-text": {
    change: contaminated("text"),
    limits: { maxEvaluationTextShare: 0.4 },
    passes: [0, 0.4],
    fails: [0.400001, 1],
    off: { maxEvaluationTextShare: null },
  },
  "contaminated-patch": {
    change: contaminated("patch"),
    limits: { maxEvaluationPatchShare: 0.4 },
    passes: [0, 0.4],
    fails: [0.400001, 1],
    off: { maxEvaluationPatchShare: null },
  },
  "contaminated-repository": {
    change: contaminated("repository"),
    limits: { allowEvaluationRepositories: false },
    passes: [[]],
    fails: [["bench"], ["bench", "lite"]],
    off: { allowEvaluationRepositories: true },
  },
  unresolved: {
    change: trajectory("resolved"),
    limits: { outcome: "resolved" },
    passes: [true],
    fails: [false, null],
    off: { outcome: null },
  },
  "bad-exit": {
    change: trajectory("exit"),
    limits: { exits: ["submitted", "unknown"] },
    passes: ["submitted", "unknown"],
    fails: ["error", "auto-submitted"],
    off: { exits: null },
  },
  "pre-condensed": {
    change: trajectory("preCondensed"),
    limits: { allowPreCondensed: false },
    passes: [false],
    fails: [true],
    off: { allowPreCondensed: true },
  },
  "call-less-steps": {
    change: trajectory("callLessSteps"),
    limits: { maxCallLessSteps: 2 },
    passes: [0, 2],
    fails: [3],
    off: { maxCallLessSteps: null },
  },
  unrenderable: { change: trajectory("unrenderable"), limits: {}, passes: [[]], fails: [["missing-result"], ["a", "b"]], off: null },
  "control-token-text": {
    change: trajectory("controlTokenTexts"),
    limits: { maxControlTokenTexts: 2 },
    passes: [0, 2, null],
    fails: [3, 100],
    off: { maxControlTokenTexts: null },
  },
  "too-few-steps": { change: trajectory("steps"), limits: { minSteps: 10 }, passes: [10, 11], fails: [9, 1], off: { minSteps: null } },
  "too-many-steps": { change: trajectory("steps"), limits: { maxSteps: 50 }, passes: [50, 1], fails: [51, 5000], off: { maxSteps: null } },
  "rejected-upstream": { change: trajectory("rejectedBy"), limits: {}, passes: [null], fails: ["condense: window-exceeded"], off: null },
  "too-few-calls": { change: blocks, limits: { minContextCalls: 2 }, passes: [2, 3], fails: [1, 0], off: { minContextCalls: null } },
  "too-many-calls": { change: blocks, limits: { maxContextCalls: 3 }, passes: [3, 0], fails: [4, 30], off: { maxContextCalls: null } },
  "fold-too-small": {
    change: secondBlock("foldTokens"),
    limits: { minFoldTokens: 500 },
    passes: [500, 501],
    fails: [499, 1],
    off: { minFoldTokens: null },
  },
  "fold-ratio-too-low": {
    change: secondBlock("foldRatio"),
    limits: { minFoldRatio: 0.1 },
    passes: [0.1, 0.5],
    fails: [0.099999, 0],
    off: { minFoldRatio: null },
  },
  "fold-ratio-too-high": {
    change: secondBlock("foldRatio"),
    limits: { maxFoldRatio: 0.7 },
    passes: [0.7, 0.3],
    fails: [0.700001, 2],
    off: { maxFoldRatio: null },
  },
  ungrounded: {
    change: found("grounded", 200),
    limits: { maxUngroundedShare: 0.05 },
    passes: [0, 0.05],
    fails: [0.055, 1],
    off: { maxUngroundedShare: null },
  },
  insufficient: {
    change: found("sufficient", 200),
    limits: { maxMissingShare: 0.5 },
    passes: [0, 0.5],
    fails: [0.505, 1],
    off: { maxMissingShare: null },
  },
  leaking: { change: found("no-leak"), limits: { maxLeaks: 1 }, passes: [0, 1], fails: [2, 9], off: { maxLeaks: null } },
  "untrue-state": {
    change: found("state-true"),
    limits: { maxUntrueStates: 0 },
    passes: [0],
    fails: [1, 5],
    off: { maxUntrueStates: null },
  },
  "failure-lost": {
    change: found("failure-keeping"),
    limits: { maxLostFailures: 0 },
    passes: [0],
    fails: [1],
    off: { maxLostFailures: null },
  },
  drifting: { change: found("drift"), limits: { maxDrifts: 0 }, passes: [0], fails: [1, 3], off: { maxDrifts: null } },
  "judged-unsupported": {
    change: secondBlock("judgedFindings"),
    limits: { maxJudged: 1 },
    passes: [null, 0, 1],
    fails: [2, 40],
    off: { maxJudged: null },
  },

  stuck: { change: trajectory("stuckSteps"), limits: { maxStuckSteps: 2 }, passes: [0, 2], fails: [3, 99], off: { maxStuckSteps: null } },
  looping: {
    change: trajectory("longestLoopSteps"),
    limits: { maxLoopSteps: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxLoopSteps: null },
  },
  "repeating-calls": {
    change: trajectory("repeatedCallShare"),
    limits: { maxRepeatedCallShare: 0.25 },
    passes: [0, 0.25, null],
    fails: [0.2501, 1],
    off: { maxRepeatedCallShare: null },
  },
  "failing-calls": {
    change: trajectory("failedCallShare"),
    limits: { maxFailedCallShare: 0.25 },
    passes: [0, 0.25, null],
    fails: [0.2501, 1],
    off: { maxFailedCallShare: null },
  },
  "malformed-calls": {
    change: trajectory("malformedCalls"),
    limits: { maxMalformedCalls: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxMalformedCalls: null },
  },
  "no-op-edits": {
    change: trajectory("noOpEditShare"),
    limits: { maxNoOpEditShare: 0.25 },
    passes: [0, 0.25, null],
    fails: [0.2501, 1],
    off: { maxNoOpEditShare: null },
  },
  untested: {
    change: trajectory("testRunsAfterEdit"),
    limits: { minTestRunsAfterEdit: 2 },
    passes: [2, 9, null],
    fails: [1, 0],
    off: { minTestRunsAfterEdit: null },
  },
  "empty-patch": {
    change: trajectory("hasPatch"),
    limits: { allowEmptyPatch: false },
    passes: [true, null],
    fails: [false],
    off: { allowEmptyPatch: true },
  },
  "patch-not-applied": {
    change: trajectory("patchApplies"),
    limits: { allowUnappliedPatch: false },
    passes: [true, null],
    fails: [false],
    off: { allowUnappliedPatch: true },
  },
  "patch-mismatch": {
    change: trajectory("patchFilesUnseen"),
    limits: { maxPatchFilesUnseen: 2 },
    passes: [0, 2, null],
    fails: [3, 99],
    off: { maxPatchFilesUnseen: null },
  },
  "work-left-out": {
    change: trajectory("editedFilesUnpatched"),
    limits: { maxEditedFilesUnpatched: 2 },
    passes: [0, 2, null],
    fails: [3, 99],
    off: { maxEditedFilesUnpatched: null },
  },
  "tests-changed": {
    change: trajectory("testFilesChanged"),
    limits: { maxTestFilesChanged: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxTestFilesChanged: null },
  },
  "tests-weakened": {
    change: trajectory("testFilesWeakened"),
    limits: { maxTestFilesWeakened: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxTestFilesWeakened: null },
  },
  "history-read": {
    change: trajectory("historyReads"),
    limits: { maxHistoryReads: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxHistoryReads: null },
  },
  "web-read": {
    change: trajectory("webReads"),
    limits: { maxWebReads: 2 },
    passes: [0, 2, null],
    fails: [3, 99],
    off: { maxWebReads: null },
  },
  "broken-environment": {
    change: trajectory("environmentFailures"),
    limits: { maxEnvironmentFailures: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxEnvironmentFailures: null },
  },
  "timing-out": { change: trajectory("timeouts"), limits: { maxTimeouts: 2 }, passes: [0, 2], fails: [3, 99], off: { maxTimeouts: null } },
  "foreign-script": {
    change: trajectory("foreignScriptShare"),
    limits: { maxForeignScriptShare: 0.25 },
    passes: [0, 0.25, null],
    fails: [0.2501, 1],
    off: { maxForeignScriptShare: null },
  },
  "broken-characters": {
    change: trajectory("brokenCharacters"),
    limits: { maxBrokenCharacters: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxBrokenCharacters: null },
  },
  "control-characters": {
    change: trajectory("controlCharacters"),
    limits: { maxControlCharacters: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxControlCharacters: null },
  },
  "scrubbed-secrets": {
    change: trajectory("scrubbedSecrets"),
    limits: { maxScrubbedSecrets: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxScrubbedSecrets: null },
  },
  "scrubbed-personal": {
    change: trajectory("scrubbedPersonalValues"),
    limits: { maxScrubbedPersonalValues: 2 },
    passes: [0, 2],
    fails: [3, 99],
    off: { maxScrubbedPersonalValues: null },
  },
  "fabricated-turns": {
    change: trajectory("fabricatedTurns"),
    limits: { allowFabricatedTurns: false },
    passes: [false],
    fails: [true],
    off: { allowFabricatedTurns: true },
  },
  "gains-too-little": {
    change: secondBlock("informationGain"),
    limits: { minInformationGain: 0.1 },
    passes: [0.1, 3, null],
    fails: [0.0999, 0],
    off: { minInformationGain: null },
  },
  "repeating-memory": {
    change: secondBlock("repeatedMemoryShare"),
    limits: { maxRepeatedMemoryShare: 0.8 },
    passes: [0.8, 0, null],
    fails: [0.8001, 1],
    off: { maxRepeatedMemoryShare: null },
  },

  "window-exceeded": { change: segment, limits: { windowTokens: 1_000 }, passes: [1_000, 1], fails: [1_001], off: null },
};

/** What a filter finds in whatever its scope looks at first. */
const find = (filter: Filter, metrics: Metrics, limits: Limits): Finding => {
  if (filter.scope === "trajectory") return filter.fails(metrics.trajectory, limits);
  if (filter.scope === "context") return filter.fails(metrics, limits);
  if (filter.scope === "block") return metrics.blocks.map((block) => filter.fails(block, limits)).find((found) => found !== null) ?? null;
  const sample = metrics.segments[0];
  if (sample === undefined) throw new Error("no sample to judge");
  return filter.fails(sample, limits);
};

test("the good trajectory passes every filter under the default limits", () => {
  for (const filter of Object.values<Filter>(filters)) expect(find(filter, good, defaults)).toBeNull();
});

test("every filter has a case here, and a name of its own in kebab-case", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(filters).sort());
  for (const name of Object.keys(filters)) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(new Set(Object.values(filters)).size).toBe(Object.keys(filters).length);
});

describe.each(Object.entries(cases) as [FilterName, Case][])("filter %s", (name, { change, limits, passes, fails, off }) => {
  const filter: Filter = filters[name];
  const all = { ...defaults, ...limits };

  test("passes up to its bound", () => {
    for (const value of passes) expect(find(filter, change(value), all), String(value)).toBeNull();
  });

  test("fails right beyond it, and says what it saw and which limit it holds", () => {
    for (const value of fails) {
      const found = find(filter, change(value), all);
      expect(found, String(value)).not.toBeNull();
      expect(Failure.parse({ filter: name, block: null, action: "flag", ...found }).value).toEqual(
        Array.isArray(value) ? value.join(" ") : value,
      );
    }
  });

  test(off === null ? "is always on" : "is off when its limit is", () => {
    for (const value of [...passes, ...fails]) if (off !== null) expect(find(filter, change(value), { ...all, ...off })).toBeNull();
    if (off === null) for (const value of fails) expect(find(filter, change(value), { ...all, ...allOff })).not.toBeNull();
  });

  test("names the one threshold of the recipe that switches it off", () => {
    expect(filter.limit === null ? null : [filter.limit]).toEqual(off === null ? null : Object.keys(off));
    if (filter.limit !== null) expect(Object.keys(FilterRecipe.shape)).toContain(filter.limit);
  });

  test("may do what its scope allows, rejects by default, and cannot be flagged when it is always on", () => {
    const [first, ...rest] = allowedActions(filter);
    expect(first).toMatch(/^reject-/);
    expect(rest.includes("flag")).toBe(filter.limit !== null);
    expect(actionOf(name, filter, {})).toBe(first);
    for (const action of allowedActions(filter)) {
      expect(actionOf(name, filter, { [name]: action })).toBe(action);
      expect(actionProblems({ [name]: action })).toEqual([]);
    }
    expect(actionOf(name, filter, { others: "flag" })).toBe(filter.limit === null ? first : "flag");
    expect(actionOf(name, filter, { others: "flag", [name]: first ?? "flag" })).toBe(first);
    for (const action of FilterAction.options.filter((one) => !allowedActions(filter).includes(one)))
      expect(actionProblems({ [name]: action })).toEqual([{ name, allowed: allowedActions(filter) }]);
  });

  test("changes nothing and says the same again", () => {
    const metrics = change(fails[0] ?? null);
    const before = JSON.stringify(metrics);
    expect(find(filter, metrics, all)).toEqual(find(filter, metrics, all));
    expect(JSON.stringify(metrics)).toBe(before);
  });
});

/** Every limit that can be switched off, switched off. */
const allOff: Partial<Limits> = Object.assign({}, ...Object.values(cases).map((one) => one.off ?? {}));

describe("filters that know two moods", () => {
  test("`not-failed` lets unknown outcomes pass, and only those", () => {
    const outcome = (resolved: boolean | null): Finding =>
      find(filters.unresolved, trajectory("resolved")(resolved), { ...defaults, outcome: "not-failed" });
    expect([outcome(true), outcome(null), outcome(false)]).toEqual([null, null, { value: false, limit: "not-failed" }]);
  });

  test("a trajectory rejected upstream is not also blamed for having no calls", () => {
    const rejected = {
      ...good,
      blocks: [],
      segments: [],
      condensations: [],
      trajectory: { ...good.trajectory, rejectedBy: "detect: window-exceeded" },
    };
    const failing = Object.entries<Filter>(filters).filter(
      ([, filter]) => filter.scope === "context" && filter.fails(rejected, defaults) !== null,
    );
    expect(failing.map(([name]) => name)).toEqual(["rejected-upstream"]);
  });
});
