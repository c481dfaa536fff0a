import type { CondenseRecipe, PersonaRecipe } from "../../schemas/recipe.ts";
import type { Detection } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { targetTokens } from "../lib/condense-input.ts";
import { requestOverhead, requestStepTokens } from "../lib/condense-request.ts";
import { render } from "../lib/render.ts";
import { type CountTokens, measureSizes } from "../lib/sizes.ts";

/** What one block takes before it is written, tokens. */
export interface ExpectedBlock {
  readonly cut: number;
  /** The request with a previous memory of its target size, and of its cap. */
  readonly prompt: { readonly expected: number; readonly atMost: number };
  /** m(a), and the cap. */
  readonly reply: { readonly expected: number; readonly atMost: number };
}

/** Requests for a memory that one block takes when the first replies are accepted; its thought takes a small one of its own. The one place that says so. */
export const callsPerBlock = (condense: CondenseRecipe): number => condense.candidates;

/** The same when every attempt is used up. */
export const mostCallsPerBlock = (condense: CondenseRecipe): number => callsPerBlock(condense) * condense.attempts;

/**
 * The blocks of a detection by the arithmetic that placement reckons with: what every request has, the task, the memory before, and the
 * steps since it with the recent ones. null: the persona cannot render the trajectory, so none is asked for.
 */
export function expectedBlocks(
  trajectory: Trajectory,
  { points }: Pick<Detection, "points">,
  { persona, condense }: { readonly persona: PersonaRecipe; readonly condense: CondenseRecipe },
  count: CountTokens,
): ExpectedBlock[] | null {
  const rendering = render(trajectory, persona);
  if (!rendering.ok) return null;
  const sizes = measureSizes(rendering.value, count);
  const steps = requestStepTokens(rendering.value.steps, count);
  const fixed = requestOverhead(count) + count(rendering.value.prompt);
  return points.map(({ cut, keptFrom }, index) => {
    const before = points[index - 1];
    const rest = fixed + (steps[cut] ?? 0) - (steps[before?.keptFrom ?? 0] ?? 0);
    const memory = before === undefined ? 0 : targetTokens(sizes, before.keptFrom, condense);
    return {
      cut,
      prompt: { expected: rest + memory, atMost: rest + (before === undefined ? 0 : condense.memoryCapTokens) },
      reply: { expected: targetTokens(sizes, keptFrom, condense), atMost: condense.memoryCapTokens },
    };
  });
}
