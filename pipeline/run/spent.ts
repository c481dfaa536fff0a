import type { Spent } from "../../schemas/funnel.ts";
import { readLedger } from "../llm/ledger.ts";
import { ledgerFolder, type RunFolder } from "../store/run-folder.ts";

/** What the run's ledger says. */
export async function spentBy(run: RunFolder): Promise<Spent> {
  const { calls, tokensIn, tokensOut, cost } = await readLedger(ledgerFolder(run));
  return { calls, tokensIn, tokensOut, cost };
}
