import { parse } from "yaml";
import { z } from "zod";
import { Fault } from "../schemas/fault.ts";
import type { Recipe } from "../schemas/recipe.ts";
import { Runtime } from "../schemas/runtime.ts";
import { promptsOf } from "../stages/export/runtime.ts";
import { requestVersion } from "../stages/lib/request-version.ts";
import { chatTemplate } from "./adapters/chat-template.ts";
import { sha256 } from "./store/digest.ts";
import { readTextIfThere } from "./store/run-folder.ts";

async function readRuntime(file: string): Promise<Runtime> {
  const text = await readTextIfThere(file);
  if (text === null)
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `there is no ${file}; expected the runtime.yaml that lies in the folder of an exported dataset`,
    );
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new Fault("RECIPE_INVALID", "stop", `${file} is no YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  const parsed = Runtime.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault(
    "RECIPE_INVALID",
    "stop",
    `${file} is no runtime file of this version: ${z.prettifyError(parsed.error).split("\n").slice(0, 2).join(" ")}`,
  );
}

/** What this catgen would say otherwise than the text that was trained. */
async function differences(runtime: Runtime): Promise<string[]> {
  const prompts = promptsOf(runtime.persona);
  const template = sha256(await chatTemplate("qwen2.5"));
  return [
    ...(runtime.prompts === null || JSON.stringify(prompts?.tools) === JSON.stringify(runtime.prompts.tools) ? [] : ["prompts.tools"]),
    ...(runtime.prompts === null || prompts?.system === runtime.prompts.system ? [] : ["prompts.system"]),
    ...(runtime.prompts === null || prompts?.task === runtime.prompts.task ? [] : ["prompts.task"]),
    ...(runtime.context.requestVersion === requestVersion ? [] : ["context.requestVersion"]),
    ...(runtime.chatTemplate.sha256 === template ? [] : ["chatTemplate"]),
  ];
}

/** The recipe with a live agent that keeps to what a model was trained on. */
export async function underRuntime(recipe: Recipe, file: string): Promise<Recipe> {
  const runtime = await readRuntime(file);
  if (runtime.prompts === null)
    throw new Fault(
      "RUN_MISMATCH",
      "stop",
      `${file} is of a dataset with persona ${runtime.persona.name}, whose samples keep each source's own prompts and tools: there is no one agent to run. Export with persona.name: paper`,
    );
  const other = await differences(runtime);
  if (other.length > 0)
    throw new Fault(
      "RUN_MISMATCH",
      "stop",
      `${file} was written by a catgen that words ${other.join(", ")} otherwise than this one, so the agent would not read what was trained; use the version that made the dataset, or export and train anew`,
    );
  const { persona, window, context, sampling, limits } = runtime;
  const { policy, memoryBaseTokens, memoryShare, memoryCapTokens } = context;
  const rollout = { ...recipe.generate.rollout, policy, temperature: sampling.temperature, maxSteps: limits.maxSteps };
  return {
    ...recipe,
    persona,
    window,
    condense: { ...recipe.condense, memoryBaseTokens, memoryShare, memoryCapTokens },
    generate: { ...recipe.generate, rollout },
  };
}
