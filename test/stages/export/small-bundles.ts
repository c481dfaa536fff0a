import { createHash } from "node:crypto";
import { loadTokenizer } from "../../../pipeline/adapters/tokenizer.ts";
import { type Recipe, Recipe as RecipeSchema } from "../../../schemas/recipe.ts";
import type { Block, Memory, Writer } from "../../../schemas/sidecars.ts";
import type { Step, Trajectory } from "../../../schemas/trajectory.ts";
import type { ExportBundle } from "../../../stages/export/export.ts";
import type { LayoutPorts } from "../../../stages/export/layouts/layout.ts";
import { ExportParams } from "../../../stages/export/params.ts";
import { judgeMetrics } from "../../../stages/filter/judge.ts";
import { measure } from "../../../stages/filter/measure.ts";
import { MeasureParams } from "../../../stages/filter/measure-outline.ts";
import { noEvaluationSets } from "../../../stages/lib/contamination/contamination.ts";
import { memorySections } from "../../../stages/lib/memory-text.ts";
import { ok, type Ports, rejected } from "../../../stages/stage.ts";
import { cutSegments } from "../../../stages/stitch/stitch.ts";

const tokenizer = loadTokenizer("qwen2.5");

export const ports: Ports & LayoutPorts = {
  encode: (text) => tokenizer.encode(text),
  complete: () => Promise.reject(new Error("no model here")),
  countTokens: (text) => tokenizer.count(text),
  digest: (text) => createHash("sha256").update(text).digest("hex"),
  evaluationSets: async () => noEvaluationSets,
};

/** Thresholds that small runs pass; the rest is as shipped. */
export const smallRecipe = (
  changes: { export?: Record<string, unknown>; persona?: Record<string, unknown>; window?: Record<string, unknown> } = {},
): Recipe =>
  RecipeSchema.parse({
    filter: { outcome: null, exits: null, minFoldTokens: null, minFoldRatio: null, maxFoldRatio: null, minContextCalls: 0 },
    export: { training: { globalBatch: 4 }, baseOutcome: null, ...changes.export },
    persona: { ...changes.persona },
    window: { keepSteps: 1, ...changes.window },
  });

export const paramsOf = (recipe: Recipe): ExportParams =>
  ExportParams.parse({
    persona: recipe.persona,
    window: recipe.window,
    condense: recipe.condense,
    filter: recipe.filter,
    export: recipe.export,
    seed: recipe.run.seed,
  });

const bash = (thought: string, command: string, result: string | null): Step => ({
  thought,
  reasoning: null,
  calls: [{ id: null, name: "execute_bash", arguments: JSON.stringify({ command }), result, exitCode: null, failed: null }],
  feedback: [],
});

const steps: readonly Step[] = [
  bash("Let me look around.", "ls -la", "README.md\nsrc"),
  bash("", "cat src/core.py", 'def run(x):\n    return "<b>&\'é" if x else 1.0'),
  { thought: "I am not sure yet.", reasoning: null, calls: [], feedback: ["Please go on and use a tool."] },
  bash("The argument is never checked [[1]]", "sed -i 's/x/y/' src/core.py", ""),
  {
    ...bash("Two calls at once.", "git diff", "- x\n+ y"),
    calls: [...bash("", "git diff", "- x\n+ y").calls, ...bash("", "python -m pytest -q", "1 failed, 4 passed\u2028").calls],
  },
  bash("Fix it again.", "sed -i 's/y/z/' src/core.py", "ok"),
  bash("All tests pass now.", "python -m pytest -q", "5 passed"),
  {
    thought: "Done.",
    reasoning: null,
    calls: [{ id: null, name: "submit", arguments: "{}", result: null, exitCode: null, failed: null }],
    feedback: [],
  },
];

export interface SmallRun {
  readonly instance?: string;
  readonly repository?: string | null;
  readonly licence?: string | null;
  readonly model?: string;
  readonly resolved?: boolean | null;
  readonly steps?: readonly Step[];
  /** In place of one made from the fields above. */
  readonly trajectory?: Trajectory;
  readonly writer?: "llm" | "extractive";
  /** `[cut, keptFrom]` of each block; null: stage 3 rejected the trajectory. */
  readonly cuts?: readonly (readonly [number, number])[] | null;
}

