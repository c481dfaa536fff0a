import { type ContaminationKind, type EvaluationDigests, telltaleShare } from "../../schemas/contamination.ts";
import type { Funnel } from "../../schemas/funnel.ts";
import type { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { grouped } from "./number-text.ts";

const kindTexts: Readonly<Record<ContaminationKind, string>> = {
  instance: "the instance's id",
  repository: "the repository",
  text: "the words of the task",
  patch: "the words of the patch",
};

/** What the filters do about it, in words; a filter that only flags takes nothing away. */
function rulesText({
  allowEvaluationInstances,
  allowEvaluationRepositories,
  maxEvaluationTextShare,
  maxEvaluationPatchShare,
  actions,
}: FilterRecipe): string {
  const acts = (filter: string): boolean => (actions[filter] ?? actions["others"]) !== "flag";
  const rules = [
    ...(!allowEvaluationInstances && acts("contaminated-instance") ? ["found by id"] : []),
    ...(!allowEvaluationRepositories && acts("contaminated-repository") ? ["found by repository"] : []),
    ...(maxEvaluationTextShare !== null && acts("contaminated-text")
      ? [`with more than ${maxEvaluationTextShare} of a task's fingerprints in their task text`]
      : []),
    ...(maxEvaluationPatchShare !== null && acts("contaminated-patch")
      ? [`with more than ${maxEvaluationPatchShare} of a reference patch's in their own patch (where an index has patches)`]
      : []),
  ];
  return rules.length === 0 ? "No filter left any of them out." : `Left out were those ${rules.join("; those ")}.`;
}

const setsText = ({ lists, indexes }: EvaluationDigests): string => {
  const named = (sets: Readonly<Record<string, string>>): string =>
    Object.keys(sets)
      .map((name) => `\`${name}\``)
      .join(", ");
  const parts = [
    ...(Object.keys(lists).length === 0 ? [] : [`by id and repository: ${named(lists)}`]),
    ...(Object.keys(indexes).length === 0 ? [] : [`by text, as fingerprints of 13 words: ${named(indexes)}`]),
  ];
  return parts.join("; ");
};

/** The card's statement on evaluation sets, from what was measured. */
export function contaminationText(funnel: Funnel | null, sets: EvaluationDigests, filter: FilterRecipe | null): string {
  if (funnel === null || funnel.contamination.looked === 0 || setsText(sets) === "") return "";
  const { looked, hits, tasks } = funnel.contamination;
  const rows = hits.map(
    ({ list, by, trajectories, kept }) =>
      `| ${list} | ${kindTexts[by]} | ${grouped(trajectories)} | ${grouped(trajectories - kept)} | ${grouped(kept)} |`,
  );
  const warning = tasks.kept === 0 ? "" : " **Results on these sets of models trained on it mean nothing.**";
  const found =
    tasks.trajectories === 0
      ? "None of them is on a task of theirs."
      : `${grouped(tasks.trajectories)} on tasks of theirs: ${grouped(tasks.trajectories - tasks.kept)} left out, ${grouped(tasks.kept)} in this dataset.${warning}`;
  return `## Evaluation sets

${grouped(looked)} trajectories were held against sets that models are evaluated on (${setsText(sets)}). ${found}
${rows.length === 0 ? "" : `\n| set | found by | trajectories | left out, for this or another reason | in this dataset |\n| --- | --- | ---: | ---: | ---: |\n${rows.join("\n")}\n`}
${filter === null ? "" : `${rulesText(filter)} `}In the table a text counts from ${telltaleShare} of the fingerprints that one task has for itself. A task that was put into other words, or whose text is not in the run, is found by its id alone.`;
}
