import { expect } from "vitest";
import { loadTokenizer } from "../../pipeline/adapters/tokenizer.ts";
import type { Turn } from "../../schemas/sample.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { chatText, footer, header, withSystem } from "../../stages/lib/chatml.ts";
import { controlTexts } from "../../stages/lib/control-tokens.ts";
import { messageTokens } from "../../stages/lib/sizes.ts";
import { exactTokens } from "../fakes/fake-ports.ts";
import { modelCalls } from "./live-view.ts";
import { allSamples, type Placement } from "./placement.ts";
import { isStructurable, official, structuredSegment, toolObjects } from "./template.ts";

/** The invariants of DESIGN 5, one function each; every one throws on the first thing that does not hold. */

const bare = ({ role, content }: Pick<Turn, "role" | "content">): { role: string; content: string } => ({ role, content });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const trained = (turns: readonly Turn[]): Turn[] => turns.filter((turn) => turn.train);

/** (1) Each base step is trained exactly once, in order, and each context call exactly once, between the right steps. */
export function trainedOnce(placement: Placement): void {
  const expected = numbers(placement.trajectory.steps.length).flatMap((step) =>
    placement.blocks.some((block) => block.cut === step + 1) ? [step, -1] : [step],
  );
  expect(placement.segments.flatMap(trained).map((turn) => turn.step)).toEqual(expected);
  for (const base of [placement.base, placement.baseWithoutContext])
    expect(trained(base).map((turn) => turn.step)).toEqual(numbers(placement.trajectory.steps.length));
  expect(placement.condensations.map((turns) => trained(turns).map((turn) => turn.content))).toEqual(
    placement.blocks.map((block) => [block.memory]),
  );
}

const mark = (step: number): string => `\u00a7${step}\u00a7`;
const marksIn = (text: string): number[] => [...text.matchAll(/\u00a7(\d+)\u00a7/g)].map((match) => Number(match[1]));

/** The trajectory with the number of its step in every text that a step has, so that what leaks can be told. */
export const withMarks = (trajectory: Trajectory): Trajectory => ({
  ...trajectory,
  steps: trajectory.steps.map((step, index) => ({
    ...step,
    thought: `${mark(index)}${step.thought.replaceAll("\u00a7", "")}`,
    calls: step.calls.map((call) => ({
      ...call,
      arguments: call.arguments.replaceAll("\u00a7", "").replace(/^(\s*\{\s*"command":\s*")/, `$1${mark(index)}`),
      result: call.result === null ? null : `${call.result.replaceAll("\u00a7", "")}${mark(index)}`,
    })),
    feedback: step.feedback.map((text) => `${text.replaceAll("\u00a7", "")}${mark(index)}`),
  })),
});

const latest = (turns: readonly Pick<Turn, "content">[]): number => Math.max(-1, ...turns.flatMap((turn) => marksIn(turn.content)));

/** (2) Nothing is shown before it happened. For a trajectory `withMarks` and memories without marks. */
export function nothingFromTheFuture(placement: Placement): void {
  let calls = 0;
  for (const turns of placement.segments)
    for (const [index, turn] of turns.entries()) {
      if (!turn.train) continue;
      const now = turn.step === -1 ? (placement.blocks[calls++]?.cut ?? 0) : turn.step;
      expect(latest(turns.slice(0, index)), `what is seen at step ${now}`).toBeLessThan(now);
      expect(latest([turn])).toBe(turn.step);
    }
  for (const [index, turns] of placement.condensations.entries()) expect(latest(turns)).toBe((placement.blocks[index]?.cut ?? 0) - 1);
  for (const [index, turn] of placement.base.entries()) if (turn.train) expect(latest(placement.base.slice(0, index))).toBe(turn.step - 1);
}

/** (3) Folds tile the steps before the last keptFrom, and each is read by its own condensation. */
export function foldsTile({ blocks, workspace, segments, condensations }: Placement): void {
  expect(segments).toHaveLength(blocks.length + 1);
  expect(condensations).toHaveLength(blocks.length);
  const folded = workspace.condensations.flatMap(({ folds }) => {
    expect(folds.end).toBeGreaterThan(folds.start);
    return numbers(folds.end - folds.start).map((offset) => folds.start + offset);
  });
  expect(folded).toEqual(numbers(blocks.at(-1)?.keptFrom ?? 0));
  for (const [index, block] of blocks.entries()) expect(workspace.condensations[index]?.folds.end).toBe(block.keptFrom);
}

/** (4) Every trained turn stands in the very context in which the live agent says it. */
export function seenAsLive(placement: Placement): void {
  const learned = placement.segments.flatMap((turns) =>
    turns.flatMap((turn, index) => (turn.train ? [{ context: turns.slice(0, index).map(bare), reply: bare(turn), step: turn.step }] : [])),
  );
  expect(learned).toEqual(modelCalls(placement));
}

/** What the window must hold for a sample, in tokens, counted on whole texts. */
export function neededTokens(turns: readonly Turn[], reserve: number): number {
  const needed = turns.flatMap((turn, index) =>
    turn.train
      ? [exactTokens(chatText(turns.slice(0, index)) + header("assistant")) + Math.max(reserve, exactTokens(turn.content + footer))]
      : [],
  );
  return Math.max(0, ...needed);
}

/** Token counts of messages add up to the count of the whole text. */
export function tokensAddUp(placement: Placement): void {
  for (const turns of allSamples(placement)) {
    const parts = withSystem(turns).map((turn) => messageTokens(turn, exactTokens));
    expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(exactTokens(chatText(turns)));
  }
}

const tokenizer = loadTokenizer("qwen2.5");
const controlIds = new Set(controlTexts.flatMap((text) => [...tokenizer.encode(text)]));
export const controlIdsIn = (text: string): number => tokenizer.encode(text).filter((id) => controlIds.has(id)).length;

/** Where there are tools, the template says twice in the system turn how to call them. */
export const controlIdsOfSystem = (text: string): number => (text.includes("\n\n# Tools\n\n") ? 4 : 0);

/** `checked`: turns that have been looked at in another sample; their text is the same. */
function hasShape(turns: readonly Turn[], calls: (turn: Turn) => number, checked: Set<string>): void {
  const [first, ...rest] = turns.map((turn) => turn.role);
  const roles = first === "system" ? rest : [first, ...rest];
  expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? "user" : "assistant")));
  expect(turns.at(-1)?.train).toBe(true);
  for (const turn of turns) {
    expect(turn.train && turn.role !== "assistant").toBe(false);
    const known = `${turn.role} ${turn.step} ${turn.content}`;
    if (checked.has(known)) continue;
    checked.add(known);
    expect(turn.content.isWellFormed()).toBe(true);
    const expected = turn.role === "assistant" ? 2 * calls(turn) : turn.role === "system" ? controlIdsOfSystem(turn.content) : 0;
    expect(controlIdsIn(turn.content), turn.content.slice(0, 200)).toBe(expected);
    if (turn.role !== "assistant") continue;
    // Trainers tokenize header and reply apart or together; both must give the same ids.
    const joint = tokenizer.encode(header("assistant") + turn.content + footer);
    const apart = [...tokenizer.encode(header("assistant")), ...tokenizer.encode(turn.content + footer)];
    expect([...joint].join()).toBe(apart.join());
  }
}

