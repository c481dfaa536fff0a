import { z } from "zod";
import { ThresholdRecipe } from "../../schemas/recipe/filter.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";
import type { StageOutline } from "../stage.ts";
import { actionProblems } from "./actions.ts";

export const JudgeParams = z
  .strictObject({ filter: ThresholdRecipe, windowTokens: WindowRecipe.shape.tokens })
  .refine(({ filter }) => actionProblems(filter.actions).length === 0, "filter.actions: unknown filters, or actions they cannot take");
export type JudgeParams = z.infer<typeof JudgeParams>;

export const judgeOutline: StageOutline<"metrics", never, "verdict", JudgeParams> = {
  name: "judge",
  version: 2,
  reads: ["metrics"],
  readsIfKept: [],
  writes: "verdict",
  params: JudgeParams,
};
