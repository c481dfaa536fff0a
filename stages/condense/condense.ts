import { z } from "zod";
import { CondenseRecipe, PersonaRecipe, WindowRecipe } from "../../schemas/recipe.ts";
import type { Block, Detection, InsertionPoint } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { type CondenseInput, condenseInput } from "../lib/condense-input.ts";
import { condenseRequest, requestVersion } from "../lib/condense-request.ts";
import { contextThought } from "../lib/context-thought.ts";
import { countControlTexts, escapeControlTexts } from "../lib/control-tokens.ts";
import { parseMemory } from "../lib/memory-text.ts";
import { render, withoutLeadingBlankLines } from "../lib/render.ts";
import { conversationTokens, measureSizes, openingTokens } from "../lib/sizes.ts";
import { type Outcome, ok, type Ports, rejected, type Stage } from "../stage.ts";
import { condensers } from "./condensers/index.ts";

/** `condenser` is resolved before keys are made (`auto` never gets here); `endpoint` is what shapes a model's replies, null without one. */
export const CondenseParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe.pick({ tokens: true, replyTokens: true }),
  condense: CondenseRecipe.extend({ condenser: z.enum(["extractive", "llm"]) }),
  endpoint: z.json().nullable(),
  requestVersion: z.literal(requestVersion),
});
export type CondenseParams = z.infer<typeof CondenseParams>;

/** Text that the renderer has not seen, treated as the renderer treats the data's. */
function cleaned(text: string, params: CondenseParams): string {
  const whole = withoutLeadingBlankLines(text.toWellFormed());
  return params.persona.controlTokens === "escape" ? escapeControlTexts(whole) : whole;
}

/** A memory as it may be stored, or what is wrong with it. */
function accept(memory: string, input: CondenseInput, params: CondenseParams, ports: Ports): Outcome<string> {
  const clean = cleaned(memory, params).trim();
  if (clean.trim() === "") return rejected("memory-empty");
  if (countControlTexts(clean) > 0) return rejected("memory-control-token-text");
  const parsed = parseMemory(clean);
  if (!parsed.ok) return rejected(parsed.why);
  return ports.countTokens(clean) > input.capTokens ? rejected("memory-too-long") : ok(clean);
}

/** Asks for one memory until it is acceptable; built-in text does not get better by asking again. */
async function write(
  id: string,
  point: InsertionPoint,
  input: CondenseInput,
  params: CondenseParams,
  ports: Ports,
): Promise<Outcome<Pick<Block, "memory" | "writer">>> {
  const tries = params.condense.condenser === "llm" ? params.condense.attempts : 1;
  let last: Outcome<never> = rejected("memory-empty");
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const temperature = attempt === 0 ? null : params.condense.retryTemperature;
    const written = await condensers[params.condense.condenser](input, ports, {
      label: `condense:${id}@${point.cut}`,
      attempt,
      temperature,
    });
    if (!written.ok) return written;
    const accepted = accept(written.value.memory, input, params, ports);
    if (accepted.ok) return ok({ memory: accepted.value, writer: written.value.writer });
    last = accepted;
  }
  return last;
}

/** Does the condenser's own call fit: request + the longest memory and its end token? By the exact tokenizer, with the default system prompt. */
function requestFits(input: CondenseInput, params: CondenseParams, ports: Ports): boolean {
  const prompt = conversationTokens([{ role: "user", content: condenseRequest(input), train: false, step: -1 }], ports.countTokens);
  return prompt + openingTokens(ports.countTokens) + Math.max(params.window.replyTokens, input.capTokens + 1) <= params.window.tokens;
}

const thoughtAt = (id: string, point: InsertionPoint, detection: Detection, ports: Ports): string => {
  const found = detection.candidates.find((candidate) => candidate.cut === point.cut)?.signals ?? [];
  return contextThought(point.reason, found, Number.parseInt(ports.digest(`${id}@${point.cut}`).slice(0, 8), 16));
};

async function writeBlocks(trajectory: Trajectory, detection: Detection, params: CondenseParams, ports: Ports): Promise<Outcome<Block[]>> {
  const rendering = render(trajectory, params.persona);
  if (!rendering.ok) return rejected(rendering.reasons.join(" "));
  const sizes = measureSizes(rendering.value, ports.countTokens);
  const blocks: Block[] = [];
  for (const point of detection.points) {
    const input = condenseInput(rendering.value, sizes, point, blocks.at(-1) ?? null, params.condense);
    if (!requestFits(input, params, ports)) return rejected("window-exceeded");
    const thought = thoughtAt(trajectory.id, point, detection, ports);
    const written = await write(trajectory.id, point, input, params, ports);
    if (!written.ok) return written;
    blocks.push({ cut: point.cut, keptFrom: point.keptFrom, thought, ...written.value });
  }
  return ok(blocks);
}

/** Stage 3: writes a memory for every insertion point, each from the one before it and its fold alone. */
export const condense: Stage<"trajectory" | "detection", never, "memory", CondenseParams> = {
  name: "condense",
  version: 2,
  reads: ["trajectory", "detection"],
  readsIfKept: [],
  writes: "memory",
  params: CondenseParams,
  run: async ({ trajectory, detection }, params, ports) => {
    const blocks = await writeBlocks(trajectory, detection, params, ports);
    return blocks.ok ? ok({ blocks: blocks.value }) : blocks;
  },
};
