import type { PersonaRecipe } from "../../../schemas/recipe/persona.ts";
import type { RolloutOpening } from "../../../schemas/rollout.ts";
import type { TaskInstance } from "../../../schemas/task-instance.ts";
import type { Task } from "../../../schemas/trajectory.ts";
import { escapeControlTexts } from "../../lib/control-tokens.ts";
import { paper } from "../../lib/personas/paper.ts";
import { contextTool } from "../../lib/personas/persona.ts";
import { agentTools } from "../tools/index.ts";
import type { ContextPolicy } from "./policies/policy.ts";

/** The task as a persona puts it; the problem statement alone is the task's, all other words are the persona's. */
const bareTask = (task: TaskInstance): Task => ({
  system: null,
  prompt: task.issue,
  issue: task.issue,
  workdir: task.workdir,
  repository: task.repository,
  tools: [],
});

/**
 * What the agent is told and offered. The persona is the one of the samples; `keep` has no source to keep here and speaks as `paper`
 * does. Without the `context` tool where the policy has none: base trajectories are ReAct runs (CAT 2.4, phase I).
 */
export function openingOf(
  task: TaskInstance,
  recipe: PersonaRecipe,
  { offersContext }: Pick<ContextPolicy, "offersContext">,
): RolloutOpening {
  const clean = recipe.controlTokens === "escape" ? escapeControlTexts : (text: string): string => text;
  return {
    system: clean(recipe.system ?? paper.system(bareTask(task), offersContext) ?? ""),
    prompt: clean(paper.prompt(bareTask(task))),
    tools: [...[...agentTools.values()].map((tool) => tool.schema), ...(offersContext ? [contextTool] : [])],
  };
}
