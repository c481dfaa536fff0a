import type { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import type { Sample, SampleFacts } from "../../schemas/sample.ts";
import type { Memory, Writer } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { type CountTokens, lastHeaderTokens, messageTokens, openingTokens, replyTokens } from "../lib/sizes.ts";
import type { Draft } from "./kinds/kind.ts";

export interface SampleSize {
  readonly tokens: number;
  readonly trainedTokens: number;
  /** Largest prompt + max(reserve, own reply) over the trained turns (DESIGN 5, invariant 5). */
  readonly neededTokens: number;
}

/** Sizes of a sample that opens with a system turn. */
export function sizeOf(turns: Sample["turns"], reserveTokens: number, count: CountTokens): SampleSize {
  const opening = openingTokens(count);
  let tokens = 0;
  let trainedTokens = 0;
  let neededTokens = 0;
  for (const turn of turns) {
    const own = messageTokens(turn, count);
    if (turn.train) {
      const reply = replyTokens(own, count);
      trainedTokens += reply;
      neededTokens = Math.max(neededTokens, tokens + opening + Math.max(reserveTokens, reply));
    }
    tokens += own;
  }
  if (turns.at(-1)?.role === "assistant") tokens += lastHeaderTokens(count);
  return { tokens, trainedTokens, neededTokens };
}

/** JSON text with sorted keys, so that equal facts are equal text. */
const sortedJson = (value: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

const writerFacts = (writer: Writer | undefined): Record<string, unknown> =>
  writer === undefined
    ? {}
    : {
        condenser: writer.condenser,
        ...(writer.condenser === "llm" ? { model: writer.model, request: writer.request } : { version: writer.version }),
      };

/** What the `cat_*` columns say about a sample. */
export function factsOf(
  trajectory: Trajectory,
  memory: Memory | null,
  draft: Draft,
  size: SampleSize,
  persona: PersonaRecipe,
): SampleFacts {
  const { origin, outcome, task } = trajectory;
  return {
    instance: trajectory.instance,
    source: trajectory.source,
    resolved: outcome.resolved,
    licence: origin.licence,
    toolsJson: `[${draft.tools.join(", ")}]`,
    callStyle: persona.callStyle,
    tokens: size.tokens,
    trainedTokens: size.trainedTokens,
    metaJson: sortedJson({
      agentModel: origin.model,
      calls: `written as ${persona.callStyle}, source: ${origin.callStyle}`,
      dialect: origin.dialect,
      exit: outcome.exit,
      keptSteps: draft.keptSteps,
      marks: trajectory.marks,
      memories: draft.memories.map(({ block, trained }) => ({ block, trained, ...writerFacts(memory?.blocks[block]?.writer) })),
      persona: persona.name,
      repository: task.repository,
    }),
  };
}
