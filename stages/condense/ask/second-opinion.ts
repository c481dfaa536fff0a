import { z } from "zod";
import type { Structure } from "../../../schemas/completion.ts";
import { Fault } from "../../../schemas/fault.ts";
import type { Judged } from "../../../schemas/sidecars.ts";
import type { CondenseInput } from "../../lib/condense-input.ts";
import { promptTokens, sourceSections, wholeFold } from "../../lib/condense-request.ts";
import { withoutReasoning } from "../../lib/memory-reply.ts";
import { shownFindings } from "../../lib/shown-findings.ts";
import type { CountTokens } from "../../lib/sizes.ts";
import type { Ports } from "../../stage.ts";
import type { CondenseParams } from "../params.ts";
import { structureBy } from "./transports.ts";
import { windowOf } from "./window.ts";

/** What a model, asked apart, says against a memory that was accepted. It is stored beside it; filters may look, nothing here does. */

const instructions = `You check the long-term memory of a software-engineering agent. Its older steps, the steps to fold, are about to be removed from its context, and the memory at the end will stand for them. Name the statements of the memory that the task, the previous memory, the steps to fold and the recent steps do not support, and those that contradict them.

Rules:
- Judge by what is shown here alone. Nobody knows yet how things went on.
- The same in other words is supported. What the memory leaves out is no finding.
- Something done, tested or fixed is supported only if the steps show that it was done and how it ended; the last state counts.
- A next step or an open question is no statement; what it takes for granted is one.
- "words": the statement, copied from the memory, at most 200 characters. "why": what the steps say instead, or that they are silent, in one sentence of at most 200 characters.
- The worst first. With nothing to name, the list is empty.

Reply with one JSON object and nothing else: {"unsupported":[{"words":"...","why":"..."}]}`;

type Sources = Pick<CondenseInput, "task" | "previousMemory" | "fold" | "first" | "recent">;

/** The request for a second opinion: what the condenser was shown, all of it and no more, and the memory. */
export const opinionRequest = (input: Sources, memory: string): string =>
  [instructions, ...sourceSections(input, wholeFold(input)), `# The memory to check\n\n${memory}`, "Now name what is not supported."].join(
    "\n\n",
  );

const Opinion = z.strictObject({
  unsupported: z.array(z.strictObject({ words: z.string().trim().min(1), why: z.string().trim().min(1) })),
});

const opinionStructure = {
  name: "unsupported_statements",
  description: "Stores the statements of the memory that nothing supports.",
  schema: JSON.stringify({
    type: "object",
    properties: {
      unsupported: {
        type: "array",
        items: {
          type: "object",
          properties: { words: { type: "string" }, why: { type: "string" } },
          required: ["words", "why"],
          additionalProperties: false,
        },
      },
    },
    required: ["unsupported"],
    additionalProperties: false,
  }),
  hint: 'The object has the one field "unsupported", a list of objects with "words" and "why".',
} as const satisfies Omit<Structure, "transports">;

/** Tokens of the prompt, by whatever transport. */
export const opinionTokens = (content: string, count: CountTokens): number => promptTokens(content, count, opinionStructure);

const fence = /^```[\w-]{0,20}[ \t]*\n([\s\S]*)\n[ \t]*```$/;

/** The findings of a reply, or why there are none to be had. A fence and reasoning that a server left in are taken off, nothing else is mended. */
function findingsIn(reply: string): z.infer<typeof Opinion>["unsupported"] | { readonly why: string } {
  const said = withoutReasoning(reply).trim();
  if (said === "") return { why: "empty" };
  let value: unknown;
  try {
    value = JSON.parse(fence.exec(said)?.[1] ?? said);
  } catch {
    return { why: "not-json" };
  }
  return Opinion.safeParse(value).data?.unsupported ?? { why: "not-findings" };
}

export interface Doubted {
  readonly input: CondenseInput;
  readonly memory: string;
  /** `<trajectory id>@<cut>` */
  readonly label: string;
}

/**
 * Asks once. What cannot be asked or used leaves no findings but the reason. A reply that never comes whole makes the record wait, as
 * everywhere: whether it does must not decide what a row says. The reply has the room of any other, for models that reason first.
 */
export async function secondOpinion({ input, memory, label }: Doubted, params: CondenseParams, ports: Ports): Promise<Judged> {
  const content = opinionRequest(input, memory);
  const { replyTokens } = params.window;
  if (opinionTokens(content, ports.countTokens) + replyTokens > windowOf(params)) return { why: "window-exceeded" };
  try {
    const reply = await ports.complete({
      label: `judge:${label}`,
      messages: [{ role: "user", content }],
      tools: [],
      maxTokens: replyTokens,
      temperature: null,
      sampleIndex: 0,
      structure: structureBy(params.condense.transport, opinionStructure),
    });
    const found = findingsIn(reply.calls[0]?.arguments ?? reply.text);
    if ("why" in found) return found;
    return { model: reply.model, request: ports.digest(content), findings: shownFindings(found), found: found.length };
  } catch (error) {
    if (error instanceof Fault && error.code === "REQUEST_REFUSED") return { why: "request-refused" };
    throw error;
  }
}
