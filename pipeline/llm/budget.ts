import { Fault } from "../../schemas/fault.ts";
import type { EndpointSettings } from "./endpoint.ts";
import type { Halt } from "./halt.ts";
import type { LedgerTotals } from "./ledger.ts";

/** What an attempt may cost: prompt estimate and reply limit. */
interface Need {
  readonly tokens: number;
  readonly money: number;
}

export interface Budget {
  /** False when nothing limits spending: then nobody needs to count a prompt. */
  readonly limited: boolean;
  /**
   * Waits while calls in flight hold what is left, throws `BUDGET_SPENT` when it is not there at all. Returns the release, to be
   * called once the ledger knows what the attempt really cost. Only a wrong prompt estimate can overshoot, by its error per call.
   */
  reserve(tokensIn: number, tokensOut: number): Promise<() => void>;
}

type Costing = Pick<EndpointSettings, "budget" | "price">;

export function createBudget(settings: Costing, totals: () => LedgerTotals, halt: Halt): Budget {
  const { tokens, money } = settings.budget;
  const held = { tokens: 0, money: 0 };
  let wakeUps: (() => void)[] = [];
  const wake = (): void => {
    for (const up of wakeUps) up();
    wakeUps = [];
  };
  halt.signal.addEventListener("abort", wake, { once: true });
  const fits = (need: Need, others: Need): boolean =>
    (tokens === null || spentTokens(totals()) + others.tokens + need.tokens <= tokens) &&
    (money === null || (totals().cost?.amount ?? 0) + others.money + need.money <= money);
  return {
    limited: tokens !== null || money !== null,
    async reserve(tokensIn, tokensOut) {
      const need = { tokens: tokensIn + tokensOut, money: costOf(settings, tokensIn, tokensOut)?.amount ?? 0 };
      for (;;) {
        halt.check();
        if (!fits(need, { tokens: 0, money: 0 })) throw spent(settings, totals(), need);
        if (fits(need, held)) break;
        await new Promise<void>((resolve) => wakeUps.push(resolve));
      }
      return hold(held, need, wake);
    },
  };
}

function hold(held: { tokens: number; money: number }, need: Need, wake: () => void): () => void {
  held.tokens += need.tokens;
  held.money += need.money;
  return () => {
    held.tokens -= need.tokens;
    held.money -= need.money;
    wake();
  };
}

/** Null when the price is unknown. */
export function costOf({ budget, price }: Costing, tokensIn: number, tokensOut: number): { amount: number; currency: string } | null {
  if (price === null) return null;
  return { amount: (tokensIn * price.inputPerMillion + tokensOut * price.outputPerMillion) / 1_000_000, currency: budget.currency };
}

const spentTokens = (totals: LedgerTotals): number => totals.tokensIn + totals.tokensOut;

function spent({ budget }: Costing, totals: LedgerTotals, need: Need): Fault {
  const tokens =
    budget.tokens === null ? "" : ` ${spentTokens(totals)} of ${budget.tokens} tokens spent, the next call may take ${need.tokens};`;
  const money =
    budget.money === null
      ? ""
      : ` ${(totals.cost?.amount ?? 0).toFixed(4)} of ${budget.money} ${budget.currency} spent, the next call may take ${need.money.toFixed(4)};`;
  return new Fault(
    "BUDGET_SPENT",
    "stop",
    `the budget is used up:${tokens}${money} raise llm.budget and run again: what is paid for is kept`,
  );
}
