import { countControlTexts, escapeControlTexts } from "../lib/control-tokens.ts";
import { parseMemory } from "../lib/memory-text.ts";
import { withoutLeadingBlankLines } from "../lib/render.ts";
import type { Ports } from "../stage.ts";
import type { CondenseParams } from "./params.ts";

/** Text that the renderer has not seen, treated as the renderer treats the data's. */
export function cleaned(text: string, persona: CondenseParams["persona"]): string {
  const whole = withoutLeadingBlankLines(text.toWellFormed());
  return persona.controlTokens === "escape" ? escapeControlTexts(whole) : whole;
}

/** A memory as it may be stored, or what is wrong with it: `why` is stored, `detail` tells whoever writes it anew. */
export type Accepted =
  | { readonly ok: true; readonly memory: string; readonly tokens: number }
  | { readonly ok: false; readonly why: string; readonly detail: string };

export function accept(memory: string, capTokens: number, persona: CondenseParams["persona"], ports: Ports): Accepted {
  const clean = cleaned(memory, persona);
  if (countControlTexts(clean) > 0)
    return {
      ok: false,
      why: "memory-control-token-text",
      detail: "It held control tokens or tags of tool calls; describe such text in words.",
    };
  const parsed = parseMemory(clean);
  if (!parsed.ok) return { ok: false, why: parsed.why, detail: `Line ${parsed.line}: ${parsed.detail}.` };
  const tokens = ports.countTokens(clean);
  if (tokens > capTokens)
    return {
      ok: false,
      why: "memory-too-long",
      detail: `It had ${tokens} tokens and may have ${capTokens}: keep to the number of words asked for.`,
    };
  return { ok: true, memory: clean, tokens };
}
