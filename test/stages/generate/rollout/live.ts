import type { Completion, Reply, ToolCall } from "../../../../schemas/completion.ts";
import { PersonaRecipe } from "../../../../schemas/recipe/persona.ts";
import type { RolloutEnd, RolloutTurn } from "../../../../schemas/rollout.ts";
import { contextPolicies } from "../../../../stages/generate/rollout/policies/index.ts";
import { type RolloutPorts, type RolloutRequest, rollOut } from "../../../../stages/generate/rollout/roll-out.ts";
import { agentTools } from "../../../../stages/generate/tools/index.ts";
import type { Sandbox } from "../../../../stages/lib/sandbox.ts";
import { roughTokens } from "../../../fakes/fake-ports.ts";

/** What a model says in one turn; an error is thrown instead. */
export type Said = string | Partial<Reply> | Error;

export const call = (name: string, given: unknown): ToolCall => ({
  id: "from-the-endpoint-and-longer-than-nine",
  name,
  arguments: typeof given === "string" ? given : JSON.stringify(given),
});
export const bash = (command: string): Partial<Reply> => ({ calls: [call("execute_bash", { command })] });
export const submits: Partial<Reply> = { text: "Done.", calls: [call("submit", {})] };

export const opening = { system: "You mend code.", prompt: "Mend the sum.", tools: [...agentTools.values()].map(({ schema }) => schema) };
const memory = { memoryBaseTokens: 256, memoryShare: 0.15, memoryCapTokens: 8_192 };

/** The opening above without a context tool, calls native or written as text. */
export const conversation = (callStyle: "hermes" | "xml" = "hermes") =>
  contextPolicies.none.open({ opening, persona: PersonaRecipe.parse({ callStyle }), keepSteps: 3, memory, countTokens: roughTokens });

export const request = (workdir: string, change: Partial<RolloutRequest> = {}): RolloutRequest => ({
  label: "rollout:sum:0",
  conversation: conversation(),
  workdir,
  sample: 0,
  temperature: null,
  windowTokens: 65_536,
  replyTokens: 4_096,
  limits: { maxSteps: 50, maxTokens: null, maxCost: null, maxMinutes: null, maxIdleTurns: 5 },
  toolLimits: { commandTimeoutMs: 20_000, observationChars: 16_000, fileBytes: 1 << 20 },
  ...change,
});

export interface Played {
  readonly turns: readonly RolloutTurn[];
  readonly end: RolloutEnd;
  /** What the model was asked, in order. */
  readonly asked: readonly Completion[];
}

/** Plays one run: the n-th request gets the n-th thing said, and nothing when all is said. */
export async function play(
  sandbox: Sandbox,
  asks: RolloutRequest,
  said: readonly Said[] | ((nth: number) => Said),
  ports: Partial<RolloutPorts> = {},
): Promise<Played> {
  const asked: Completion[] = [];
  const { turns, end } = await rollOut(asks, sandbox, {
    complete: async (completion) => {
      const next = typeof said === "function" ? said(asked.length) : said[asked.length];
      asked.push(completion);
      if (next === undefined) return null;
      if (next instanceof Error) throw next;
      const reply = typeof next === "string" ? { text: next } : next;
      return { text: "", reasoning: null, calls: [], model: "fake", tokensIn: 100, tokensOut: 10, cached: false, ...reply };
    },
    countTokens: roughTokens,
    shown: (text) => text,
    meant: (text) => text,
    now: () => 0,
    costOf: () => 0,
    onTurn: async () => undefined,
    ...ports,
  });
  return { turns, end, asked };
}
