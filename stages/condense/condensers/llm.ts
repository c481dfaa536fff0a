import { Fault } from "../../../schemas/fault.ts";
import { condenseRequest } from "../../lib/condense-request.ts";
import { memoryIn } from "../../lib/memory-text.ts";
import { ok, rejected } from "../../stage.ts";
import type { Condenser } from "./condenser.ts";

/** Asks the backbone with the canonical request. A request the endpoint refuses (too long for it) is a fact about this trajectory. */
export const llm: Condenser = async (input, ports, { label, attempt, temperature }) => {
  const request = condenseRequest(input);
  try {
    const reply = await ports.complete({
      label,
      messages: [{ role: "user", content: request }],
      tools: [],
      maxTokens: input.capTokens,
      temperature,
      sampleIndex: attempt,
    });
    return ok({
      memory: memoryIn(reply.text),
      writer: { condenser: "llm", model: reply.model, request: ports.digest(request), attempt },
    });
  } catch (error) {
    if (error instanceof Fault && error.code === "REQUEST_REFUSED") return rejected("request-refused");
    throw error;
  }
};
