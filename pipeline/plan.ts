import type { z } from "zod";
import type { PartName } from "../schemas/bundle.ts";
import { Fault } from "../schemas/fault.ts";
import { condenseOutline } from "../stages/condense/outline.ts";
import { detectOutline } from "../stages/detect/outline.ts";
import { judgeOutline } from "../stages/filter/judge-outline.ts";
import { measureOutline } from "../stages/filter/measure-outline.ts";
import type { Outcome, Ports } from "../stages/stage.ts";
import { stitch } from "../stages/stitch/stitch.ts";

/** An outline as the runner sees it: types are checked where it is declared, here any of them fits. */
export interface AnyOutline {
  readonly name: string;
  readonly version: number;
  readonly reads: readonly PartName[];
  readonly readsIfKept: readonly PartName[];
  readonly writes: PartName;
  readonly params: z.ZodType;
}

/** The same with the stage's code. */
export interface AnyStage extends AnyOutline {
  run(input: never, params: never, ports: Ports): Promise<Outcome<unknown>>;
}

/** The single table: number -> steps -> what they need. `make stage-5` runs two steps, since judging again must not measure again. */
export const stepTable = [
  { step: "1-generate", number: 1, name: "generate", writes: "trajectory", needs: "files, or a model and a sandbox" },
  { step: "2-detect", number: 2, name: "detect", writes: "detection", needs: "CPU: token counts" },
  { step: "3-condense", number: 3, name: "condense", writes: "memory", needs: "the model, or the built-in condenser" },
  { step: "4-stitch", number: 4, name: "stitch", writes: "workspace", needs: "nothing" },
  { step: "5-measure", number: 5, name: "measure", writes: "metrics", needs: "CPU: token counts" },
  { step: "5-judge", number: 5, name: "judge", writes: "verdict", needs: "nothing" },
  { step: "5-select", number: 5, name: "select", writes: "selection", needs: "nothing" },
  { step: "6-export", number: 6, name: "export", writes: null, needs: "CPU: token counts" },
] as const satisfies readonly { step: string; number: number; name: string; writes: PartName | null; needs: string }[];

export type StepInfo = (typeof stepTable)[number];
export type StepName = StepInfo["name"];
/** Steps that run row by row, shard by shard. */
export type RowStepName = Exclude<StepName, "generate" | "select" | "export">;

interface RowStage {
  readonly outline: AnyOutline;
  /** Each stage is a hundred modules: they are loaded by whoever makes its rows. */
  load(): Promise<AnyStage>;
}

const rowStages: { readonly [K in RowStepName]: RowStage } = {
  detect: { outline: detectOutline, load: async () => (await import("../stages/detect/detect.ts")).detect },
  condense: { outline: condenseOutline, load: async () => (await import("../stages/condense/condense.ts")).condense },
  stitch: { outline: stitch, load: async () => stitch },
  measure: { outline: measureOutline, load: async () => (await import("../stages/filter/measure.ts")).measure },
  judge: { outline: judgeOutline, load: async () => (await import("../stages/filter/judge.ts")).judge },
};

export const rowSteps = Object.keys(rowStages) as RowStepName[];
export const outlineOf = (name: RowStepName): AnyOutline => rowStages[name].outline;
export const loadStage = (name: RowStepName): Promise<AnyStage> => rowStages[name].load();

/** Import is no `Stage` (it reads files, not rows), selecting sees all rows at once, and export writes none; their versions stand here. */
export const generateVersion = 4;
export const selectVersion = 3;
export const exportVersion = 7;

/** Every step's version, by its name. */
export const stepVersions: Readonly<Record<StepName, number>> = {
  generate: generateVersion,
  detect: detectOutline.version,
  condense: condenseOutline.version,
  stitch: stitch.version,
  measure: measureOutline.version,
  judge: judgeOutline.version,
  select: selectVersion,
  export: exportVersion,
};

/** The step that writes a part. */
export function writerOf(part: PartName): StepInfo {
  const step = stepTable.find((info) => info.writes === part);
  if (step === undefined) throw new Error(`no step writes ${part}`);
  return step;
}

export const stepNamed = (name: StepName): StepInfo => {
  const step = stepTable.find((info) => info.name === name);
  if (step === undefined) throw new Error(`no step is named ${name}`);
  return step;
};

/** Steps meant by `3`, `2-5`, `all` or a name. */
export function stepsIn(expression: string): StepInfo[] {
  if (expression === "all") return [...stepTable];
  const named = stepTable.filter((info) => info.name === expression || info.step === expression);
  if (named.length > 0) return named;
  const range = /^([1-6])(?:-([1-6]))?$/.exec(expression);
  const from = Number(range?.[1]);
  const to = Number(range?.[2] ?? range?.[1]);
  if (range === null || from > to)
    throw new Fault(
      "USAGE",
      "stop",
      `expected a stage: 1 to 6, a range such as 2-5, all, or one of ${stepTable.map((info) => info.name).join(", ")}; got ${JSON.stringify(expression)}`,
    );
  return stepTable.filter((info) => info.number >= from && info.number <= to);
}

/** Shards meant by `0-3,7` (undefined: all). */
export function shardsIn(expression: string | undefined, shards: number): number[] {
  if (expression === undefined) return Array.from({ length: shards }, (_, shard) => shard);
  const wanted = new Set<number>();
  for (const piece of expression.split(",")) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(piece.trim());
    const from = Number(range?.[1]);
    const to = Number(range?.[2] ?? range?.[1]);
    if (range === null || from > to || to >= shards)
      throw new Fault("USAGE", "stop", `expected --shards like 0-3,7 with numbers under ${shards}; got ${JSON.stringify(piece)}`);
    for (let shard = from; shard <= to; shard += 1) wanted.add(shard);
  }
  return [...wanted].sort((a, b) => a - b);
}
