import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { CallRate } from "../../schemas/run-plan.ts";
import { type Measured, measuredCalls, together } from "../llm/rate.ts";
import { readEndpoint } from "../run/remembered-endpoint.ts";
import { ledgerFolder } from "../store/run-folder.ts";
import type { PlanPlace } from "./place.ts";

/** A guess until calls are measured: a reply of 1,500 tokens at 50 tokens/s. Our choice; `run --plan` says that it is one. */
const assumedSecondsPerCall = 30;

/** Calls with these labels in this run; without any, in the runs beside it that used the same endpoint. */
export async function measuredHere(
  place: PlanPlace,
  prefixes: readonly string[],
): Promise<{ from: "this-run" | "other-runs"; measured: Measured } | null> {
  const own = await measuredCalls(ledgerFolder(place.run), prefixes);
  if (own.calls > 0) return { from: "this-run", measured: own };
  const { baseUrl, model } = place.settled.endpoint;
  let others: Measured | null = null;
  for (const name of await readdir(place.runsFolder).catch(() => [])) {
    const root = join(place.runsFolder, name);
    if (name === basename(place.run.root)) continue;
    const endpoint = await readEndpoint(root);
    if (endpoint === null || endpoint.baseUrl !== baseUrl || endpoint.model !== model) continue;
    const found = await measuredCalls(ledgerFolder({ name, root, shards: 0, verdict: null }), prefixes);
    others = others === null ? found : together(others, found);
  }
  return others === null || others.calls === 0 ? null : { from: "other-runs", measured: others };
}

/** Calls per second to reckon with: measured, else what so many calls at once would come to if each took as long as assumed. */
export function rateOf(concurrency: number, known: Awaited<ReturnType<typeof measuredHere>>): CallRate {
  if (known === null)
    return {
      basis: "assumed",
      concurrency,
      callsPerSecond: concurrency / assumedSecondsPerCall,
      secondsPerCall: assumedSecondsPerCall,
    };
  const { calls, busySeconds, callSeconds } = known.measured;
  const seconds = Math.max(busySeconds, 0.001); // a ledger counts whole milliseconds, and a fake endpoint may need none
  return {
    basis: "measured",
    from: known.from,
    calls,
    callsPerSecond: calls / seconds,
    secondsPerCall: callSeconds / calls,
    inFlight: callSeconds / seconds,
  };
}
