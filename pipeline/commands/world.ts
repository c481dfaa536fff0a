import { faultCodes } from "../../schemas/fault.ts";
import { asksModel, type Settled } from "../keys.ts";
import type { RunContext } from "../run/context.ts";
import { openWorld } from "../run/world.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { type CommonOptions, cacheFolder, progressFor, runsFolder } from "./shared.ts";

/** Ctrl-C drains; a second one ends at once, which loses nothing but what is in flight. */
export function drainOnSignals(say: (line: string) => void): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(faultCodes.DRAINED.exit);
    say(`${name}: finishing what is in flight; press Ctrl-C again to stop at once`);
    controller.abort();
  };
  const names = ["SIGINT", "SIGTERM", "SIGUSR1"] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

/** Opens everything a step works with, lets `work` use it, and closes it whatever happens. */
export async function withWorld<T>(
  run: RunFolder,
  settled: Settled,
  options: CommonOptions & { readonly jobs: number | undefined },
  work: (context: RunContext) => Promise<T>,
): Promise<T> {
  const progress = progressFor(options);
  const drain = drainOnSignals((text) => progress.say(text));
  const world = await openWorld(run, settled, cacheFolder(runsFolder(options.runs)), drain.signal);
  try {
    const recordsAtOnce = asksModel(settled) ? settled.endpoint.concurrency : 1;
    return await work({ run, settled, ports: world.ports, progress, signal: drain.signal, jobs: options.jobs ?? null, recordsAtOnce });
  } finally {
    drain.stop();
    await world.close();
  }
}
