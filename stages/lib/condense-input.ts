import type { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import type { Block } from "../../schemas/sidecars.ts";
import type { Rendered, RenderedStep } from "./render.ts";
import type { Sizes } from "./sizes.ts";

/** What a memory is made from (DESIGN 5): Q, the previous memory and the fold; the recent steps are shown read-only. Never the future. */
export interface CondenseInput {
  /** The task as the persona states it. */
  readonly task: string;
  readonly previousMemory: string | null;
  /** Steps that vanish behind the memory, oldest first; `first` = 1-based number of fold[0] in the trajectory. */
  readonly fold: readonly RenderedStep[];
  readonly first: number;
  /** Steps that stay verbatim behind the memory. */
  readonly recent: readonly RenderedStep[];
  /** Size to aim at, tokens; and the size that must not be exceeded. */
  readonly targetTokens: number;
  readonly capTokens: number;
}

/** The part of the recipe that sizes memories. */
export type MemorySize = Pick<CondenseRecipe, "memoryBaseTokens" | "memoryShare" | "memoryCapTokens">;

/** m(a): the size aimed at for a memory over steps [0, keptFrom), tokens. Depends on the cut alone, so that placement stays additive. */
export const targetTokens = (sizes: Pick<Sizes, "upTo">, keptFrom: number, recipe: MemorySize): number =>
  Math.min(recipe.memoryCapTokens, Math.round(recipe.memoryBaseTokens + recipe.memoryShare * (sizes.upTo[keptFrom] ?? 0)));

/** The input of block `index`; `earlier` are the blocks before it. */
export function condenseInput(
  rendered: Rendered,
  sizes: Pick<Sizes, "upTo">,
  point: Pick<Block, "cut" | "keptFrom">,
  earlier: Pick<Block, "keptFrom" | "memory"> | null,
  recipe: MemorySize,
): CondenseInput {
  const start = earlier?.keptFrom ?? 0;
  return {
    task: rendered.prompt,
    previousMemory: earlier?.memory ?? null,
    fold: rendered.steps.slice(start, point.keptFrom),
    first: start + 1,
    recent: rendered.steps.slice(point.keptFrom, point.cut),
    targetTokens: targetTokens(sizes, point.keptFrom, recipe),
    capTokens: recipe.memoryCapTokens,
  };
}