/** (6) No control token from data, no null, strict alternation, the last turn trained. */
export function wellShaped(placement: Placement): void {
  const ofStep = (turn: Turn): number => (turn.step === -1 ? 1 : (placement.rendered.steps[turn.step]?.calls.length ?? 0));
  expect(placement.rendered.controlTexts).toBe(0);
  const checked = new Set<string>();
  for (const turns of [...placement.segments, placement.base, placement.baseWithoutContext]) hasShape(turns, ofStep, checked);
  for (const turns of placement.condensations) hasShape(turns, () => 0, new Set());
}

/** (7) The text is what the model's own chat template makes of the messages, and the calls can be read back from it. */
export function asOfficialTemplate(placement: Placement): void {
  for (const turns of allSamples(placement)) expect(chatText(turns)).toBe(official(turns.map(bare)));
  if (isStructurable(placement))
    for (const [index, turns] of placement.segments.entries())
      expect(chatText(turns)).toBe(official(structuredSegment(placement, index), toolObjects(placement)));
  const style = callStyles[placement.recipe.callStyle];
  for (const step of placement.rendered.steps)
    expect(style.read(step.assistant)).toEqual({
      thought: step.thought,
      calls: step.calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    });
}

/** (8) Without context calls, memories and repeated steps, the segments are the base trajectory, byte for byte. */
export function minimallyIntrusive(placement: Placement): void {
  const { segments, base, workspace } = placement;
  const own = segments.flatMap((turns, index) => {
    const start = workspace.segments[index]?.target.start ?? 0;
    return turns.filter((turn) => turn.step >= start);
  });
  const heads = segments.map((turns) => chatText(turns.slice(0, 2)));
  expect(new Set(heads).size).toBe(1);
  // The system prompt differs on purpose: the baseline is not told to call `context`. The task and every step are the same bytes.
  expect(chatText([...base.slice(0, 1), ...(segments[0]?.slice(1, 2) ?? []), ...own])).toBe(chatText(base));
}

export const invariants: Record<string, (placement: Placement) => void> = {
  "(1) each base step and each context call is trained exactly once": trainedOnce,
  "(3) folds tile the steps before the last keptFrom": foldsTile,
  "(4) the context of every trained turn is what the live agent sees": seenAsLive,
  "(6) the shape is what every trainer accepts, without control tokens from data": wellShaped,
  "(7) the text is the official template's, and the calls can be read back": asOfficialTemplate,
  "(8) without context calls and repeats the segments are the base trajectory": minimallyIntrusive,
  "token counts of messages add up": tokensAddUp,
};
