import type { OutcomeFact } from "../../schemas/inputs.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";

/** Facts by instance; look up with `trajectory.instance` before `joinOutcome`. */
export function indexFacts(facts: Iterable<OutcomeFact>): ReadonlyMap<string, readonly OutcomeFact[]> {
  const index = new Map<string, OutcomeFact[]>();
  for (const fact of facts) {
    const known = index.get(fact.instance);
    if (known) known.push(fact);
    else index.set(fact.instance, [fact]);
  }
  return index;
}

const under = (scope: string, file: string): boolean => scope === "" || file.startsWith(`${scope}/`);

/**
 * The trajectory with what reports say. A flag in the row wins; a report about this very patch wins over one that knows only the
 * instance; reports that disagree leave `resolved` null and say so in the evidence. `patch` is `patchDigest` of the run's patch.
 */
export function joinOutcome(trajectory: Trajectory, facts: readonly OutcomeFact[], patch: string | null): Trajectory {
  if (trajectory.outcome.resolved !== null) return trajectory;
  const here = facts.filter((fact) => fact.instance === trajectory.instance && under(fact.scope, trajectory.origin.file));
  const exact = here.filter((fact) => fact.patch !== null && fact.patch === patch);
  const used = (exact.length > 0 ? exact : here.filter((fact) => fact.patch === null)).toSorted((a, b) =>
    a.detail < b.detail ? -1 : a.detail > b.detail ? 1 : 0,
  );
  const [first] = used;
  if (first === undefined) return trajectory;
  const agreed = used.every((fact) => fact.resolved === first.resolved);
  const evidence = agreed
    ? { kind: "report" as const, detail: first.detail, digest: first.digest }
    : {
        kind: "report" as const,
        detail: `reports disagree: ${used.map((fact) => `${fact.detail} says ${fact.resolved}`).join("; ")}`,
        digest: null,
      };
  return { ...trajectory, outcome: { ...trajectory.outcome, resolved: agreed ? first.resolved : null, evidence } };
}
