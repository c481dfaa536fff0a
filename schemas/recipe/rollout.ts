import { z } from "zod";
import { limit } from "./ranges.ts";

const SandboxRecipe = z.strictObject({
  kind: z
    .enum(["auto", "bwrap", "runsc", "podman", "docker", "none"])
    .default("auto")
    .describe("What commands of agents run in; `auto`: the first that works here; `none` protects nothing and is never chosen by itself."),
  memoryMegabytes: z
    .int()
    .min(64)
    .default(4_096)
    .describe("Memory of all processes of one sandbox together, MB. SWE-bench images need 1 to 4 GB."),
  processes: z.int().min(8).default(256).describe("Processes and threads of one sandbox. Our choice."),
  fileMegabytes: z.int().min(1).default(512).describe("Largest file that may be written, MB. Our choice."),
  diskMegabytes: z.int().min(1).default(2_048).describe("Everything written in one sandbox, MB. Our choice."),
  cpuSeconds: z.int().min(1).default(3_600).describe("Processor time of one process, seconds. Our choice."),
});

/** Recipe key `generate.rollout`: live runs of an agent on tasks. */
export const RolloutRecipe = z.strictObject({
  agent: z
    .enum(["auto", "llm", "scripted"])
    .default("auto")
    .describe(
      "Who acts: `llm` = the endpoint, `scripted` = the `policy.yaml` beside each `task.yaml`, `auto` = llm when an endpoint is configured.",
    ),
  policy: z
    .enum(["none", "cat"])
    .default("none")
    .describe(
      "How the agent deals with its context; `none`: it only grows (CAT 2.4, phase I: the context tool is off); `cat`: it calls `context` itself and writes its own memories, in the text it was trained on (for a trained model; such runs are no base trajectories).",
    ),
  samples: z.int().min(1).max(1_000).default(1).describe("Runs per task, each with a seed of its own; more than 1 wants temperature > 0."),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .default(null)
    .describe("Sampling temperature of the agent, 0..2. null: llm.temperature."),
  maxSteps: z.int().min(1).max(500).default(500).describe("Turns of one run, at most 500. CAT section 3: up to 500 interaction rounds."),
  maxTokens: limit(z.int().positive())
    .default(null)
    .describe("Prompt and reply tokens of all calls of one run, as billed; by our own count where the endpoint does not say. null: off."),
  maxCost: limit(z.number().positive()).default(null).describe("Money for one run, by llm.price. null: off."),
  maxMinutes: limit(z.number().positive()).default(120).describe("Wall time of one run, minutes. null: off. Our choice."),
  maxIdleTurns: z
    .int()
    .min(2)
    .default(5)
    .describe("Equal turns, or turns without a tool call, in a row, after which a run ends as `stuck`. Our choice."),
  commandSeconds: z.number().positive().default(120).describe("Time of one command, seconds; then it is interrupted. OpenHands' default."),
  observationChars: z
    .int()
    .min(1_000)
    .default(16_000)
    .describe("Longest observation, characters: head and tail are kept. OpenHands keeps 30,000; ours leaves room for more steps."),
  editorMegabytes: z.number().positive().max(64).default(8).describe("Largest file that the editor opens, MB. Our choice."),
  verify: z.boolean().default(true).describe("Run the task's hidden tests on the patch, in a fresh copy."),
  checkTasks: z.boolean().default(true).describe("Before a task's first run, see that its tests really fail on the untouched tree."),
  retries: z.int().min(0).max(10).default(2).describe("Times a run is begun again after its sandbox broke through no doing of the agent."),
  atOnce: z
    .int()
    .min(1)
    .max(1_024)
    .default(4)
    .describe("Runs at once, each with a sandbox; --jobs goes first. Memory: sandbox.memoryMegabytes each."),
  allowEvaluationTasks: z
    .boolean()
    .default(false)
    .describe(
      "Also work on instances and repositories of SWE-bench Verified, Lite and Pro. For evaluation only: such runs must not be trained on.",
    ),
  exclude: z
    .array(z.string().min(1))
    .default([])
    .describe("Further lists of what to leave out: text files with one instance id or owner/name per line."),
  sandbox: SandboxRecipe.prefault({}).describe("Where commands of agents run, and its bounds."),
});
export type RolloutRecipe = z.infer<typeof RolloutRecipe>;
