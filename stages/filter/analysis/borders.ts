import type { Border, BorderCase } from "../../../schemas/analysis.ts";
import type { Metrics } from "../../../schemas/metrics.ts";
import type { Limits } from "../filters/filter.ts";
import { evidenceOf } from "./evidence.ts";
import { limitOf, type Probe, passes } from "./thresholds.ts";

/** Cases kept per side of a threshold: enough to read, few enough to be read. */
const casesPerSide = 3;

interface Side {
  readonly cases: (BorderCase & { readonly metrics: Metrics })[];
  /** Distance of the last of a full side. */
  reach: number;
}

/** The trajectories nearest to a threshold that is on, on either side. */
export class BorderWatch {
  private readonly sides = {
    passes: { cases: [], reach: Number.POSITIVE_INFINITY } as Side,
    fails: { cases: [], reach: Number.POSITIVE_INFINITY } as Side,
  };
  private readonly probe: Probe;
  readonly limit: number | null;

  constructor(probe: Probe, limits: Limits) {
    this.probe = probe;
    this.limit = limitOf(limits, probe.threshold);
  }

  /** `value`: the worst that the filter sees; `rivals`: something else rejects the trajectory, so the threshold decides nothing. */
  add(id: string, metrics: Metrics, value: number, rivals: boolean): void {
    if (this.limit === null || rivals || Number.isNaN(value)) return;
    const side = this.sides[passes(this.probe.threshold, value, this.limit) ? "passes" : "fails"];
    const distance = Math.abs(value - this.limit);
    const worst = side.cases[casesPerSide - 1];
    if (distance > side.reach || (distance === side.reach && worst !== undefined && id > worst.id)) return; // most values are 0: no evidence for each
    side.cases.push({ id, value, metrics, ...evidenceOf(this.probe, { metrics, trajectory: null, memory: null, rendered: null }, value) });
    const limit = this.limit;
    side.cases.sort((a, b) => Math.abs(a.value - limit) - Math.abs(b.value - limit) || (a.id < b.id ? -1 : 1));
    side.cases.splice(casesPerSide);
    const last = side.cases.at(-1);
    if (side.cases.length === casesPerSide && last !== undefined) side.reach = Math.abs(last.value - limit);
  }

  border(): Border | null {
    const { threshold } = this.probe;
    const plain = ({ cases }: Side): BorderCase[] => cases.map(({ metrics: _, ...one }) => one);
    return this.limit === null
      ? null
      : { threshold: threshold.name, limit: this.limit, passes: plain(this.sides.passes), fails: plain(this.sides.fails) };
  }

  /** Metrics of the cases, by id. */
  metrics(): (readonly [string, Metrics])[] {
    return [...this.sides.passes.cases, ...this.sides.fails.cases].map(({ id, metrics }) => [id, metrics] as const);
  }
}
