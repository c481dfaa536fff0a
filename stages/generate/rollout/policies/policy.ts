import type { ChatMessage, Reply } from "../../../../schemas/completion.ts";
import type { PersonaRecipe } from "../../../../schemas/recipe/persona.ts";
import type { RolloutOpening, RolloutTurn } from "../../../../schemas/rollout.ts";
import type { MemorySize } from "../../../lib/condense-input.ts";
import type { WantedTurn } from "../reply.ts";

/** What a conversation is opened with. */
export interface ConversationSetup {
  readonly opening: RolloutOpening;
  readonly persona: PersonaRecipe;
  /** k: steps that stay verbatim behind a memory. */
  readonly keepSteps: number;
  readonly memory: MemorySize;
  countTokens(text: string): number;
}

/** How the agent's own `context` calls are answered: by the model itself, in a request of its own. */
export interface ContextAnswer {
  /** The request for the memory, or why there is nothing to condense yet. */
  request(
    turns: readonly RolloutTurn[],
  ):
    | { readonly ok: true; readonly messages: readonly ChatMessage[]; readonly maxTokens: number }
    | { readonly ok: false; readonly why: string };
  /** The memory that the reply holds. */
  memory(text: string): string;
}

/** One run as the model sees it. */
export interface Conversation {
  /** Schemas that are sent as the API's own tools, raw JSON text. */
  readonly tools: readonly string[];
  /** Messages before the next turn, in groups; a group that is shown again is the same object, so that it is counted once. */
  before(turns: readonly RolloutTurn[]): readonly (readonly ChatMessage[])[];
  read(reply: Reply): WantedTurn;
  /** null: the agent has no `context` tool. */
  readonly context: ContextAnswer | null;
}

/** How an agent deals with its context. `none` records base trajectories; others change what the model sees of its own past. */
export interface ContextPolicy {
  readonly name: string;
  /** The agent is told of the `context` tool. */
  readonly offersContext: boolean;
  open(setup: ConversationSetup): Conversation;
}
