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

/** Kept samples by kind; of two segments that a dropped call makes one, that one. */
const keptSamples = ({ segments, condensations, base, dropLast }: Verdict): Readonly<Record<SampleKind, number>> => ({
  segment: kept(dropLast === null ? segments : [...segments, dropLast]),
  condense: kept(condensations),
  base: kept([base]),
});

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
    const byKind = keptSamples(verdict);
    let samples = 0;
    for (const kind of this.kinds) samples += byKind[kind];
    if (samples === 0) return;
    const { instance, repository, stepsSketch, taskSketch } = metrics.set;
    this.list.push({
      id,
      source: this.once(id.slice(0, id.indexOf("/"))),
      instance,
      repository: repository === null ? null : this.once(repository),
      samples,
      standing: standingOf(id, metrics, verdict, this.kinds.has("segment") && byKind.segment > 0, this.seed),
    });
    this.steps.push(stepsSketch);
    this.tasks.push(taskSketch);
  }
}
