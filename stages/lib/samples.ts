import type { ExportRecipe } from "../../schemas/recipe/export.ts";
import type { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import type { Turn } from "../../schemas/sample.ts";
import type { Block, Condensation, Segment } from "../../schemas/sidecars.ts";
import { condenseInput, type MemorySize } from "./condense-input.ts";
import { condenseRequest } from "./condense-request.ts";
import { blockTexts, headTurns, type Rendered, stepTurns } from "./render.ts";
import type { Sizes } from "./sizes.ts";

const at = (blocks: readonly Block[], index: number): Block => {
  const block = blocks[index];
  if (block === undefined) throw new Error(`a segment points at block ${index} of ${blocks.length}`);
  return block;
};

const plain = (role: Turn["role"], content: string, train = false): Turn => ({ role, content, train, step: -1 });

/** Kind `segment`: what the live agent sees between two context calls. Trained: the steps of `target` and the call of `closes`. */
export function segmentTurns(rendered: Rendered, blocks: readonly Block[], segment: Segment, recipe: PersonaRecipe): Turn[] {
  const turns = headTurns(rendered);
  if (segment.opens !== null) {
    const texts = blockTexts(at(blocks, segment.opens), recipe);
    turns.push(plain("assistant", texts.call), plain("user", texts.result));
  }
  if (segment.recent !== null) turns.push(...stepTurns(rendered, segment.recent, false));
  turns.push(...stepTurns(rendered, segment.target, true, segment.closes === null));
  if (segment.closes !== null) turns.push(plain("assistant", blockTexts(at(blocks, segment.closes), recipe).call, true));
  return turns;
}

/** Kind `condense`: what the condenser was asked, and the memory it wrote. */
export function condensationTurns(
  rendered: Rendered,
  sizes: Pick<Sizes, "upTo">,
  blocks: readonly Block[],
  condensation: Condensation,
  recipe: MemorySize,
): Turn[] {
  const block = at(blocks, condensation.target);
  const earlier = condensation.opens === null ? null : at(blocks, condensation.opens);
  return [plain("user", condenseRequest(condenseInput(rendered, sizes, block, earlier, recipe))), plain("assistant", block.memory, true)];
}

/** Kind `flat`: the whole trajectory with its context calls in line; nothing is folded, so no live agent ever sees the later steps so. */
export function flatTurns(rendered: Rendered, blocks: readonly Block[], recipe: PersonaRecipe): Turn[] {
  const turns = headTurns(rendered);
  let start = 0;
  for (const block of blocks) {
    const texts = blockTexts(block, recipe);
    turns.push(...stepTurns(rendered, { start, end: block.cut }, true));
    turns.push(plain("assistant", texts.call, true), plain("user", texts.result));
    start = block.cut;
  }
  return [...turns, ...stepTurns(rendered, { start, end: rendered.steps.length }, true, true)];
}

/** Model calls that a segment trains: its steps, and the context call that closes it. */
export const callsOf = ({ target, closes }: Segment): number => target.end - target.start + (closes === null ? 0 : 1);

/** Kind `step`: a segment up to its trained turn `call`, counted from 0, which alone is trained. */
export function callTurns(segment: readonly Turn[], call: number): Turn[] {
  const places = segment.flatMap((turn, index) => (turn.train ? [index] : []));
  const last = places[call];
  if (last === undefined) throw new Error(`there is no model call ${call} in a segment of ${places.length}`);
  return segment.slice(0, last + 1).map((turn, index) => ({ ...turn, train: index === last }));
}

/** Kind `base`: the ReAct baseline, the whole trajectory without context calls (BASE-INSTRUCT). */
export const baseTurns = (rendered: Rendered, tools: ExportRecipe["baseTools"]): Turn[] => [
  ...headTurns(rendered, rendered.baseSystem[tools]),
  ...stepTurns(rendered, { start: 0, end: rendered.steps.length }, true, true),
];
