import type { Trajectory } from "../../../schemas/trajectory.ts";
import { type Action, type AnsweredCall, actionsOf } from "../../lib/commands/actions.ts";
import { type Work, workReader } from "../../lib/commands/work.ts";
import type { Seen } from "../measures/measure.ts";

/** A call with what it did. */
export interface Done {
  /** Place of its step, from 0. */
  readonly step: number;
  readonly call: AnsweredCall;
  readonly action: Action;
}

/** What a measure counts: a call, or a step as a whole. */
export interface Place {
  readonly step: number;
  readonly call: AnsweredCall | null;
}

/** A step as it was taken; that of a trajectory, or the same under the persona. */
export interface TakenStep {
  readonly feedback: readonly string[];
  readonly done: readonly Done[];
  readonly work: Work;
}

/** How a run was conducted: what several measures ask, worked out once. */
export interface Conduct {
  readonly trajectory: Trajectory;
  readonly steps: readonly TakenStep[];
  /** All calls in order. */
  readonly done: readonly Done[];
}

/** Some models put a file's name into quotes of its own, as if the tool were a shell: `"\"test_a.py\""`. */
const bare = (path: string): string => /^(["'])(.{1,1000})\1$/.exec(path)?.[2] ?? path;
const isQuoted = (path: string): boolean => bare(path) !== path;
function unquoted(action: Action): Action {
  const { files, reads, removes, runs } = action;
  if (![...files, ...reads, ...removes, ...runs].some(isQuoted)) return action;
  return { ...action, files: files.map(bare), reads: reads.map(bare), removes: removes.map(bare), runs: runs.map(bare) };
}

/** What conduct is read from. */
export type ConductSeen = Pick<Seen, "trajectory" | "rendered">;
const known = new WeakMap<ConductSeen, Conduct>();

/** Calls are taken as the persona renders them where it can, since the memory checks read the same ones, and each is read once. */
export function conductOf(seen: ConductSeen): Conduct {
  const there = known.get(seen);
  if (there !== undefined) return there;
  const work = workReader();
  const steps = (seen.rendered ?? seen.trajectory).steps.map(({ calls, feedback }, step): TakenStep => {
    const actions = actionsOf({ calls }).map(unquoted);
    const done = actions.flatMap((action, index): Done[] => {
      const call = calls[index];
      return call === undefined ? [] : [{ step, call, action }];
    });
    return { feedback, done, work: work(actions) };
  });
  const made = { trajectory: seen.trajectory, steps, done: steps.flatMap(({ done }) => done) };
  known.set(seen, made);
  return made;
}

/** Does the call act on its surroundings? Thinking and handing in do not, so they neither work nor fail. */
export const acts = ({ action }: Done): boolean => action.kind !== "think" && action.kind !== "submit";

/** Four digits are what a threshold can tell apart, and keep rows short. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : Math.round((part / whole) * 1e4) / 1e4);
