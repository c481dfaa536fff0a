import type { Contamination, Overlap } from "../../../schemas/contamination.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { type EvaluationList, evaluationHits } from "../decontamination.ts";
import { closestIn } from "./closest.ts";
import { type FingerprintIndex, listOf } from "./fingerprint-file.ts";
import type { PrintTable } from "./print-table.ts";

/** Sets that models are evaluated on. A set may come by ids, by fingerprints, or by both under one name. */
export interface EvaluationSets {
  readonly lists: readonly EvaluationList[];
  readonly indexes: readonly FingerprintIndex[];
}

export const noEvaluationSets: EvaluationSets = { lists: [], indexes: [] };

/** Indexes name instances, too. */
export const withIndexLists = ({ lists, indexes }: EvaluationSets): EvaluationSets => ({
  lists: [...lists, ...indexes.map(listOf)],
  indexes,
});

/** `runs/django__django-11019/astropy__astropy-12907.traj.json` -> every name in it, with and without what follows a dot. */
const namesIn = (file: string): string[] =>
  file.split("/").flatMap((name) => {
    const pieces = name.split(".");
    return pieces.map((_, end) => pieces.slice(0, end + 1).join("."));
  });

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

function overlaps(
  texts: readonly string[],
  indexes: readonly FingerprintIndex[],
  tableOf: (index: FingerprintIndex) => PrintTable | null,
  digest: (text: string) => string,
): Overlap[] {
  const having = indexes.flatMap((index) => {
    const table = tableOf(index);
    return table === null ? [] : [{ index, table }];
  });
  const closest = closestIn(
    texts,
    having.map(({ table }) => table),
    digest,
  );
  const found = having.flatMap(({ index: { name, instances } }, at): Overlap[] => {
    const one = closest[at];
    return one === null || one === undefined
      ? []
      : [{ list: name, instance: instances[one.task] ?? "", share: Math.max(1e-6, Math.round(one.share * 1e6) / 1e6) }];
  });
  return found.sort((a, b) => (a.list < b.list ? -1 : 1));
}

/** Everything by which a trajectory may belong to an evaluation set. The statement is mostly part of the prompt: then it is not read twice. */
export function contaminationOf(trajectory: Trajectory, sets: EvaluationSets, digest: (text: string) => string): Contamination {
  const { task, instance, origin, outcome } = trajectory;
  const byOwn = evaluationHits({ instance, repository: task.repository }, sets.lists);
  const byFile = namesIn(origin.file).flatMap((name) => evaluationHits({ instance: name, repository: null }, sets.lists).instance);
  const statement = task.issue === null || task.prompt.includes(task.issue) ? [] : [task.issue];
  return {
    instance: sorted([...byOwn.instance, ...byFile]),
    repository: sorted(byOwn.repository),
    text: overlaps([...(task.system === null ? [] : [task.system]), task.prompt, ...statement], sets.indexes, ({ text }) => text, digest),
    patch: overlaps(outcome.patch === null ? [] : [outcome.patch], sets.indexes, ({ patch }) => patch, digest),
  };
}
