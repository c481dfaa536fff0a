import type { ExportRecipe } from "../../schemas/recipe/export.ts";
import type { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import type { Turn } from "../../schemas/sample.ts";
import type { Block } from "../../schemas/sidecars.ts";
import type { Call, Span, Step, Trajectory } from "../../schemas/trajectory.ts";
import type { CallStyle, WrittenCall } from "./call-styles/call-style.ts";
import { callStyles } from "./call-styles/index.ts";
import { countControlTexts, escapeControlTexts } from "./control-tokens.ts";
import { jsonMembers, spacedTool, stringMember } from "./json-text.ts";
import { personas } from "./personas/index.ts";
import { contextCall, contextTool, type MappedCall, type Persona } from "./personas/persona.ts";
import { remembered } from "./remembered.ts";

/**
 * The one renderer: what is measured here is what is exported and what the live agent sees. A trajectory under a persona is a head
 * (system, task) and a pair of texts per step; every sample is put together from those.
 */
export interface Rendered {
  /** Tool schemas, raw JSON text each, `context` last where it is offered. */
  readonly tools: readonly string[];
  readonly system: string;
  /** System text of `base` samples, which never asks for context calls, with and without the tool's schema. */
  readonly baseSystem: Readonly<Record<ExportRecipe["baseTools"], string>>;
  /** System prompts alone, without the tools: what `system` and `baseSystem` are made of; null: there is none. */
  readonly prompts: { readonly asked: string | null; readonly base: string | null };
  readonly prompt: string;
  readonly steps: readonly RenderedStep[];
  /** Places where the data's own text would become a control token; 0 after escaping. */
  readonly controlTexts: number;
}

/** A call under the persona, with what the environment answered. */
export interface RenderedCall extends WrittenCall {
  readonly result: string | null;
  readonly exitCode: number | null;
  readonly failed: boolean | null;
}

export interface RenderedStep {
  readonly thought: string;
  readonly calls: readonly RenderedCall[];
  readonly feedback: readonly string[];
  /** The assistant turn: thought and calls in the call style. */
  readonly assistant: string;
  /** Results and feedback as one user turn; null only at the last step. */
  readonly user: string | null;
}

/** Reasons why `trajectory` cannot be rendered under `persona`, sorted; empty when it can. Control-token text is apart: it is counted. */
export type Rendering = { readonly ok: true; readonly value: Rendered } | { readonly ok: false; readonly reasons: readonly string[] };

/** The source has a `context` tool of its own (under `keep`): nobody could tell its calls from ours. */
const nameTaken = `name-taken:${contextCall.name}`;

const isContextTool = remembered((tool) => {
  const schema = jsonMembers(tool)?.findLast((member) => member.key === "function")?.value ?? "";
  return stringMember(jsonMembers(schema) ?? [], "name") === contextCall.name;
});

const hasResult = (step: Step): boolean => step.calls.length > 0 || step.feedback.length > 0;

type KeptCall = Extract<MappedCall, { ok: true }>;

/** The step's calls under the persona, or why they have none; each call's arguments are read once. */
function mapCalls(step: Step, last: boolean, persona: Persona, rename: PersonaRecipe["rename"], reasons: Set<string>): KeptCall[] {
  if (!last && !hasResult(step)) reasons.add("silent-step");
  return step.calls.flatMap((call) => {
    if (!last && call.result === null) reasons.add("missing-result");
    const members = jsonMembers(call.arguments);
    if (members === null) {
      reasons.add("unparsable-arguments");
      return [];
    }
    const mapped = persona.map(renamed(call, rename), members);
    if (!mapped.ok) reasons.add(`no-counterpart:${mapped.lacks}`);
    else if (mapped.call.name === contextCall.name) reasons.add(nameTaken);
    return mapped.ok ? [mapped] : [];
  });
}

/**
 * A turn must not open with a blank line: it would melt with the newline of the turn's header into one token (trainers.md 1.3). A text
 * of blanks alone is left out whole, since a call's newline may follow. White_Space is the tokenizer's `\s`; JavaScript's differs.
 */
export const withoutLeadingBlankLines = (text: string): string => text.replace(/^(?:\p{White_Space}+$|\p{White_Space}*[\r\n]+)/u, "");

const renamed = (call: Call, rename: PersonaRecipe["rename"]): Call =>
  Object.hasOwn(rename, call.name) ? { ...call, name: rename[call.name] ?? call.name } : call;

type Clean = (text: string) => string;

/** The step under the persona. Text of calls that has no place there (`finish` messages) follows the thought. */
function personaStep(
  step: Step,
  thought: string,
  mapped: readonly KeptCall[],
  clean: Clean,
): Pick<RenderedStep, "thought" | "calls" | "feedback"> {
  const words = [thought];
  for (const { words: more } of mapped) if (more !== null && more !== thought) words.push(more);
  const calls = step.calls.flatMap((call, index): RenderedCall[] => {
    const own = mapped[index]?.call;
    if (own === undefined) return [];
    // Cleaned as the persona wrote them: respelling has decoded \u003c, which could bring control-token text to light.
    const written = { name: clean(own.name), arguments: clean(own.arguments) };
    return [{ ...written, result: call.result === null ? null : clean(call.result), exitCode: call.exitCode, failed: call.failed }];
  });
  const said = withoutLeadingBlankLines(clean(words.filter((text) => text !== "").join("\n\n")));
  return { thought: said, calls, feedback: step.feedback.map(clean) };
}

/** Results in call order, then feedback. A last step may lack some results; it renders what it has. */
function renderStep(step: Step, thought: string, mapped: readonly KeptCall[], style: CallStyle, clean: Clean): RenderedStep {
  const own = personaStep(step, thought, mapped, clean);
  const results = own.calls.flatMap((call) => (call.result === null ? [] : [call.result]));
  const user = results.length + own.feedback.length === 0 ? null : style.user(results, own.feedback);
  return { ...own, assistant: style.assistant(own.thought, own.calls), user };
}

/** Renders a trajectory under the recipe's persona. Pure; throws only on a bug. */
export function render(trajectory: Trajectory, recipe: PersonaRecipe): Rendering {
  const persona: Persona = personas[recipe.name];
  const lastStep = trajectory.steps.length - 1;
  const reasons = new Set<string>();
  const mapped = trajectory.steps.map((step, index) => mapCalls(step, index === lastStep, persona, recipe.rename, reasons));
  if (persona.tools(trajectory).some(isContextTool)) reasons.add(nameTaken);
  if (reasons.size > 0) return { ok: false, reasons: [...reasons].sort() };

  const style = callStyles[recipe.callStyle];
  let controlTexts = 0;
  const clean: Clean = (text) => {
    const whole = text.toWellFormed();
    if (recipe.controlTokens === "escape") return escapeControlTexts(whole);
    controlTexts += countControlTexts(whole);
    return whole;
  };
  const ownTools = persona.tools(trajectory).map((tool) => clean(spacedTool(tool)));
  const tools = [...ownTools, contextTool];
  const asked = recipe.system ?? persona.system(trajectory.task, true);
  const plain = recipe.system ?? persona.system(trajectory.task, false);
  const system = asked === null ? null : clean(asked);
  const baseSystem = plain === asked || plain === null ? system : clean(plain);
  const steps = trajectory.steps.map((step, index) => renderStep(step, persona.thought(step.thought), mapped[index] ?? [], style, clean));
  const rendered = {
    tools,
    system: style.system(system, tools),
    baseSystem: {
      "with-context": style.system(baseSystem, tools),
      "without-context": style.system(baseSystem, ownTools),
    },
    prompts: { asked: system, base: baseSystem },
    prompt: clean(persona.prompt(trajectory.task)),
    steps,
    controlTexts: 0,
  };
  return { ok: true, value: { ...rendered, controlTexts } };
}

const turn = (role: Turn["role"], content: string, train = false, step = -1): Turn => ({ role, content, train, step });

/** System and task: Q of equation 1. */
export const headTurns = (rendered: Rendered, system = rendered.system): Turn[] => [turn("system", system), turn("user", rendered.prompt)];

/** Steps [start, end) as turns; the results after the last one are left out when `open`, since nothing trained follows them. */
export function stepTurns(rendered: Rendered, span: Span, train: boolean, open = false): Turn[] {
  return rendered.steps.slice(span.start, span.end).flatMap((step, offset) => {
    const index = span.start + offset;
    const own = turn("assistant", step.assistant, train, index);
    return step.user === null || (open && index === span.end - 1) ? [own] : [own, turn("user", step.user, false, index)];
  });
}

/** Text of the context call's turn, and of its result. */
export function blockTexts(block: Pick<Block, "thought" | "memory">, recipe: PersonaRecipe): { call: string; result: string } {
  const style = callStyles[recipe.callStyle];
  return { call: style.assistant(withoutLeadingBlankLines(block.thought), [contextCall]), result: style.user([block.memory], []) };
}
