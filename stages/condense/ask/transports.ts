import type { ReplyTransport, Structure } from "../../../schemas/completion.ts";
import type { CondenseParams } from "../params.ts";

type Transport = CondenseParams["condense"]["transport"];

const transportsOf = (transport: Transport): ReplyTransport[] => (transport === "auto" ? ["json-schema", "tool", "text"] : [transport]);

/** The structure as the recipe wants replies to get their form; null: in words. */
export const structureBy = (transport: Transport, structure: Omit<Structure, "transports">): Structure | null =>
  transport === "text" ? null : { ...structure, transports: transportsOf(transport) };
