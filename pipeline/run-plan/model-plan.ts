import type { ModelPlan } from "../../schemas/run-plan.ts";
import { costOf } from "../llm/budget.ts";
import { readLedger } from "../llm/ledger.ts";
import { ledgerFolder } from "../store/run-folder.ts";
import type { PlanPlace } from "./place.ts";
import { measuredHere, rateOf } from "./rate.ts";

/** Calls and tokens, before they have a price. */
export interface Need {
  readonly units: ModelPlan["units"];
  readonly calls: ModelPlan["calls"];
  readonly promptTokens: ModelPlan["promptTokens"];
  readonly replyTokens: ModelPlan["replyTokens"];
  /** Calls that may be in flight at once. */
  readonly concurrency: number;
  readonly assumptions: readonly string[];
}

const rounded = ({ expected, atMost }: ModelPlan["promptTokens"]): ModelPlan["promptTokens"] => ({
  expected: Math.round(expected),
  atMost: Math.round(atMost),
});

async function exceedsBudget({ run, settled: { endpoint } }: PlanPlace, tokens: number, money: number | null): Promise<boolean> {
  const { budget } = endpoint;
  if (budget.tokens === null && budget.money === null) return false;
  const spent = await readLedger(ledgerFolder(run));
  return (
    (budget.tokens !== null && spent.tokensIn + spent.tokensOut + tokens > budget.tokens) ||
    (budget.money !== null && money !== null && (spent.cost?.amount ?? 0) + money > budget.money)
  );
}

/** What a need comes to: cost by `llm.price`, hours by the rate of calls whose labels begin with one of `labels`. */
export async function priced(place: PlanPlace, labels: readonly string[], need: Need): Promise<ModelPlan> {
  const { endpoint } = place.settled;
  const [promptTokens, replyTokens] = [rounded(need.promptTokens), rounded(need.replyTokens)];
  const expected = costOf(endpoint, promptTokens.expected, replyTokens.expected);
  const atMost = costOf(endpoint, promptTokens.atMost, replyTokens.atMost);
  const rate = rateOf(need.concurrency, await measuredHere(place, labels));
  const hours = (calls: number): number => calls / rate.callsPerSecond / 3600;
  return {
    endpoint: { baseUrl: endpoint.baseUrl, model: endpoint.model },
    units: need.units,
    calls: need.calls,
    promptTokens,
    replyTokens,
    cost: expected === null || atMost === null ? null : { expected: expected.amount, atMost: atMost.amount, currency: expected.currency },
    rate,
    hours: { expected: hours(need.calls.expected), atMost: hours(need.calls.atMost) },
    exceedsBudget: await exceedsBudget(place, promptTokens.expected + replyTokens.expected, expected?.amount ?? null),
    assumptions: [...need.assumptions],
  };
}
