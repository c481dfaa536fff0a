import { z } from "zod";

const Piece = z.object({
  model: z.string().nullish(),
  usage: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish().catch(null),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().nonnegative().nullish(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
});
type Piece = z.infer<typeof Piece>;
type Delta = NonNullable<NonNullable<NonNullable<Piece["choices"]>[number]["delta"]>>;

interface Whole {
  model: string | null;
  usage: unknown;
  finish: string | null;
  /** Absent until a piece brings some, as in a reply that comes whole. */
  texts: Partial<Record<"content" | "refusal" | "reasoning_content", string>>;
  calls: Map<number, { id: string | null; name: string; arguments: string }>;
}

function addDelta(whole: Whole, delta: Delta): void {
  const texts = { content: delta.content, refusal: delta.refusal, reasoning_content: delta.reasoning_content ?? delta.reasoning };
  for (const [field, text] of Object.entries(texts) as [keyof Whole["texts"], string | null | undefined][])
    if (typeof text === "string" && text !== "") whole.texts[field] = (whole.texts[field] ?? "") + text;
  for (const [order, piece] of (delta.tool_calls ?? []).entries()) {
    const at = piece.index ?? order;
    const call = whole.calls.get(at) ?? { id: null, name: "", arguments: "" };
    call.id ??= piece.id ?? null;
    call.name += piece.function?.name ?? "";
    call.arguments += piece.function?.arguments ?? "";
    whole.calls.set(at, call);
  }
}

/** The `data:` payloads of server-sent events, in order. Comments and other fields are passed over. */
function* payloads(text: string): Generator<string> {
  for (const event of text.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).trimStart());
    if (data.length > 0) yield data.join("\n");
  }
}

/**
 * The body of a streamed reply put together as the body of one that came whole, so that everything behind reads one format. What
 * cannot be read (an error in mid-stream, a piece cut off) is handed on as it is: it is no completion, and is refused as such.
 * Source: OpenAI API reference, chat completion chunks.
 */
export function completionOf(text: string): string {
  const whole: Whole = { model: null, usage: null, finish: null, texts: {}, calls: new Map() };
  for (const payload of payloads(text)) {
    if (payload === "[DONE]") break;
    let json: unknown;
    try {
      json = JSON.parse(payload);
    } catch {
      return payload;
    }
    const piece = Piece.safeParse(json).data;
    const isError = typeof json === "object" && json !== null && "error" in json;
    if (piece === undefined || isError) return payload;
    whole.model ??= piece.model ?? null;
    whole.usage = piece.usage ?? whole.usage;
    const [choice] = piece.choices ?? [];
    if (choice === undefined) continue;
    whole.finish = choice.finish_reason ?? whole.finish;
    if (choice.delta) addDelta(whole, choice.delta);
  }
  const calls = [...whole.calls].sort(([a], [b]) => a - b).map(([, { id, ...call }]) => ({ id, type: "function", function: call }));
  const message = { role: "assistant", content: null, ...whole.texts, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return JSON.stringify({ model: whole.model, choices: [{ index: 0, message, finish_reason: whole.finish }], usage: whole.usage });
}
