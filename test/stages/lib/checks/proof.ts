import type { CheckView } from "../../../../stages/lib/checks/check.ts";
import { failingState } from "../../../../stages/lib/checks/failure-keeping.ts";
import { checkMemory } from "../../../../stages/lib/checks/index.ts";
import { drawer } from "../../../../stages/lib/drawer.ts";
import { trueFindings } from "./adjudicated.ts";
import { type CorruptionName, corruptions, type Pool, poolOf, type Random } from "./corrupt.ts";
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
    const random: Random = drawer(seed);
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
  /** Memories with any finding, and findings. */
  readonly withFinding: number;
  readonly findings: number;
  /** The same without the findings that a person found right. */
  readonly withFalse: number;
  readonly falseFindings: number;
  readonly claims: number;
}

const isRight = (fold: Fold, words: string): boolean => fold.file !== null && (trueFindings[fold.file] ?? []).includes(words);

export function alarms(folds: readonly Fold[]): Alarms {
  const found = folds.map((fold) => ({ fold, all: alarming(fold.view) }));
  const wrong = found.map(({ fold, all }) => all.filter(({ words }) => !isRight(fold, words)).length);
  const all = found.map((one) => one.all.length);
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const some = (numbers: readonly number[]): number => numbers.filter((one) => one > 0).length;
  const claims = sum(folds.map(({ view }) => checkMemory(view).find(({ check }) => check === "grounded")?.looked ?? 0));
  return { memories: folds.length, withFinding: some(all), findings: sum(all), withFalse: some(wrong), falseFindings: sum(wrong), claims };
}

/** Of what later steps use and only the fold had shown, the share that is still visible. */
export function visibleShare(folds: readonly Fold[]): { readonly needed: number; readonly visible: number } {
  const results = folds.map(({ view }) => checkMemory(view).find(({ check }) => check === "sufficient"));
  const needed = results.reduce((sum, one) => sum + (one?.looked ?? 0), 0);
  return { needed, visible: needed - results.reduce((sum, one) => sum + (one?.findings.length ?? 0), 0) };
}

export { poolOf };
