import { sameFile } from "../../lib/commands/actions.ts";
import { folderOf } from "../../lib/commands/files.ts";
import { someOf } from "../evidence.ts";
import { changedFiles, type StepFacts } from "../facts.ts";
import { nothing, type Said, type WholeSignal } from "./signal.ts";

/** Steps that read or change files, on either side of the cut, whose files are compared. Our choice: fewer are a glance, more a phase. */
const before = 4;
const after = 3;
/** Of several such cuts within so many steps only the best speaks: the work moves once. */
const apart = 3;

interface Touch {
  readonly number: number;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** What a step reads or changes; the whole repository (`grep -r x .`) is no working set, and neither is a script that is only run. */
const touchesOf = (steps: readonly StepFacts[]): Touch[] =>
  steps.flatMap((step) => {
    const { number, actions } = step;
    const files = [...new Set([...changedFiles(step), ...actions.flatMap((action) => action.reads)])]
      .filter((file) => /\w/.test(file))
      .slice(0, 20);
    return files.length === 0 ? [] : [{ number, files, folders: files.map(folderOf) }];
  });

const shareFile = (left: Touch, right: Touch): boolean => left.files.some((file) => right.files.some((other) => sameFile(file, other)));
const shareFolder = (left: Touch, right: Touch): boolean => left.folders.some((folder) => right.folders.includes(folder));
const anyShare = (some: readonly Touch[], others: readonly Touch[], share: (left: Touch, right: Touch) => boolean): boolean =>
  some.some((one) => others.some((other) => share(one, other)));

/** Do the touches hang together: does at least half of them share a file with another? */
const coherent = (touches: readonly Touch[]): boolean =>
  2 * touches.filter((touch) => touches.some((other) => other !== touch && shareFile(touch, other))).length >= touches.length;

const filesOf = (touches: readonly Touch[]): string => someOf([...new Set(touches.flatMap((touch) => touch.files))]);

/** `at` is the cut, right before the first step of the new set. */
interface Move extends Said {
  readonly at: number;
}
function moveAt(touches: readonly Touch[], index: number): Move | null {
  const past = touches.slice(Math.max(0, index - before), index);
  const ahead = touches.slice(index, index + after);
  const [next] = ahead;
  const [first] = past;
  if (next === undefined || first === undefined || past.length < before || ahead.length < 2) return null;
  if (anyShare(ahead, past, shareFile) || !coherent(past)) return null;
  return {
    at: next.number - 1,
    score: (anyShare(ahead, past, shareFolder) ? 0.6 : 1) * (coherent(ahead) ? 1 : 0.5),
    evidence: [
      `steps ${first.number} to ${next.number - 1} read or change ${filesOf(past)}`,
      `steps ${next.number} to ${ahead.at(-1)?.number} ${filesOf(ahead)}`,
    ],
  };
}

/**
 * The work moves to other files: none of the next three steps that read or change files touches one of the last four, which belong together
 * (at least half of them share a file with another). 1 when the folders differ, too, 0.6 when they do not; half of it when the next ones do
 * not belong together, since looking around touches another file at every step; else 0. The best of three steps alone speaks. Needs
 * hindsight: only what is touched next tells. Source: CAT 2.4 (1), structural boundaries.
 */
export const workingSetChange: WholeSignal = {
  family: "boundary",
  sees: "whole",
  survey: (_setting, steps) => {
    const touches = touchesOf(steps);
    const found = new Map<number, Move>();
    let last: Move | null = null;
    for (const index of touches.keys()) {
      const move = moveAt(touches, index);
      if (move === null) continue;
      const rival = last !== null && move.at - last.at < apart ? last : null;
      if (rival !== null && rival.score >= move.score) continue;
      if (rival !== null) found.delete(rival.at);
      found.set(move.at, move);
      last = move;
    }
    return (cut) => {
      const move = found.get(cut);
      return move === undefined ? nothing : { score: move.score, evidence: move.evidence };
    };
  },
};
