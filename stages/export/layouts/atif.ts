import { nullable, utf8 } from "../../../schemas/columns.ts";
import type { ExportedSample, Said } from "../../../schemas/sample.ts";
import { jsonString } from "../../lib/json-text.ts";
import { saidBy } from "../said.ts";
import { type Layout, metadataColumns, metadataOf, oneRow } from "./layout.ts";

/** The version that has everything used here (`is_copied_context` since 1.5, `trajectory_id` since 1.7). */
const schemaVersion = "ATIF-v1.7";

/** A JSON object of members that are JSON text already: arguments keep the spelling of their numbers. null: left out, as the format has it. */
const object = (members: Readonly<Record<string, string | null>>): string =>
  `{${Object.entries(members)
    .flatMap(([name, json]) => (json === null ? [] : [`${jsonString(name)}: ${json}`]))
    .join(", ")}}`;
const array = (items: readonly string[]): string => `[${items.join(", ")}]`;

const resultJson = ({ callId, content }: Said): string =>
  object({ source_call_id: callId === null ? null : jsonString(callId), content: jsonString(content) });

const sources = { system: "system", user: "user", assistant: "agent" } as const;

/** A message and the tool messages that answer it, as one step. What is not trained here was trained, or asked, before. */
function stepJson(number: number, message: Said & { role: keyof typeof sources }, results: readonly Said[], copied: boolean): string {
  const calls = message.calls.map(({ id, name, arguments: args }) =>
    object({ tool_call_id: jsonString(id), function_name: jsonString(name), arguments: args }),
  );
  return object({
    step_id: String(number),
    source: jsonString(sources[message.role]),
    message: jsonString(message.content),
    tool_calls: calls.length === 0 ? null : array(calls),
    observation: results.length === 0 ? null : object({ results: array(results.map(resultJson)) }),
    is_copied_context: copied ? "true" : null,
  });
}

/** Everything before the first trained turn was taken over from the sample before, where there is one. */
function stepsOf(said: readonly Said[], continues: boolean): string[] {
  const first = said.findIndex(({ train }) => train);
  const steps: string[] = [];
  for (let index = 0, end = 0; index < said.length; index = end) {
    const message = said[index] as Said & { role: keyof typeof sources }; // a tool message never comes first
    for (end = index + 1; said[end]?.role === "tool"; ) end += 1;
    steps.push(stepJson(steps.length + 1, message, said.slice(index + 1, end), continues && index < first));
  }
  return steps;
}

/** What a segment ends in: its own context call opens the next one. */
const following = ({ sample }: ExportedSample): string | null =>
  sample.kind === "segment" && sample.index + 1 < sample.count ? `${sample.trajectory}#segment${sample.index + 1}` : null;

/** The sample as one ATIF document. */
export function atifText(exported: ExportedSample): string {
  const { sample, facts } = exported;
  const { agentModel, persona } = JSON.parse(facts.metaJson ?? "{}") as { agentModel?: string | null; persona?: string };
  const next = following(exported);
  const continues = sample.kind === "step" ? sample.index > 0 : sample.kind === "segment" && sample.index > 0;
  const steps = stepsOf(saidBy(exported), continues);
  return object({
    schema_version: jsonString(schemaVersion),
    session_id: jsonString(sample.trajectory),
    trajectory_id: jsonString(sample.id),
    agent: object({
      name: jsonString(`catgen-${persona ?? "agent"}`),
      version: jsonString("1"),
      model_name: typeof agentModel === "string" ? jsonString(agentModel) : null,
      tool_definitions: facts.toolsJson === "[]" ? null : facts.toolsJson,
    }),
    steps: array(steps),
    final_metrics: object({ total_steps: String(steps.length) }),
    continued_trajectory_ref: next === null ? null : jsonString(next),
    extra: object({
      instance_id: facts.instance === null ? null : jsonString(facts.instance),
      resolved: facts.resolved === null ? null : String(facts.resolved),
    }),
  });
}

/**
 * Harbor's Agent Trajectory Interchange Format, one document per row as JSON text. Segments of a trajectory follow one another by
 * `continued_trajectory_ref`, and what a segment repeats (task, memory, recent steps) bears `is_copied_context`, which says by definition
 * of the format: not to be trained again.
 */
export const atif: Layout = {
  columns: { atif: utf8, atif_trajectory_id: utf8, atif_continued_trajectory_ref: nullable(utf8), ...metadataColumns },
  text: "`atif`: one document of Harbor's Agent Trajectory Interchange Format per row, as JSON text; what a segment repeats bears `is_copied_context`, and `continued_trajectory_ref` names the next segment. `catgen` imports it again",
  loss: "Agent steps without `is_copied_context` are trained, each once over the segments. No trainer reads the format; it is for exchange.",
  structured: true,
  rows(exported) {
    const { sample, facts } = exported;
    const row = { atif: atifText(exported), atif_trajectory_id: sample.id, atif_continued_trajectory_ref: following(exported) };
    const steps = saidBy(exported).filter(({ role }) => role !== "tool"); // a result is part of its step
    return oneRow({ ...row, ...metadataOf(sample, facts, steps) }, facts);
  },
};
