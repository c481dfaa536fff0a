import type { Metrics } from "../../schemas/metrics.ts";
import { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import { DetectRecipe } from "../../schemas/recipe/detect.ts";
import { ThresholdRecipe } from "../../schemas/recipe/filter.ts";
import type { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";
import type { Detection, Memory, Workspace } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { Verdict } from "../../schemas/verdict.ts";
import { condense } from "../../stages/condense/condense.ts";
import { detect } from "../../stages/detect/detect.ts";
import { judge } from "../../stages/filter/judge.ts";
import { measure } from "../../stages/filter/measure.ts";
import { requestVersion } from "../../stages/lib/request-version.ts";
import { type Outcome, type Ports, rejected } from "../../stages/stage.ts";
import { stitch } from "../../stages/stitch/stitch.ts";

export interface ChainParams {
  readonly persona: PersonaRecipe;
  readonly window: Partial<WindowRecipe>;
  readonly detect: Partial<DetectRecipe>;
  readonly condense: Partial<CondenseRecipe>;
  readonly filter: Partial<ThresholdRecipe>;
}

export interface Chain {
  readonly detection: Outcome<Detection>;
  readonly memory: Outcome<Memory>;
  readonly workspace: Outcome<Workspace>;
  readonly metrics: Metrics;
  readonly verdict: Verdict;
}

const failed = (stage: string, outcome: Outcome<unknown>): Outcome<never> =>
  rejected(outcome.ok ? "" : outcome.why.includes(": ") ? outcome.why : `${stage}: ${outcome.why}`);

/** Stages 2 to 5 on one trajectory, as the runner chains them: a rejection is passed on with the name of its stage. */
export async function runChain(trajectory: Trajectory, params: ChainParams, ports: Ports): Promise<Chain> {
  const { persona } = params;
  const window = WindowRecipe.parse(params.window);
  const sizes = CondenseRecipe.parse({ condenser: "llm", ...params.condense });
  const condenser = sizes.condenser === "extractive" ? "extractive" : "llm";
  const { memoryBaseTokens, memoryShare, memoryCapTokens } = sizes;
  const memorySize = { memoryBaseTokens, memoryShare, memoryCapTokens };
  const detection = await detect.run(
    { trajectory },
    detect.params.parse({ persona, window, detect: DetectRecipe.parse(params.detect), memory: memorySize }),
    ports,
  );
  const { tokens, replyTokens } = window;
  const condenseParams = condense.params.parse({
    persona,
    window: { tokens, replyTokens },
    condense: { ...sizes, condenser, thought: "template" },
    endpoint: null,
    requestVersion,
  });
  const memory = detection.ok
    ? await condense.run({ trajectory, detection: detection.value }, condenseParams, ports)
    : failed("detect", detection);
  const workspace = memory.ok
    ? await stitch.run({ trajectory, memory: memory.value }, stitch.params.parse({}), ports)
    : failed("condense", memory);
  const measureParams = measure.params.parse({
    persona,
    replyTokens,
    condense: { memoryBaseTokens, memoryShare, memoryCapTokens },
    baseTools: "with-context",
  });
  const measured = await measure.run({ trajectory, memory, workspace }, measureParams, ports);
  if (!measured.ok) throw new Error(`measure rejects: ${measured.why}`);
  const judged = await judge.run(
    { metrics: measured.value },
    judge.params.parse({ filter: ThresholdRecipe.parse(params.filter), windowTokens: tokens }),
    ports,
  );
  if (!judged.ok) throw new Error(`judge rejects: ${judged.why}`);
  return { detection, memory, workspace, metrics: measured.value, verdict: judged.value };
}

/** Filters that let everything pass which the window lets pass. */
export const lenient: Partial<ThresholdRecipe> = {
  outcome: null,
  exits: null,
  allowPreCondensed: true,
  maxSteps: null,
  minContextCalls: null,
  maxContextCalls: null,
  minFoldTokens: null,
  minFoldRatio: null,
  maxFoldRatio: null,
  maxUngroundedShare: null,
  maxUntrueStates: null,
  maxLostFailures: null,
};
