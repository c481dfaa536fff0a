import type { Runtime } from "../../schemas/runtime.ts";
import type { Task } from "../../schemas/trajectory.ts";
import { callStyles } from "../lib/call-styles/index.ts";
import { paper } from "../lib/personas/paper.ts";
import { contextCall, contextTool } from "../lib/personas/persona.ts";
import { requestVersion } from "../lib/request-version.ts";
import { shapeOf } from "./launchers/model-shapes.ts";
import type { ExportParams } from "./params.ts";
import { type YamlValue, yamlText } from "./yaml-text.ts";

const places = { workdir: "{workdir}", issue: "{issue}" } as const;
const task: Task = { system: null, prompt: places.issue, issue: places.issue, workdir: places.workdir, repository: null, tools: [] };

/** The persona's own words, as samples and the live agent have them; null for `keep`, which has each source's. */
export function promptsOf(persona: ExportParams["persona"]): Runtime["prompts"] {
  if (persona.name !== "paper") return null;
  const tools = [...paper.tools({ task, origin: { callStyle: "native" } } as Parameters<typeof paper.tools>[0]), contextTool];
  const system = callStyles[persona.callStyle].system(persona.system ?? paper.system(task, true), tools);
  return { system, task: paper.prompt(task), tools };
}

/** CAT section 3: temperature 0, at most 500 interaction rounds. */
const sampling = { temperature: 0 };
const limits = { maxSteps: 500 };

/** What inference must keep to, from the parameters that made the samples. `templateDigest`: SHA-256 of the chat template. */
export function runtimeOf(params: ExportParams, templateDigest: string): Runtime {
  const { persona, window, condense, export: exporting } = params;
  const { model, shape, yarn } = exporting.training;
  const native = shapeOf(model, shape)?.nativeWindow ?? null;
  const stretched = yarn && native !== null && window.tokens > native;
  return {
    format: "catgen.runtime/1",
    dataset: exporting.name,
    model,
    positions: { tokens: stretched || native === null ? window.tokens : native, yarnFactor: stretched ? window.tokens / native : null },
    persona,
    window,
    context: {
      policy: "cat",
      tool: contextCall.name,
      memoryBaseTokens: condense.memoryBaseTokens,
      memoryShare: condense.memoryShare,
      memoryCapTokens: condense.memoryCapTokens,
      requestVersion,
    },
    sampling,
    limits,
    prompts: promptsOf(persona),
    chatTemplate: { name: "qwen2.5", sha256: templateDigest },
  };
}

const comment = [
  "What inference must keep to, so that the trained model reads what it was trained on. `catgen run 1 --tasks TASKS --runtime runtime.yaml` does.",
  "Any other agent: send system and task as below; write calls as `persona.callStyle` and read them back from the reply's text; when the model calls",
  "`context` alone, ask it for the memory (samples of kind `condense` show how), and go on with system, task, that call, its memory as the result, the",
  "last `keepSteps` turns before the call, and what follows. Serve the model folder that launch/prepare-model.py made (vLLM: --max-model-len as `positions`).",
];

export const runtimeText = (runtime: Runtime): string => yamlText(withoutNulls(runtime) as { readonly [key: string]: YamlValue }, comment);

/** Our YAML has no null: what is left out is read back as null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])));
}
