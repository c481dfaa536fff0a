import {
  type Contamination,
  type ContaminationCount,
  ContaminationKind,
  type Overlap,
  telltaleShare,
} from "../../schemas/contamination.ts";

type Hit = ContaminationCount["hits"][number];

const nameOf = (found: string | Overlap): string => (typeof found === "string" ? found : found.list);
const counts = (found: string | Overlap): boolean => typeof found === "string" || found.share >= telltaleShare;
const kinds = ContaminationKind.options;

const foundBy = (contamination: Contamination) =>
  kinds.flatMap((by) => contamination[by].filter(counts).map((one) => ({ by, list: nameOf(one) })));

/** The sets on a task of which the trajectory works, and how that shows; one found by its repository alone is on another task. */
export const evaluationTasks = (contamination: Contamination): { readonly by: ContaminationKind; readonly list: string }[] =>
  foundBy(contamination).filter(({ by }) => by !== "repository");

const before = (a: Hit, b: Hit): number => (a.list === b.list ? kinds.indexOf(a.by) - kinds.indexOf(b.by) : a.list < b.list ? -1 : 1);

/** Counts by set and kind, one trajectory at a time. `kept`: any sample of it is. */
export function createContaminationCount(): {
  add(contamination: Contamination, kept: boolean): void;
  count(): ContaminationCount;
} {
  const hits = new Map<string, Hit>();
  const tasks = { trajectories: 0, kept: 0 };
  let looked = 0;
  return {
    add(contamination, kept) {
      looked += 1;
      const found = foundBy(contamination);
      const isTask = evaluationTasks(contamination).length > 0;
      if (isTask) tasks.trajectories += 1;
      if (isTask && kept) tasks.kept += 1;
      for (const { by, list } of found) {
        const hit = hits.get(`${by} ${list}`) ?? { list, by, trajectories: 0, kept: 0 };
        hits.set(`${by} ${list}`, hit);
        hit.trajectories += 1;
        if (kept) hit.kept += 1;
      }
    },
    count: () => ({ looked, hits: [...hits.values()].map((hit) => ({ ...hit })).sort(before), tasks: { ...tasks } }),
  };
}