export function smallTrajectory(run: SmallRun = {}): Trajectory {
  const instance = run.instance ?? "django__django-11019";
  return {
    format: "catgen.trajectory/1",
    id: `small/${instance}/${ports.digest(JSON.stringify(run)).slice(0, 12)}`,
    source: "small",
    instance,
    origin: {
      dialect: "small",
      file: "small.jsonl",
      record: null,
      digest: ports.digest(instance),
      licence: run.licence === undefined ? "MIT" : run.licence,
      model: run.model ?? "some-model",
      callStyle: "native",
    },
    task: {
      system: null,
      prompt: `Fix run() in src/core.py of ${instance}.`,
      issue: null,
      workdir: "/testbed",
      repository: run.repository ?? null,
      tools: [],
    },
    steps: [...(run.steps ?? steps)],
    outcome: {
      resolved: run.resolved === undefined ? true : run.resolved,
      evidence: run.resolved === null ? null : { kind: "row", detail: "small", digest: null },
      exit: "submitted",
      rawExit: null,
      patch: null,
    },
    marks: [],
  };
}

const modelWriter = {
  condenser: "llm",
  model: "big-model",
  transport: "text",
  attempt: 0,
  candidates: 1,
  taken: 0,
  pieces: 1,
  thought: { by: "template", why: null },
} as const satisfies Partial<Writer>;

const blockAt = (cut: number, keptFrom: number, writer: "llm" | "extractive"): Block => ({
  cut,
  keptFrom,
  thought: `Enough for step ${cut}; I will condense.`,
  memory: memorySections.map(({ title }) => `## ${title}\n- as of step ${keptFrom}`).join("\n"),
  writer: writer === "llm" ? { ...modelWriter, repairs: [], request: ports.digest(String(cut)) } : { condenser: "extractive", version: 1 },
  judged: null,
});

/** A trajectory with everything that export reads, made by the real stitch, measure and judge. */
export async function smallBundle(recipe: Recipe, run: SmallRun = {}): Promise<ExportBundle> {
  const trajectory = run.trajectory ?? smallTrajectory(run);
  const cuts =
    run.cuts === undefined
      ? ([
          [3, 2],
          [6, 5],
        ] as const)
      : run.cuts;
  const memory: Memory | null =
    cuts === null ? null : { blocks: cuts.map(([cut, keptFrom]) => blockAt(cut, keptFrom, run.writer ?? "llm")) };
  const workspace = memory === null ? null : cutSegments(trajectory.steps.length, memory);
  const params = MeasureParams.parse({
    persona: recipe.persona,
    replyTokens: recipe.window.replyTokens,
    condense: {
      memoryBaseTokens: recipe.condense.memoryBaseTokens,
      memoryShare: recipe.condense.memoryShare,
      memoryCapTokens: recipe.condense.memoryCapTokens,
    },
    baseTools: recipe.export.baseTools,
  });
  const parts = {
    memory: memory === null ? rejected("condense: memory-empty") : ok(memory),
    workspace: workspace === null ? rejected("condense: memory-empty") : ok(workspace),
  };
  const measured = await measure.run({ trajectory, ...parts }, params, ports);
  if (!measured.ok) throw new Error(measured.why);
  const verdict = judgeMetrics(measured.value, { ...recipe.filter, windowTokens: recipe.window.tokens });
  return { trajectory, memory, workspace, metrics: measured.value, verdict, leftOut: null };
}

/** A handful of runs of several repositories, one without memories. */
export async function smallBundles(recipe: Recipe, repositories = 6): Promise<ExportBundle[]> {
  const bundles: ExportBundle[] = [];
  for (let index = 0; index < repositories; index += 1) {
    const instance = `owner${index}__repo${index}-${100 + index}`;
    bundles.push(await smallBundle(recipe, { instance, licence: index % 2 === 0 ? "MIT" : null, resolved: index === 0 ? null : true }));
    bundles.push(
      await smallBundle(recipe, {
        instance: `other-${index}`,
        repository: `owner${index}/repo${index}`,
        writer: "extractive",
        cuts: [[4, 3]],
      }),
    );
  }
  return [...bundles, await smallBundle(recipe, { instance: "without-memory", cuts: null })];
}

export const arrayOf = <T>(items: readonly T[]): (() => AsyncIterable<T>) =>
  async function* () {
    yield* items;
  };
