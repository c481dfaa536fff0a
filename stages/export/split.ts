import { plainRepository, repositoryOf as repositoryOfInstance } from "../lib/decontamination.ts";

/** `train` or `validation`; trainers and the Hub know both by name. */
export type SplitName = "train" | "validation";

/** Where a trajectory comes from, as far as it is known. */
export interface Place {
  /** `owner/name`. */
  readonly repository: string | null;
  readonly instance: string;
}

export interface Split {
  of(place: Place): SplitName;
  /** The repository that a place counts as, or its instance where nobody names one. */
  groupOf(place: Place): string;
  /** Repositories on each side, sorted. */
  readonly train: readonly string[];
  readonly validation: readonly string[];
}

/**
 * The repository that a name stands for, mirrors and images under the name of what they copy, in small letters, as GitHub takes them for the
 * same. A name that nothing can be told of stands for itself. Another owner's fork is another repository: its name alone does not say of what.
 */
export function repositoryOf({ repository, instance }: Place): string | null {
  const found = repository === null ? repositoryOfInstance(instance) : (plainRepository(repository) ?? repository);
  return found?.toLowerCase() ?? null;
}

/** Runs of one instance stay together even if only some of them name the repository. */
function groupsOf(places: Iterable<Place>): (place: Place) => string {
  const known = new Map<string, string>();
  for (const place of places) {
    const repository = repositoryOf(place);
    const before = known.get(place.instance);
    // The smallest name wins, so that the order of the places does not matter.
    if (repository !== null && (before === undefined || repository < before)) known.set(place.instance, repository);
  }
  return (place) => repositoryOf(place) ?? known.get(place.instance) ?? `instance:${place.instance}`;
}

/**
 * Draws `share` of the repositories (rounded, and never the last one left) for validation: those whose digest with the seed comes first.
 * A repository that is added later moves at most the ones at the border. All trajectories of a repository are on one side.
 */
export function splitByRepository(
  places: Iterable<Place>,
  choice: { share: number; seed: number },
  digest: (text: string) => string,
): Split {
  const all = [...places];
  const groupOf = groupsOf(all);
  const groups = [...new Set(all.map(groupOf))].sort();
  const drawn = groups
    .map((group) => ({ group, draw: digest(`split ${choice.seed} ${group}`) }))
    .sort((a, b) => (a.draw < b.draw ? -1 : 1));
  const size = Math.max(0, Math.min(Math.round(choice.share * groups.length), groups.length - 1));
  const validation = new Set(drawn.slice(0, size).map(({ group }) => group));
  return {
    groupOf,
    of: (place) => (validation.has(groupOf(place)) ? "validation" : "train"),
    train: groups.filter((group) => !validation.has(group)),
    validation: groups.filter((group) => validation.has(group)),
  };
}
