import type { Dialect } from "./dialect.ts";
import { messages } from "./messages.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { nebiusOpenhands } from "./nebius-openhands.ts";
import { openhandsCompletions } from "./openhands-completions.ts";
import { openhandsV0Events } from "./openhands-v0-events.ts";
import { openhandsV1Events } from "./openhands-v1-events.ts";
import { sweAgent } from "./swe-agent.ts";

/** Every format we import, by name. At most one recognises a value, so the order decides nothing. */
export const dialects = {
  "swe-agent": sweAgent,
  "mini-swe-agent": miniSweAgent,
  "openhands-completions": openhandsCompletions,
  "openhands-v0-events": openhandsV0Events,
  "openhands-v1-events": openhandsV1Events,
  "nebius-openhands": nebiusOpenhands,
  messages,
} satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
