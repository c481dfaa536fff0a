import type { Verdict } from "../../schemas/verdict.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { readAllBundles } from "./bundles.ts";

export interface Funnel {
  readonly judged: number;
  /** Trajectories whose context management is kept: those that give segments. */
  readonly kept: number;
  /** Trajectories by filter that fails; one may fail several. */
  readonly failed: ReadonlyMap<string, number>;
}

/** What judging keeps and why it does not keep the rest, from the verdict rows. */
export async function funnelOf(run: RunFolder): Promise<Funnel> {
  const failed = new Map<string, number>();
  let judged = 0;
  let kept = 0;
  const names = ({ trajectory, context }: Verdict): Set<string> =>
    new Set([...trajectory.failed, ...context.failed].map(({ filter }) => filter));
  for await (const { verdict } of readAllBundles(run, ["verdict"])) {
    if (verdict?.outcome.ok !== true) continue;
    judged += 1;
    if (verdict.outcome.value.context.keep) kept += 1;
    for (const name of names(verdict.outcome.value)) failed.set(name, (failed.get(name) ?? 0) + 1);
  }
  return { judged, kept, failed: new Map([...failed].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) };
}

export const funnelText = ({ judged, kept, failed }: Funnel): string =>
  judged === 0
    ? ""
    : `kept:   ${kept} of ${judged} trajectories give segments${failed.size === 0 ? "" : `; filters that fail: ${[...failed].map(([name, count]) => `${name} ${count}`).join(", ")}`}`;
