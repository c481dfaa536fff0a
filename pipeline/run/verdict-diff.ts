import type { OnlyIn, VerdictDiff, Yield } from "../../schemas/analysis.ts";
import { Fault } from "../../schemas/fault.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import type { LeftOut } from "../../schemas/selection.ts";
import type { Decision, Failure, Verdict } from "../../schemas/verdict.ts";
import { leftOutText } from "../../stages/filter/selection/left-out-text.ts";
import { stepNamed } from "../plan.ts";
import { readManifest } from "../store/manifests.ts";
import { type RunFolder, runOptions, verdictName } from "../store/run-folder.ts";
import { readBundles, type StoredBundle } from "./bundles.ts";
import { differences } from "./changes.ts";

/** Examples per side: enough to open, few enough to read. */
const mostExamples = 5;

interface Side {
  readonly kept: Yield;
  readonly because: Map<string, number>;
  readonly examples: { readonly id: string; readonly why: string[] }[];
}
const emptySide = (): Side => ({ kept: { trajectories: 0, segments: 0 }, because: new Map(), examples: [] });

const verdictIn = (bundle: StoredBundle | undefined): Verdict | null =>
  bundle?.verdict?.outcome.ok === true ? bundle.verdict.outcome.value : null;

const leftOutIn = (bundle: StoredBundle): LeftOut | null =>
  bundle.selection?.outcome.ok === true ? bundle.selection.outcome.value.leftOut : null;

/** What a set says of one trajectory. */
interface Said {
  readonly verdict: Verdict;
  readonly leftOut: LeftOut | null;
}
const saidIn = (bundle: StoredBundle): Said | null => {
  const verdict = verdictIn(bundle);
  return verdict === null ? null : { verdict, leftOut: leftOutIn(bundle) };
};

const keptSegments = ({ verdict: { segments, dropLast }, leftOut }: Said): number =>
  leftOut !== null ? 0 : [...segments, ...(dropLast === null ? [] : [dropLast])].filter(({ keep }) => keep).length;

const sentence = ({ filter, block, value, limit, action }: Failure): string =>
  `${filter}${block === null ? "" : ` in call ${block + 1}`}: ${value}${limit === null ? "" : `, limit ${limit}`} (${action})`;

/** Why a set that does not keep as much does not: whatever is not merely flagged. */
function causesIn({ trajectory, context, segments }: Verdict): Failure[] {
  const all: Decision[] = [trajectory, context, ...segments];
  const seen = new Set<string>();
  return all
    .flatMap(({ failed }) => failed)
    .filter((failure) => {
      const words = sentence(failure);
      if (failure.action === "flag" || seen.has(words)) return false;
      seen.add(words);
      return true;
    });
}

function note(side: Side, id: string, more: number, { verdict, leftOut }: Said): void {
  side.kept.trajectories += 1;
  side.kept.segments += more;
  const causes = causesIn(verdict);
  const ofSet = leftOut === null ? [] : [`set:${leftOut.rule}`];
  for (const filter of new Set([...causes.map((failure) => failure.filter), ...ofSet]))
    side.because.set(filter, (side.because.get(filter) ?? 0) + 1);
  if (side.examples.length < mostExamples)
    side.examples.push({ id, why: [...causes.map(sentence), ...(leftOut === null ? [] : [leftOutText(leftOut)])] });
}

const finished = ({ kept, because, examples }: Side): OnlyIn => ({
  kept,
  because: [...because]
    .map(([filter, trajectories]) => ({ filter, trajectories }))
    .sort((a, b) => b.trajectories - a.trajectories || (a.filter < b.filter ? -1 : 1)),
  examples,
});

async function requireJudged(run: RunFolder): Promise<void> {
  for (let shard = 0; shard < run.shards; shard += 1)
    if ((await readManifest(run, stepNamed("judge").step, shard)) === null)
      throw new Fault(
        "STAGE_INCOMPLETE",
        "stop",
        `the verdict set ${verdictName(run)} of run ${run.name} is not judged yet; judge it with: catgen run 5 ${runOptions(run)}`,
      );
}

/** What one verdict set of a run keeps and the other does not, and why, from verdict and selection rows alone. Both runs are one run, as each set sees it. */
export async function diffVerdicts(first: RunFolder, second: RunFolder, recipes: readonly [Recipe, Recipe]): Promise<VerdictDiff> {
  await requireJudged(first);
  await requireJudged(second);
  const [onlyFirst, onlySecond] = [emptySide(), emptySide()];
  const both: Yield = { trajectories: 0, segments: 0 };
  let [judged, neither] = [0, 0];
  for (let shard = 0; shard < first.shards; shard += 1) {
    const others = readBundles(second, shard, ["verdict", "selection"]);
    try {
      for await (const bundle of readBundles(first, shard, ["verdict", "selection"])) {
        const { value: partner } = await others.next();
        if (partner?.id !== bundle.id)
          throw new Fault(
            "STAGE_INCOMPLETE",
            "stop",
            `shard ${shard}: the two sets judge other trajectories; judge both anew: catgen run 5, with and without --verdict`,
          );
        const [a, b] = [saidIn(bundle), saidIn(partner)];
        if (a === null || b === null) continue;
        judged += 1;
        const [inA, inB] = [keptSegments(a), keptSegments(b)];
        both.segments += Math.min(inA, inB);
        if (inA > 0 && inB > 0) both.trajectories += 1;
        if (inA === 0 && inB === 0) neither += 1;
        if (inA > inB) note(onlyFirst, bundle.id, inA - inB, b);
        if (inB > inA) note(onlySecond, bundle.id, inB - inA, a);
      }
    } finally {
      await others.return(undefined);
    }
  }
  return {
    run: first.name,
    verdicts: [verdictName(first), verdictName(second)],
    recipe: differences(recipes[0].filter, recipes[1].filter, "filter"),
    judged,
    both,
    neither,
    onlyFirst: finished(onlyFirst),
    onlySecond: finished(onlySecond),
  };
}
