import type { CheckView } from "./check.ts";
import { type OutcomeClaim, outcomeClaims } from "./claims.ts";
import { type Entity, entitiesOf } from "./entities.ts";
import { linesOfMemory, type MemoryLine } from "./lines.ts";
import { type Deed, deedsOf } from "./runs.ts";
import { type Seen, seenOf, seenText, textsOf } from "./seen.ts";

/** What several checks ask of one view; worked out once. */
export interface Known {
  readonly lines: readonly MemoryLine[];
  readonly entities: readonly Entity[];
  /** Q, the previous memory, the fold and the recent steps: all that a memory may speak of. */
  readonly before: Seen;
  /** Deeds of the fold and the recent steps, in order. */
  readonly deeds: readonly Deed[];
  readonly foldSteps: number;
  readonly previousLines: readonly MemoryLine[];
  readonly previousClaims: readonly OutcomeClaim[];
}

const known = new WeakMap<CheckView, Known>();

export function knownOf(view: CheckView): Known {
  const there = known.get(view);
  if (there !== undefined) return there;
  const lines = linesOfMemory(view.memory);
  const previousLines = view.previousMemory === null ? [] : linesOfMemory(view.previousMemory);
  const made: Known = {
    lines,
    entities: lines.flatMap((line) => entitiesOf(line)),
    before: seenOf([
      seenText(view.task),
      ...(view.previousMemory === null ? [] : [seenText(view.previousMemory)]),
      ...view.fold.flatMap(textsOf),
      ...view.recent.flatMap(textsOf),
    ]),
    deeds: deedsOf([...view.fold, ...view.recent]),
    foldSteps: view.fold.length,
    previousLines,
    previousClaims: previousLines.flatMap(outcomeClaims),
  };
  known.set(view, made);
  return made;
}
