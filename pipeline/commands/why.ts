import type { PartName } from "../../schemas/bundle.ts";
import type { Settled } from "../keys.ts";
import { stepKey } from "../keys.ts";
import { type StepInfo, stepsIn, writerOf } from "../plan.ts";
import { changes } from "../run/changes.ts";
import { stageShards } from "../run/overview.ts";
import { type Lack, restsOn } from "../run/state.ts";
import { readKeyMaterial } from "../store/manifests.ts";
import { openRun, type RunFolder, withVerdict } from "../store/run-folder.ts";
import { chosenRecipe, type RecipeOptions } from "./chosen-recipe.ts";
import { type CommonOptions, print, runsFolder, savedRecipe, settleHere } from "./shared.ts";

export interface Why {
  readonly stage: string;
  readonly shards: { readonly done: number; readonly missing: number; readonly stale: number };
  /** One sentence per cause, with the number of shards it concerns. */
  readonly causes: readonly { readonly cause: string; readonly shards: number }[];
  /** Earlier steps that would run first; what they make decides whether this one has anything to do. */
  readonly waitsFor: readonly string[];
}

async function causesOf(run: RunFolder, info: StepInfo, settled: Settled, lack: Lack): Promise<string[]> {
  switch (lack.kind) {
    case "missing":
      return ["never made"];
    case "key": {
      const old = await readKeyMaterial(run, info.step, lack.oldKey);
      const now = stepKey(info.name, settled).material;
      return old === null ? ["made by parameters that are no longer known"] : changes(old, now);
    }
    case "inputs":
      return lack.parts.map((part) => `its input changed: ${part}, written by ${writerOf(part as PartName).step}`);
    case "failures":
      return [`${lack.count} records failed and will be tried again`];
    case "rows-gone":
      return ["its rows file is gone or has another size than its manifest says"];
  }
}

/** Why would this step run again? From manifests and key material alone. */
export async function whyOf(run: RunFolder, info: StepInfo, settled: Settled): Promise<Why> {
  const shards = await stageShards(run, info.name, settled);
  const causes = new Map<string, number>();
  for (const lack of shards.lacks) {
    if (lack === null) continue;
    for (const cause of await causesOf(run, info, settled, lack)) causes.set(cause, (causes.get(cause) ?? 0) + 1);
  }
  return {
    stage: info.step,
    shards: { done: shards.done, missing: shards.missing, stale: shards.stale },
    causes: [...causes].map(([cause, count]) => ({ cause, shards: count })),
    waitsFor: await waiting(run, info, settled),
  };
}

async function waiting(run: RunFolder, info: StepInfo, settled: Settled): Promise<string[]> {
  const steps: string[] = [];
  for (const below of restsOn(info)) {
    const { missing, stale } = await stageShards(run, below.name, settled);
    if (missing + stale > 0) steps.push(below.step);
  }
  return steps;
}

function text({ stage, shards, causes, waitsFor }: Why): string {
  const first = waitsFor.length === 0 ? "" : `; ${waitsFor.join(", ")} would run first, and what changes there decides`;
  if (causes.length === 0)
    return `${stage}: ${waitsFor.length === 0 ? "up to date" : "nothing of its own to do"} (${shards.done} shards)${first}`;
  const would = `${stage}: ${shards.missing + shards.stale} of ${shards.done + shards.missing + shards.stale} shards would run${first}`;
  return [would, ...causes.map(({ cause, shards: count }) => `  ${cause} (${count} shards)`)].join("\n");
}

/** `catgen why STAGE`: what would run again and which parameter or input is the cause. `--recipe`/`--set` ask about a recipe not yet used. */
export async function whyCommand(options: CommonOptions & RecipeOptions & { readonly stages: string }): Promise<number> {
  const run = withVerdict(await openRun(runsFolder(options.runs), options.run), options.verdict ?? null); // a set not yet made may be asked about
  const asked = await settleHere(await chosenRecipe(await savedRecipe(run), options, run.verdict), run);
  const answers: Why[] = [];
  for (const info of stepsIn(options.stages)) answers.push(await whyOf(run, info, asked));
  print(options, { run: run.name, stages: answers }, () => answers.map(text).join("\n"));
  return 0;
}
