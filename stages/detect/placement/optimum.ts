import { type Costs, costsOf } from "./cost.ts";
import { callFits, firstUnfit, isCrowded } from "./fit.ts";
import { legalCuts, type Problem, stepCount } from "./problem.ts";

/** A placement's worth: fewer crowded calls first, then the higher objective. */
export interface Worth {
  /** Calls nearer to the one before, or over a smaller fold, than asked for: taken only where the window leaves no other way. */
  readonly crowded: number;
  /** Sum of (score - callPrice) - costWeight x cost / cost without calls. */
  readonly objective: number;
}

export interface Placement extends Worth {
  /** Ascending. */
  readonly cuts: readonly number[];
}

/** `step`: the first step index that no placement reaches, 0-based; T never. `because`: the window, or the bound on calls alone. */
export type Placed =
  | { readonly ok: true; readonly value: Placement }
  | { readonly ok: false; readonly step: number; readonly because: "window" | "max-calls" };

const better = (one: Worth, other: Worth): boolean =>
  one.crowded < other.crowded || (one.crowded === other.crowded && one.objective > other.objective);

/** What a call at `to` after `from` adds, its interval's cost included; the last interval (`to` = T) adds its cost alone. */
export function gainOf(problem: Problem, costs: Costs, appendOnly: number): (from: number, to: number) => number {
  const { callPrice, costWeight } = problem.terms;
  const steps = stepCount(problem);
  return (from, to) =>
    (to < steps ? (problem.scores[to] ?? 0) - callPrice : 0) - (costWeight * costs.interval(from, to)) / Math.max(appendOnly, 1);
}

/** The worth of given cuts; null where they break the window, are no legal cuts or more than allowed. */
export function worthOf(problem: Problem, cuts: readonly number[], costs: Costs = costsOf(problem)): Worth | null {
  const { maxCalls } = problem.limits;
  if (maxCalls !== null && cuts.length > maxCalls) return null;
  const gain = gainOf(problem, costs, costs.total([]));
  const steps = stepCount(problem);
  let from = 0;
  let crowded = 0;
  let objective = 0;
  for (const to of [...cuts, steps]) {
    if (firstUnfit(problem, from) < to) return null;
    if (to < steps) {
      if (!callFits(problem, from, to)) return null;
      if (isCrowded(problem, from, to)) crowded += 1;
    }
    objective += gain(from, to);
    from = to;
  }
  return { crowded, objective };
}

interface State extends Worth {
  /** Index of the node before; -1: none. */
  readonly before: number;
}

/** The start, the legal cuts and the end, and for each of them how far steps fit without another call. */
interface Nodes {
  readonly at: readonly number[];
  readonly unfit: readonly number[];
  readonly gain: (from: number, to: number) => number;
}

/** The best ways to every node by one more call than `layer` has; `layer` null: by any number of calls. */
function extend(problem: Problem, nodes: Nodes, layer: readonly (State | null)[] | null): (State | null)[] {
  const best: (State | null)[] = nodes.at.map((_, index) =>
    layer === null && index === 0 ? { crowded: 0, objective: 0, before: -1 } : null,
  );
  const end = nodes.at.length - 1;
  for (let from = 0; from < end; from += 1) {
    const state = (layer ?? best)[from];
    const start = nodes.at[from] ?? 0;
    if (state === null || state === undefined) continue;
    for (let to = from + 1; to <= end && (nodes.at[to] ?? 0) <= (nodes.unfit[from] ?? 0); to += 1) {
      const cut = nodes.at[to] ?? 0;
      if (to < end && !callFits(problem, start, cut)) continue;
      const crowded = state.crowded + (to < end && isCrowded(problem, start, cut) ? 1 : 0);
      const found = { crowded, objective: state.objective + nodes.gain(start, cut), before: from };
      const known = best[to];
      if (known === null || known === undefined || better(found, known)) best[to] = found;
    }
  }
  return best;
}

/** The furthest step index that any of the reached nodes gets to: the first that breaks the window for all of them. */
function furthest(nodes: Nodes, layers: readonly (readonly (State | null)[])[]): number {
  let step = 0;
  for (const layer of layers)
    for (const [index, state] of layer.entries()) if (state !== null) step = Math.max(step, nodes.unfit[index] ?? 0);
  return step;
}

/** Cuts on the way to the end that `layers` hold; with a bound, layer j is by exactly j calls. */
function wayBack(nodes: Nodes, layers: readonly (readonly (State | null)[])[], last: number): number[] {
  const cuts: number[] = [];
  let layer = last;
  let index = nodes.at.length - 1;
  for (;;) {
    const before = layers[layer]?.[index]?.before ?? -1;
    if (before <= 0) return cuts.reverse();
    cuts.push(nodes.at[before] ?? 0);
    index = before;
    layer = Math.max(0, layer - 1);
  }
}

function nodesOf(problem: Problem): Nodes {
  const costs = costsOf(problem);
  const cuts = legalCuts(problem);
  const steps = stepCount(problem);
  return {
    at: [0, ...cuts, steps],
    unfit: [...[0, ...cuts].map((cut) => firstUnfit(problem, cut)), steps],
    gain: gainOf(problem, costs, costs.total([])),
  };
}

/** Layer j: the best way to every cut by exactly j calls, and to the end after them. */
function bounded(problem: Problem, nodes: Nodes, maxCalls: number): Placed {
  const start = nodes.at.map((_, index): State | null => (index === 0 ? { crowded: 0, objective: 0, before: -1 } : null));
  const layers: (State | null)[][] = [start];
  for (let calls = 0; calls <= maxCalls; calls += 1) layers.push(extend(problem, nodes, layers[calls] ?? null));
  const end = nodes.at.length - 1;
  let best = -1;
  for (const [index, layer] of layers.entries()) {
    const state = layer[end];
    const known = layers[best]?.[end];
    if (state && (!known || better(state, known))) best = index;
  }
  const state = layers[best]?.[end];
  if (!state) return { ok: false, step: furthest(nodes, layers.slice(0, maxCalls + 1)), because: "max-calls" };
  return { ok: true, value: { cuts: wayBack(nodes, layers, best), crowded: state.crowded, objective: state.objective } };
}

/**
 * The placement of highest worth, exactly: a longest path over cuts, since worth is additive over neighbours. O(C^2); O(n C^2) only where
 * the bound of n calls binds. On ties the way found first: fewer and earlier cuts. Infeasible: names the step that no placement reaches.
 */
export function optimum(problem: Problem): Placed {
  const nodes = nodesOf(problem);
  const best = extend(problem, nodes, null);
  const state = best.at(-1);
  if (!state) return { ok: false, step: furthest(nodes, [best]), because: "window" };
  const { maxCalls } = problem.limits;
  const cuts = wayBack(nodes, [best], 0);
  if (maxCalls !== null && cuts.length > maxCalls) return bounded(problem, nodes, maxCalls);
  return { ok: true, value: { cuts, crowded: state.crowded, objective: state.objective } };
}
