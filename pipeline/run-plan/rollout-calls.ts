import type { RolloutsFile } from "../../schemas/rollouts.ts";
import type { ModelPlan, StepPlan } from "../../schemas/run-plan.ts";
import { loadTaskLists } from "../contamination/load.ts";
import { agentKind } from "../rollout/agent.ts";
import { readRollouts } from "../rollout/records.ts";
import { survey } from "../rollout/run-rollouts.ts";

import { type Need, priced } from "./model-plan.ts";
import type { PlanPlace } from "./place.ts";
import { measuredHere } from "./rate.ts";

/** Labels of a live run's calls: `rollout:<instance>:<sample>:<turn>`. */
const labels = ["rollout:"];

/**
 * What is reckoned with before anything was measured. Calls: mean steps of CAT's Table 1. Tokens per call: means over 115 real
 * trajectories of 14 formats under the persona `keep`, each call with the whole past (20,397 and 208).
 */
const assumed = { callsPerRun: 87.4, promptTokens: 20_400, replyTokens: 208 };

interface Shape {
  readonly callsPerRun: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly assumptions: readonly string[];
}

async function shapeOf(place: PlanPlace, finished: RolloutsFile["finished"]): Promise<Shape> {
  const runs = Object.values(finished);
  const known = await measuredHere(place, labels);
  const steps = runs.length === 0 ? assumed.callsPerRun : runs.reduce((sum, run) => sum + run.steps, 0) / runs.length;
  const tokens =
    known === null
      ? assumed
      : { promptTokens: known.measured.tokensIn / known.measured.calls, replyTokens: known.measured.tokensOut / known.measured.calls };
  return {
    callsPerRun: steps,
    promptTokens: tokens.promptTokens,
    replyTokens: tokens.replyTokens,
    assumptions: [
      runs.length === 0
        ? `no live run is finished yet: ${assumed.callsPerRun} calls per run, the mean of CAT's Table 1`
        : `${steps.toFixed(1)} calls per run, the mean of the ${runs.length} finished here`,
      known === null
        ? `no call is measured yet: ${assumed.promptTokens} prompt and ${assumed.replyTokens} reply tokens per call, means over real trajectories`
        : `${Math.round(tokens.promptTokens)} prompt and ${Math.round(tokens.replyTokens)} reply tokens per call, the mean of ${known.measured.calls} measured`,
    ],
  };
}

/** A live run has one call in flight at a time. */
function needOf({ settled }: PlanPlace, missing: number, shape: Shape): Need {
  const { rollout } = settled.recipe.generate;
  const { tokens: windowTokens, replyTokens } = settled.recipe.window;
  const calls = missing * shape.callsPerRun;
  const most = missing * rollout.maxSteps;
  return {
    units: { of: "live-run", missing, cached: 0, unknownRows: 0 },
    calls: { certain: missing, expected: Math.round(calls), atMost: most },
    promptTokens: { expected: calls * shape.promptTokens, atMost: most * (windowTokens - replyTokens) },
    replyTokens: { expected: calls * shape.replyTokens, atMost: most * replyTokens },
    concurrency: Math.min(settled.endpoint.concurrency, rollout.atOnce),
    assumptions: [...shape.assumptions, "what the reply cache holds of runs that were cut off is not deducted"],
  };
}

/** Stage 1 live: tasks, runs that are missing, and what the agent's model would be asked for them. */
export async function planRollouts(
  place: PlanPlace,
  paths: readonly string[],
  limit: number | null,
): Promise<{ tasks: NonNullable<StepPlan["tasks"]>; model: ModelPlan | null }> {
  const { run, settled } = place;
  const lists = await loadTaskLists(settled.recipe);
  const complete = async (): Promise<never> => {
    throw new Error("a plan asks no model");
  };
  const { account } = await survey(run, { paths, limit }, { settled, lists, complete }, await readRollouts(run), null);
  const finished = Object.keys(account.finished).length;
  const missing = account.wanted - finished;
  const tasks = { tasks: account.tasks, wanted: account.wanted, finished, leftOut: account.leftOut.length };
  if (missing === 0 || agentKind(settled) !== "llm") return { tasks, model: null };
  return { tasks, model: await priced(place, labels, needOf(place, missing, await shapeOf(place, account.finished))) };
}
