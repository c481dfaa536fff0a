import { drawer } from "../../stages/lib/drawer.ts";
import { mutate } from "./mutate.ts";
import { digest, fault } from "./oracle.ts";
import type { Seed } from "./seeds.ts";

export interface Tally {
  readonly outcomes: Record<string, number>;
  readonly failures: string[];
  slowestMs: number;
}

/** Each case has its own seed, so that a failure can be run again alone. */
const seedOf = (dialect: string, number: number): number => Number.parseInt(digest(`${dialect} ${number}`).slice(0, 8), 16);

export function runCases(dialect: string, seeds: readonly Seed[], from: number, to: number): Tally {
  const tally: Tally = { outcomes: {}, failures: [], slowestMs: 0 };
  for (let number = from; number < to; number += 1) {
    const random = drawer(seedOf(dialect, number));
    const seed = seeds[Math.floor(random() * seeds.length)];
    if (seed === undefined) continue;
    const holder = { value: JSON.parse(seed.text) as unknown };
    const done = mutate(holder.value, random);
    // What cannot be written as JSON is in no file.
    const value: unknown = JSON.parse(JSON.stringify(holder.value));
    const started = performance.now();
    const { read, wrong } = fault(value);
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started);
    const outcome = read === null ? "crashed" : read.ok ? "imported" : read.kind;
    tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
    if (wrong !== null) tally.failures.push(`${dialect} case ${number} (${seed.name}; ${done.join(", ")}): ${wrong}`);
  }
  return tally;
}
