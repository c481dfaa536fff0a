import type { Completion } from "../../schemas/completion.ts";
import { placeholderOf } from "../../stages/lib/secrets/placeholder.ts";
import { createValueFinder } from "../../stages/lib/secrets/value-finder.ts";

/** Exact matches only: requests are made of scrubbed rows, but prompts of the user's and what a live agent sees come here, too. */
export function hider(own: readonly string[]): (text: string) => string {
  if (own.length === 0) return (text) => text;
  const finder = createValueFinder(own);
  return (text) =>
    finder
      .find(text)
      .reduceRight((rest, { start, end }) => rest.slice(0, start) + placeholderOf("SECRET", "own-secret", 1) + rest.slice(end), text);
}

/** The request without secrets of our own, wherever it goes: over the wire or into a batch file. */
export function withoutOwn(request: Completion, hide: (text: string) => string): Completion {
  const messages = request.messages.map((message) =>
    message.role === "assistant"
      ? { ...message, content: hide(message.content), calls: message.calls.map((call) => ({ ...call, arguments: hide(call.arguments) })) }
      : { ...message, content: hide(message.content) },
  );
  return { ...request, messages, tools: request.tools.map(hide) };
}
