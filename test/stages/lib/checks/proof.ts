import type { CheckView } from "../../../../stages/lib/checks/check.ts";
import { failingState } from "../../../../stages/lib/checks/failure-keeping.ts";
import { checkMemory } from "../../../../stages/lib/checks/index.ts";
import { type CorruptionName, corruptions, type Pool, poolOf, type Random, randomFrom } from "./corrupt.ts";
import type { Fold } from "./folds.ts";

/** Detection and false-alarm rates of the checks. */

/** Claims checks: `sufficient` is no alarm but a share, since no memory can hold all that a run will use. */
export const alarming = (view: CheckView): { readonly check: string; readonly words: string }[] =>
  checkMemory(view)
    .filter(({ check }) => check !== "sufficient")
    .flatMap(({ check, findings }) => findings.map(({ words }) => ({ check, words })));

const keyOf = ({ check, words }: { check: string; words: string }): string => `${check} ${words}`;

/** A corruption is detected when a finding is there that the good memory did not have. */
export function detects(good: CheckView, bad: CheckView): boolean {
  const before = new Set(alarming(good).map(keyOf));
  return alarming(bad).some((finding) => !before.has(keyOf(finding)));
}

/** Only a failing state can be smoothed over. */
const applies = (name: CorruptionName, view: CheckView): boolean =>
  !/failure/.test(name) || (failingState(view) !== null && !alarming(view).some(({ check }) => check === "failure-keeping"));

export interface Row {
  readonly corruption: CorruptionName;
  readonly tried: number;
  readonly detected: number;
  readonly missed: readonly { readonly name: string; readonly change: string }[];
}

/** `times` corruptions of each kind per fold, where the memory has something of the kind. */
export function detection(folds: readonly Fold[], pool: Pool, times: number, seed: number): Row[] {
  return (Object.keys(corruptions) as CorruptionName[]).map((corruption): Row => {
    const random: Random = randomFrom(seed);
    let tried = 0;
    const missed: { name: string; change: string }[] = [];
    for (const { name, view } of folds) {
      if (!applies(corruption, view)) continue;
      const seen = new Set<string>();
      for (let time = 0; time < times; time += 1) {
        const made = corruptions[corruption](view, pool, random);
        if (made === null || seen.has(made.change)) continue;
        seen.add(made.change);
        tried += 1;
        // A dropped rule is looked for on the hop that drops it.
        const good = corruption === "drop a constraint" ? { ...made.view, memory: view.memory } : view;
        if (!detects(good, made.view)) missed.push({ name, change: made.change });
      }
    }
    return { corruption, tried, detected: tried - missed.length, missed };
  });
}

export interface Alarms {
  readonly memories: number;
  readonly withFinding: number;
  readonly findings: number;
}

export function alarms(folds: readonly Fold[]): Alarms {
  const counts = folds.map(({ view }) => alarming(view).length);
  return { memories: folds.length, withFinding: counts.filter((count) => count > 0).length, findings: counts.reduce((a, b) => a + b, 0) };
}

export { poolOf };
