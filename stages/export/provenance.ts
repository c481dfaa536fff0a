import type { Writer } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";

type Count = Readonly<Record<string, number>>;

/** Where the exported trajectories come from and who wrote the text in them; counts by name, for the card. */
export interface Provenance {
  readonly trajectories: number;
  /** Source -> licence -> trajectories; a licence that nobody states is `unknown`. */
  readonly sources: Readonly<Record<string, Count>>;
  /** Models that wrote the agent turns; `unknown` where the source does not say. */
  readonly agentModels: Count;
  /** Memory blocks by condenser: `extractive`, or `llm: <model>`. */
  readonly condensers: Count;
  /** Trajectories whose agent was a script that replays decisions, no model. */
  readonly scripted: number;
}

const unknown = "unknown";

/** The built-in policy of the demo says so where a model's name would stand, or in the dialect. */
const isScripted = ({ origin }: Pick<Trajectory, "origin">): boolean =>
  [origin.model, origin.dialect].some((name) => name !== null && /\bscripted\b/i.test(name));

const increment = (counts: Map<string, number>, name: string, by = 1): void => void counts.set(name, (counts.get(name) ?? 0) + by);
const sorted = (counts: ReadonlyMap<string, number>): Count => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Gathers provenance, one trajectory at a time; `writers`: of the memories that are exported. */
export function createProvenance(): {
  add(trajectory: Pick<Trajectory, "source" | "origin">, writers: readonly Writer[]): void;
  provenance(): Provenance;
} {
  const sources = new Map<string, Map<string, number>>();
  const [agentModels, condensers] = [new Map<string, number>(), new Map<string, number>()];
  let trajectories = 0;
  let scripted = 0;
  return {
    add(trajectory, writers) {
      trajectories += 1;
      if (isScripted(trajectory)) scripted += 1;
      const licences = sources.get(trajectory.source) ?? new Map<string, number>();
      sources.set(trajectory.source, licences);
      increment(licences, trajectory.origin.licence ?? unknown);
      increment(agentModels, trajectory.origin.model ?? unknown);
      for (const writer of writers) increment(condensers, writer.condenser === "llm" ? `llm: ${writer.model}` : writer.condenser);
    },
    provenance: () => ({
      trajectories,
      sources: Object.fromEntries(
        [...sources].sort(([a], [b]) => (a < b ? -1 : 1)).map(([source, licences]) => [source, sorted(licences)]),
      ),
      agentModels: sorted(agentModels),
      condensers: sorted(condensers),
      scripted,
    }),
  };
}
