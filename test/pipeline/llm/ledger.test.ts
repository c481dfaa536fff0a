import { appendFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LedgerTotals, noCalls, readLedger } from "../../../pipeline/llm/ledger.ts";
import { ask, bench, tempFolder } from "./harness.ts";

const price = { inputPerMillion: 1_000_000, outputPerMillion: 2_000_000 };

test("a run that asked nothing has spent nothing", async () => {
  expect(await readLedger(join(await tempFolder(), "not there"))).toEqual(noCalls);
});

test("what is read back is what was counted, over all processes of the run", async () => {
  const { open, folder, server } = await bench();
  const first = await open({ price });
  await first.complete(ask("hello"));
  server.script({ kind: "html" });
  await first.complete(ask("world"));
  await first.close();
  const second = await open({ price });
  await second.complete(ask("hello"));
  await second.complete(ask("third"));
  await second.close();
  expect((await readdir(join(folder, "ledger"))).length).toBe(2);
  const totals = LedgerTotals.parse(await readLedger(join(folder, "ledger")));
  expect(totals).toEqual(second.totals());
  // three good replies of 2 + 5 tokens, and an HTML page whose prompt is estimated at 8 + 2
  expect(totals).toMatchObject({ calls: 4, cached: 1, tokensIn: 16, tokensOut: 15, unpriced: 0, badLines: 0 });
  expect(totals.cost).toEqual({ amount: 16 + 2 * 15, currency: "USD" });
});

test("without a price no cost is stated", async () => {
  const { open } = await bench();
  const backbone = await open();
  await backbone.complete(ask("hello"));
  await backbone.close();
  expect(backbone.totals()).toMatchObject({ calls: 1, cost: null, unpriced: 1 });
});

test("bad lines are counted and the others still read", async () => {
  const { open, folder } = await bench();
  const backbone = await open();
  await backbone.complete(ask("hello"));
  await backbone.close();
  const ledger = join(folder, "ledger");
  const [name] = await readdir(ledger);
  await appendFile(join(ledger, name ?? ""), '{"time":"2026\n{"calls":-1}\n{"time":"torn');
  expect(await readLedger(ledger)).toMatchObject({ calls: 1, badLines: 3 });
});
