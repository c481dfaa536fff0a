import type { ExportRecipe } from "../../../schemas/recipe/export.ts";
import type { PersonaRecipe } from "../../../schemas/recipe/persona.ts";
import type { Turn } from "../../../schemas/sample.ts";
import type { Memory, Workspace } from "../../../schemas/sidecars.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import type { Decision, Verdict } from "../../../schemas/verdict.ts";
import type { MemorySize } from "../../lib/condense-input.ts";
import type { Rendered } from "../../lib/render.ts";
import type { Sizes } from "../../lib/sizes.ts";
import type { Outcome } from "../../stage.ts";

/** One trajectory with all that samples are made of. `memory` and `workspace` are null when an earlier stage rejected it. */
export interface KindInput {
  readonly trajectory: Trajectory;
  readonly rendered: Rendered;
  readonly sizes: Sizes;
  readonly memory: Memory | null;
  readonly workspace: Workspace | null;
  readonly verdict: Verdict;
}

export interface KindParams {
  readonly persona: PersonaRecipe;
  readonly condense: MemorySize;
  readonly export: Pick<ExportRecipe, "baseTools" | "baseOutcome" | "condenseExtractive">;
}

/** The text of a sample and what a reader of the dataset may want to know of how it came about. */
export interface Draft {
  readonly turns: readonly Turn[];
  /** Its system prompt without the tools; null: it has none of its own. */
  readonly system: string | null;
  /** Tool schemas that its system turn describes. */
  readonly tools: readonly string[];
  /** Blocks whose memory stands in the text, by number; `trained` when it is what the sample teaches to write. */
  readonly memories: readonly { readonly block: number; readonly trained: boolean }[];
  /** Steps shown verbatim behind a memory; null without one. */
  readonly keptSteps: number | null;
}

/** A kind of sample. A trajectory has as many of it as there are decisions; a rejected draft is one that the recipe leaves out. */
export interface Kind {
  decisions(judged: Pick<KindInput, "verdict" | "workspace">): readonly Decision[];
  draft(input: KindInput, index: number, params: KindParams): Outcome<Draft>;
}

/** What stage 4 made, for a sample that the verdict keeps. */
export function stitched({ trajectory, memory, workspace }: KindInput): { memory: Memory; workspace: Workspace } {
  if (memory !== null && workspace !== null) return { memory, workspace };
  throw new Error(`${trajectory.id} has verdicts on segments but no memory or workspace`);
}

/** The item a verdict speaks of. */
export function itemAt<T>(items: readonly T[], index: number, what: string): T {
  const item = items[index];
  if (item !== undefined) return item;
  throw new Error(`${what} ${index} is judged but there are only ${items.length}`);
}

export const spanSteps = (span: { start: number; end: number } | null): number => (span === null ? 0 : span.end - span.start);
