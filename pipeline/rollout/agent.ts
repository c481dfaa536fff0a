import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { Completion, Reply } from "../../schemas/completion.ts";
import { Fault } from "../../schemas/fault.ts";
import { ScriptedPolicy, scriptedModel, scriptedReply } from "../../stages/generate/rollout/scripted.ts";
import { replyShape, type Settled } from "../keys.ts";
import { hasEndpoint } from "../llm/endpoint.ts";
import { sha256 } from "../store/digest.ts";

/** Who acts in the runs of one task. */
export interface Agent {
  readonly model: string;
  /** All that shapes its replies, for the key of a run. */
  readonly shape: z.core.util.JSONType;
  /** null: it has nothing more to say. */
  complete(request: Completion): Promise<Reply | null>;
}

export const agentKind = ({ recipe, endpoint }: Settled): "llm" | "scripted" => {
  const wanted = recipe.generate.rollout.agent;
  return wanted === "auto" ? (hasEndpoint(endpoint) ? "llm" : "scripted") : wanted;
};

async function scriptedAgent(taskFile: string): Promise<Agent | { readonly why: string }> {
  const path = join(dirname(taskFile), "policy.yaml");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return {
      why: `there is no policy.yaml beside it for the scripted agent, and no endpoint is configured: set CATGEN_BASE_URL and CATGEN_MODEL`,
    };
  }
  const parsed = ScriptedPolicy.safeParse(parse(text));
  if (!parsed.success)
    throw new Fault("RECIPE_INVALID", "stop", `${path} is no policy: ${z.prettifyError(parsed.error).split("\n").slice(0, 2).join(" ")}`);
  return {
    model: scriptedModel,
    shape: { scripted: sha256(text) },
    complete: async (request) => scriptedReply(parsed.data, request),
  };
}

/** The agent for a task, or why it has none. */
export async function agentFor(
  settled: Settled,
  taskFile: string,
  complete: (request: Completion) => Promise<Reply>,
): Promise<Agent | { readonly why: string }> {
  if (agentKind(settled) === "scripted") {
    if (settled.recipe.generate.rollout.policy !== "none")
      return { why: "a scripted agent writes no memories: set generate.rollout.policy to none, or configure an endpoint" };
    return scriptedAgent(taskFile);
  }
  const { endpoint, recipe } = settled;
  const temperature = recipe.generate.rollout.temperature ?? endpoint.temperature; // the one that is sent
  return { model: endpoint.model, shape: replyShape({ ...endpoint, temperature }), complete };
}
