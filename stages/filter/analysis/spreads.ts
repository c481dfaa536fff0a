import type { MeasureCounts, MeasureSpread } from "../../../schemas/analysis.ts";
import type { Metrics } from "../../../schemas/metrics.ts";
import { Column, percentile } from "./column.ts";

/** A measure with more values than this says nothing by counts; the rest is counted as one. */
const mostValues = 40;
const otherValues = "(others)";

/**
 * Percentiles of every measure, whatever measures there are: numbers of the metrics by their path. Lists of numbers (the saw-tooth) and
 * findings are left out: `stats` and `show` speak of them.
 */
export class Spreads {
  /** By path and name, so that no key is put together for each of millions of numbers. */
  private readonly groups = new Map<string, Map<string, Column>>();
  private readonly missing = new Map<string, number>();
  private readonly counts = new Map<string, Map<string, number>>();

  add({ trajectory, blocks, segments, condensations, base }: Metrics): void {
    this.object("", trajectory);
    this.number(this.group(""), "contextCalls", blocks.length);
    for (const { checks, findings: _words, ...block } of blocks) {
      this.object("blocks.", block);
      for (const [check, [looked, found]] of Object.entries(checks)) this.object(`blocks.checks.${check}.`, { looked, found });
    }
    for (const segment of segments) this.object("segments.", segment);
    for (const condensation of condensations) this.object("condensations.", condensation);
    if (base !== null) this.object("base.", base);
  }

  private object(path: string, values: object): void {
    const group = this.group(path);
    for (const name in values) {
      const value: unknown = values[name as keyof typeof values];
      if (typeof value === "number") this.number(group, name, value);
      else if (value === null) this.missing.set(path + name, (this.missing.get(path + name) ?? 0) + 1);
      else if (typeof value === "boolean" || typeof value === "string") this.count(path + name, String(value));
      else if (Array.isArray(value)) this.list(path + name, value);
      else if (typeof value === "object") this.object(`${path}${name}.`, value as object);
    }
  }

  private list(path: string, values: readonly unknown[]): void {
    if (values.some((value) => typeof value === "number")) return;
    const objects = values.filter((value) => typeof value === "object" && value !== null);
    for (const value of objects) this.object(`${path}.`, value as object);
    if (objects.length > 0) return;
    this.count(path, values.length === 0 ? "none" : values.map(String).join(" "));
  }

  private group(path: string): Map<string, Column> {
    const group = this.groups.get(path) ?? new Map<string, Column>();
    if (group.size === 0) this.groups.set(path, group);
    return group;
  }

  private number(group: Map<string, Column>, name: string, value: number): void {
    const column = group.get(name) ?? new Column();
    if (column.size === 0) group.set(name, column);
    column.push(value);
  }

  private count(path: string, value: string): void {
    const counts = this.counts.get(path) ?? new Map<string, number>();
    this.counts.set(path, counts);
    const word = value.replace(/ at step \d+/g, "");
    const name = counts.has(word) || counts.size < mostValues ? word : otherValues;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  spreads(): MeasureSpread[] {
    const columns = [...this.groups].flatMap(([path, group]) => [...group].map(([name, column]) => ({ measure: path + name, column })));
    return columns.map(({ measure, column }) => {
      const values = column.sorted();
      const at = (share: number): number => percentile(values, share);
      return {
        measure,
        count: values.length,
        missing: this.missing.get(measure) ?? 0,
        mean: Math.round((values.reduce((a, b) => a + b, 0) / values.length) * 1e6) / 1e6,
        min: at(0),
        p1: at(0.01),
        p5: at(0.05),
        p25: at(0.25),
        p50: at(0.5),
        p75: at(0.75),
        p95: at(0.95),
        p99: at(0.99),
        max: at(1),
      };
    });
  }

  /** Most frequent first; `unknown` where a measure that is no number cannot be known. */
  countsOf(): MeasureCounts[] {
    return [...this.counts].map(([measure, counts]) => {
      const unknown = this.missing.get(measure) ?? 0;
      const all = [...counts, ...(unknown > 0 ? [["unknown", unknown] as [string, number]] : [])];
      return { measure, counts: Object.fromEntries(all.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) };
    });
  }
}
