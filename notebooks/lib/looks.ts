import { readAllBundles } from "../../pipeline/run/bundles.ts";
import type { RunFolder } from "../../pipeline/store/run-folder.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import type { Detection } from "../../schemas/sidecars.ts";

/** What the first look needs of a trajectory: numbers, cuts and the signals at them; no text of it. */
export interface Look {
  readonly id: string;
  readonly metrics: Metrics;
  readonly detection: Detection | null;
  readonly kept: boolean;
}

/** All measured trajectories of a run, in order of id. */
export async function readLooks(run: RunFolder): Promise<Look[]> {
  const looks: Look[] = [];
  for await (const { id, detection, metrics, verdict } of readAllBundles(run, ["detection", "metrics", "verdict"]))
    if (metrics?.outcome.ok === true)
      looks.push({
        id,
        metrics: metrics.outcome.value,
        detection: detection?.outcome.ok === true ? detection.outcome.value : null,
        kept: verdict?.outcome.ok === true && verdict.outcome.value.context.keep,
      });
  return looks.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Longest first. */
export const byLength = (looks: readonly Look[]): Look[] =>
  [...looks].sort((a, b) => b.metrics.trajectory.steps - a.metrics.trajectory.steps || (a.id < b.id ? -1 : 1));

/** An id without its attempt: what a person calls it. */
export const nameOf = (id: string): string => id.split("/").slice(0, -1).join("/");

/** How often each word comes, most frequent first. */
export function frequencies(words: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

export interface SignalCount {
  readonly signal: string;
  /** Cuts at which it speaks, and the mean of its scores there. */
  readonly cuts: number;
  readonly meanScore: number;
  /** Insertion points at which it speaks. */
  readonly points: number;
}

/** How often each signal speaks, most often first. */
export function signalCounts(looks: readonly Look[]): SignalCount[] {
  const spoken = looks.flatMap(({ detection }) => {
    const chosen = new Set(detection?.points.map(({ cut }) => cut));
    return (detection?.candidates ?? []).flatMap(({ cut, signals }) => signals.map((one) => ({ ...one, chosen: chosen.has(cut) })));
  });
  return frequencies(spoken.map(({ signal }) => signal)).map(([signal, cuts]) => {
    const own = spoken.filter((one) => one.signal === signal);
    return {
      signal,
      cuts,
      meanScore: own.reduce((sum, { score }) => sum + score, 0) / cuts,
      points: own.filter(({ chosen }) => chosen).length,
    };
  });
}

export interface CheckCount {
  readonly check: string;
  readonly memories: number;
  readonly looked: number;
  readonly found: number;
  /** Memories with at least one finding. */
  readonly blamed: number;
  readonly examples: readonly { readonly where: string; readonly words: string; readonly why: string }[];
}

/** What the checks say of all memories, in the order of their registry; the first findings of each, from different memories. */
export function checkCounts(looks: readonly Look[], mostExamples: number): CheckCount[] {
  const memories = looks.flatMap(({ id, metrics }) =>
    metrics.blocks.map(({ checks, findings }, index) => ({ where: `${nameOf(id)}, call ${index + 1}`, checks, findings })),
  );
  return [...new Set(memories.flatMap(({ checks }) => Object.keys(checks)))].map((check) => {
    const counts = memories.flatMap(({ checks }) => (checks[check] === undefined ? [] : [checks[check]]));
    const examples = memories.flatMap(({ where, findings }) => {
      const first = findings.find((one) => one.check === check);
      return first === undefined ? [] : [{ where, words: first.words, why: first.why }];
    });
    return {
      check,
      memories: counts.length,
      looked: counts.reduce((sum, [looked]) => sum + looked, 0),
      found: counts.reduce((sum, [, found]) => sum + found, 0),
      blamed: counts.filter(([, found]) => found > 0).length,
      examples: examples.slice(0, mostExamples),
    };
  });
}
