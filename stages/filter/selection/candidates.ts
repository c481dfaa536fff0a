import type { Metrics } from "../../../schemas/metrics.ts";
import type { SampleKind } from "../../../schemas/sample.ts";
import type { Standing } from "../../../schemas/selection.ts";
import type { Decision, Verdict } from "../../../schemas/verdict.ts";
import { stepsSketchValues, taskSketchValues } from "./min-hash.ts";
import { SketchColumn } from "./sketch-column.ts";
import { standingOf } from "./standing.ts";

/** A trajectory of which the verdict keeps at least one sample of an exported kind. */
export interface Candidate {
  readonly id: string;
  readonly source: string;
  readonly instance: string;
  readonly repository: string | null;
  /** Kept samples of the exported kinds. */
  readonly samples: number;
  readonly standing: Standing;
}

const kept = (decisions: readonly Decision[]): number => decisions.filter(({ keep }) => keep).length;

/** Costs a flat sample, which holds all calls: what costs one of the samples. */
const blamesBlock = ({ failed }: Decision): boolean => failed.some(({ block, action }) => block !== null && action !== "flag");

/**
 * Kept samples by kind; of two segments that a dropped call makes one, that one. Model calls (`step`) are not measured by segment: they
 * are taken to lie evenly.
 */
function keptSamples({ trajectory, segments: measured }: Metrics, verdict: Verdict): Readonly<Record<SampleKind, number>> {
  const { context, segments, condensations, base, dropLast } = verdict;
  const segment = kept(dropLast === null ? segments : [...segments, dropLast]);
  const calls = (trajectory.promptTokens?.calls ?? 0) - (dropLast === null ? 0 : 1);
  const whole = measured.length - (dropLast === null ? 0 : 1);
  return {
    segment,
    condense: kept(condensations),
    base: kept([base]),
    flat: context.keep && measured.length > 0 && ![...segments, ...condensations].some(blamesBlock) ? 1 : 0,
    step: whole <= 0 ? 0 : Math.round((calls * segment) / whole),
  };
}

/**
 * All that the set is decided by: under 1 KB per candidate (384 bytes of sketches, about 300 of ids and numbers, and up to 300 for the bands
 * of `NearDuplicates`), and nothing of the rest.
 */
export class Candidates {
  readonly list: Candidate[] = [];
  readonly steps = new SketchColumn(stepsSketchValues);
  readonly tasks = new SketchColumn(taskSketchValues);
  private readonly kinds: ReadonlySet<SampleKind>;
  private readonly seed: number;
  /** Sources and repositories are few: one text each. */
  private readonly texts = new Map<string, string>();

  constructor(kinds: Iterable<SampleKind>, seed: number) {
    this.kinds = new Set(kinds);
    this.seed = seed;
  }

  private once(text: string): string {
    const known = this.texts.get(text);
    if (known === undefined) this.texts.set(text, text);
    return known ?? text;
  }

  add(id: string, metrics: Metrics, verdict: Verdict): void {
    const byKind = keptSamples(metrics, verdict);
    let samples = 0;
    for (const kind of this.kinds) samples += byKind[kind];
    if (samples === 0) return;
    const showsCalls = (["segment", "flat", "step"] as const).some((kind) => this.kinds.has(kind) && byKind[kind] > 0);
    const { instance, repository, stepsSketch, taskSketch } = metrics.set;
    this.list.push({
      id,
      source: this.once(id.slice(0, id.indexOf("/"))),
      instance,
      repository: repository === null ? null : this.once(repository),
      samples,
      standing: standingOf(id, metrics, verdict, showsCalls, this.seed),
    });
    this.steps.push(stepsSketch);
    this.tasks.push(taskSketch);
  }
}
