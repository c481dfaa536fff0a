import type { SplitName } from "../split.ts";
import type { LaunchPlan, TrainerData } from "./launcher.ts";

/**
 * Folder with one split of a mixture and nothing else, for trainers that read every file of a folder, or one folder only: `run.sh` links
 * the Parquet files into it.
 */
export const linkedRows = ({ layout, mixture }: Pick<TrainerData, "layout" | "mixture">, trainer: string, split: SplitName): string =>
  `prepared/${trainer}-${mixture.name}-${layout}/${split}`;

/** Bash lines that make those folders; names stay apart by kind and begin with the split, by which `datasets` knows it. */
export const linkingLines = (plan: LaunchPlan, data: readonly TrainerData[], trainer: string): string[] =>
  data
    .filter(({ layout }) => layout !== "tokenized")
    .flatMap((one) =>
      (["train", "validation"] as const).flatMap((split) =>
        plan.parts
          .filter(
            ({ layout, kind, splits }) =>
              layout === one.layout && splits.includes(split) && one.mixture.parts.some((part) => part.kind === kind),
          )
          .map(({ layout, kind }) => `link ${layout}/${kind} ${split} ${linkedRows(one, trainer, split)} ${kind}`),
      ),
    );

/** Hosts that share a disk do this at the same time, so nothing is removed but links to files that are gone. */
export const linkFunction = `# link FROM SPLIT TO KIND: the split's Parquet files of FROM, named by kind, in TO
link() {
  mkdir -p "$3"
  find "$3" -xtype l -delete || true
  for file in "$PWD/$1/$2"-*.parquet; do
    ln -sfn "$file" "$3/$2-$4-\${file##*/"$2"-}"
  done
}`;
