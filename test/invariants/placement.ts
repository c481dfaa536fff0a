import fc from "fast-check";
import type { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { Recipe } from "../../schemas/recipe.ts";
import type { Turn } from "../../schemas/sample.ts";
import type { Block, Workspace } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { MemorySize } from "../../stages/lib/condense-input.ts";
import { contextThought } from "../../stages/lib/context-thought.ts";
import { memoryWithoutLast, workspaceWithoutLast } from "../../stages/lib/last-call.ts";
import { heading, memorySections } from "../../stages/lib/memory-text.ts";
import { type Rendered, render } from "../../stages/lib/render.ts";
import { baseTurns, condensationTurns, segmentTurns } from "../../stages/lib/samples.ts";
import { measureSizes, type Sizes } from "../../stages/lib/sizes.ts";
import { cutSegments } from "../../stages/stitch/stitch.ts";
import { arbitraryText, arbitraryTrajectory, type TrajectoryOptions } from "../fakes/arbitrary-trajectory.ts";
import { exactTokens } from "../fakes/fake-ports.ts";

/** A trajectory with blocks, and every sample of it: what the invariants of DESIGN 5 speak about. */
export interface Placement {
  readonly trajectory: Trajectory;
  readonly recipe: PersonaRecipe;
  readonly keepSteps: number;
  readonly rendered: Rendered;
  readonly sizes: Sizes;
  readonly blocks: readonly Block[];
  readonly workspace: Workspace;
  readonly segments: readonly Turn[][];
  readonly condensations: readonly Turn[][];
  readonly base: readonly Turn[];
  readonly baseWithoutContext: readonly Turn[];
}

export const defaults = Recipe.parse({});
export const memorySize: MemorySize = defaults.condense;
export const personaRecipe = (set: Partial<PersonaRecipe> = {}): PersonaRecipe => ({ ...defaults.persona, ...set });

/** A memory with all its sections, of one bullet with `length` filler words in each. */
export const memoryText = (words: string, length = 1): string =>
  memorySections
    .map(({ part, title }) => `${heading(title)}\n- ${part === "attempts" ? "failed: " : ""}${`${words} `.repeat(length).trimEnd()}`)
    .join("\n\n");

/** Legal cuts: every fold and every last segment has at least one step. */
export const legalCuts = (steps: number, keepSteps: number): number[] =>
  Array.from({ length: Math.max(0, steps - keepSteps - 1) }, (_, index) => keepSteps + 1 + index);

type Words = Pick<Block, "thought" | "memory">;

export const blocksAt = (cuts: readonly number[], keepSteps: number, words: (index: number) => Words): Block[] =>
  cuts.map((cut, index) => ({
    cut,
    keptFrom: cut - keepSteps,
    ...words(index),
    writer: { condenser: "extractive", version: 1 },
    judged: null,
  }));

export function place(
  trajectory: Trajectory,
  recipe: PersonaRecipe,
  keepSteps: number,
  cuts: readonly number[],
  words: (index: number) => Words,
): Placement {
  const rendering = render(trajectory, recipe);
  if (!rendering.ok) throw new Error(`${trajectory.id} cannot be rendered: ${rendering.reasons.join(" ")}`);
  const rendered = rendering.value;
  const sizes = measureSizes(rendered, exactTokens);
  const blocks = blocksAt(cuts, keepSteps, words);
  const workspace = cutSegments(trajectory.steps.length, { blocks });
  return {
    trajectory,
    recipe,
    keepSteps,
    rendered,
    sizes,
    blocks,
    workspace,
    segments: workspace.segments.map((segment) => segmentTurns(rendered, blocks, segment, recipe)),
    condensations: workspace.condensations.map((one) => condensationTurns(rendered, sizes, blocks, one, memorySize)),
    base: baseTurns(rendered, "with-context"),
    baseWithoutContext: baseTurns(rendered, "without-context"),
  };
}

/** The placement as export makes it where the verdict drops the last context call; there must be one. */
export function withoutLastCall(placement: Placement): Placement {
  const { rendered, sizes, recipe } = placement;
  const { blocks } = memoryWithoutLast({ blocks: [...placement.blocks] });
  const workspace = workspaceWithoutLast(placement.workspace);
  return {
    ...placement,
    blocks,
    workspace,
    segments: workspace.segments.map((segment) => segmentTurns(rendered, blocks, segment, recipe)),
    condensations: workspace.condensations.map((one) => condensationTurns(rendered, sizes, blocks, one, memorySize)),
  };
}

/** All samples of a placement, of every kind. */
export const allSamples = (placement: Placement): (readonly Turn[])[] => [
  ...placement.segments,
  ...placement.condensations,
  placement.base,
  placement.baseWithoutContext,
];

const arbitraryThought: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("window-occupancy", "falling-utilisation", "milestone", "phase-change", "repeated-failures", "loop", "of-a-user"),
      fc.constantFrom("signals", "window"),
      arbitraryText(),
      fc.nat(),
    )
    .map(([signal, reason, evidence, pick]) =>
      contextThought(reason === "window" ? "window" : "signals", [{ signal, score: 1, evidence: [evidence] }], pick),
    ),
  fc.constant(""),
  arbitraryText(),
  arbitraryText().map((text) => ` \r\n\n${text}`),
);
const arbitraryMemory = fc.oneof(
  arbitraryText(200).map((text) => memoryText(text)),
  arbitraryText(200).map((text) => `m${text}`),
);

/** Any subset of the legal cuts, with a liking for all, none, the first, the last and neighbours. */
const arbitraryCuts = (legal: readonly number[]): fc.Arbitrary<number[]> =>
  legal.length === 0
    ? fc.constant([])
    : fc.oneof(
        { weight: 4, arbitrary: fc.subarray([...legal]) },
        {
          weight: 1,
          arbitrary: fc.constantFrom<number[]>([], [...legal], legal.slice(0, 1), legal.slice(-1), legal.slice(0, 2), legal.slice(-2)),
        },
      );

/** Random trajectory, persona, k = 0..5 and legal blocks. */
export const arbitraryPlacement = (
  options: TrajectoryOptions = {},
  change: (trajectory: Trajectory) => Trajectory = (same) => same,
): fc.Arbitrary<Placement> =>
  fc
    .record({
      trajectory: arbitraryTrajectory(options).map(change),
      name: fc.constantFrom("paper", "keep"),
      keepSteps: fc.nat(5),
    })
    .chain(({ trajectory, name, keepSteps }) =>
      fc
        .record({
          cuts: arbitraryCuts(legalCuts(trajectory.steps.length, keepSteps)),
          thoughts: fc.array(arbitraryThought, { minLength: trajectory.steps.length, maxLength: trajectory.steps.length }),
          memories: fc.array(arbitraryMemory, { minLength: trajectory.steps.length, maxLength: trajectory.steps.length }),
        })
        .map(({ cuts, thoughts, memories }) => ({
          [fc.toStringMethod]: () =>
            JSON.stringify({ steps: trajectory.steps, name, keepSteps, cuts, thoughts: thoughts.slice(0, cuts.length) }),
          ...place(trajectory, personaRecipe({ name: name === "paper" ? "paper" : "keep" }), keepSteps, cuts, (index) => ({
            thought: thoughts[index] ?? "",
            memory: memories[index] ?? "",
          })),
        })),
    );
