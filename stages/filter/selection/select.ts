import type { LeftOut } from "../../../schemas/selection.ts";
import type { Candidate, Candidates } from "./candidates.ts";
import { composeSet } from "./compose.ts";
import { NearDuplicates } from "./near-duplicates.ts";
import type { SelectParams } from "./params.ts";
import { byStanding } from "./standing.ts";

const bestFirst = (list: readonly Candidate[]): number[] =>
  [...list.keys()].sort((a, b) => {
    const [first, second] = [list[a] as Candidate, list[b] as Candidate];
    return byStanding(first.standing, second.standing) || (first.id < second.id ? -1 : 1);
  });

/** Instances by the name they count under: their own, or that of a better one whose task says nearly the same. */
function instanceGroups({ list, tasks }: Candidates, threshold: number | null): (entry: number) => string {
  const groups = new Map<string, string>();
  const leaders = threshold === null ? null : new NearDuplicates(tasks, threshold);
  return (entry) => {
    const { instance } = list[entry] as Candidate;
    const known = groups.get(instance);
    if (known !== undefined) return known;
    const near = leaders?.find(entry) ?? null;
    const group = near === null ? instance : (groups.get((list[near.entry] as Candidate).instance) ?? instance);
    groups.set(instance, group);
    if (near === null) leaders?.add(entry);
    return group;
  };
}

/** Counts up to a limit per name; false: the limit is reached. */
class Cap {
  private readonly counts = new Map<string, number>();
  private readonly most: number | null;

  constructor(most: number | null) {
    this.most = most;
  }

  hasRoom(name: string | null): boolean {
    return this.most === null || name === null || (this.counts.get(name) ?? 0) < this.most;
  }

  add(name: string | null): void {
    if (name !== null) this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}

/**
 * Why each candidate is left out; null: selected. Best first, each is held against those before it that were not left out: near-duplicate steps, then the caps; what is left
 * is composed by quota and target. The order in which candidates come does not matter.
 */
export function selectSet(candidates: Candidates, { set }: SelectParams): (LeftOut | null)[] {
  const { list, steps } = candidates;
  const leftOut: (LeftOut | null)[] = list.map(() => null);
  const duplicates = set.nearDuplicateSteps === null ? null : new NearDuplicates(steps, set.nearDuplicateSteps);
  const groupOf = instanceGroups(candidates, set.maxPerInstance === null ? null : set.nearDuplicateTasks);
  const [instances, repositories] = [new Cap(set.maxPerInstance), new Cap(set.maxPerRepository)];

  function reason(entry: number): LeftOut | null {
    const near = duplicates?.find(entry) ?? null;
    if (near !== null)
      return {
        rule: "near-duplicate",
        of: (list[near.entry] as Candidate).id,
        value: Math.round(1e4 * near.similarity) / 1e4,
        limit: set.nearDuplicateSteps ?? 0,
      };
    const group = groupOf(entry);
    const { repository } = list[entry] as Candidate;
    if (!instances.hasRoom(group)) return { rule: "per-instance", of: group, value: null, limit: set.maxPerInstance ?? 0 };
    if (!repositories.hasRoom(repository)) return { rule: "per-repository", of: repository, value: null, limit: set.maxPerRepository ?? 0 };
    duplicates?.add(entry);
    instances.add(group);
    repositories.add(repository);
    return null;
  }

  const pool: number[] = [];
  for (const entry of bestFirst(list)) {
    const why = reason(entry);
    leftOut[entry] = why;
    if (why === null) pool.push(entry);
  }
  for (const [entry, why] of composeSet(list, pool, set)) leftOut[entry] = why;
  return leftOut;
}
