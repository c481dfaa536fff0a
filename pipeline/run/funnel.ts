import type { Verdict } from "../../schemas/verdict.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { readAllBundles } from "./bundles.ts";

export interface JudgedShort {
  readonly judged: number;
  /** Trajectories whose context management is kept: those that give segments. */
  readonly kept: number;
  /** Trajectories by filter that rejects something, and by filter that only flags; one may be in several. */
  readonly rejecting: ReadonlyMap<string, number>;
  readonly flagging: ReadonlyMap<string, number>;
}

/** The funnel in one line, from the verdict rows alone: what a run says at its end. `stats` has the whole. */
export async function judgedShort(run: RunFolder): Promise<JudgedShort> {
  const [rejecting, flagging] = [new Map<string, number>(), new Map<string, number>()];
  let judged = 0;
  let kept = 0;
  const names = ({ trajectory, context }: Verdict, flagged: boolean): Set<string> =>
    new Set([...trajectory.failed, ...context.failed].flatMap(({ filter, action }) => ((action === "flag") === flagged ? [filter] : [])));
  const count = (counts: Map<string, number>, of: Set<string>): void => {
    for (const name of of) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for await (const { verdict } of readAllBundles(run, ["verdict"])) {
    if (verdict?.outcome.ok !== true) continue;
    judged += 1;
    if (verdict.outcome.value.context.keep) kept += 1;
    count(rejecting, names(verdict.outcome.value, false));
    count(flagging, names(verdict.outcome.value, true));
  }
  const frequentFirst = (counts: Map<string, number>) => new Map([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
  return { judged, kept, rejecting: frequentFirst(rejecting), flagging: frequentFirst(flagging) };
}

const listed = (what: string, counts: ReadonlyMap<string, number>): string =>
  counts.size === 0 ? "" : `; ${what}: ${[...counts].map(([name, count]) => `${name} ${count}`).join(", ")}`;

export const judgedText = ({ judged, kept, rejecting, flagging }: JudgedShort): string =>
  judged === 0
    ? ""
    : `kept:   ${kept} of ${judged} trajectories give segments${listed("filters that fail", rejecting)}${listed("flagged only", flagging)}`;
