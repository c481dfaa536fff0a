import type { Call, Mark, Step } from "../../schemas/trajectory.ts";

/** A call as a dialect found it; `key` is what its result is matched by (usually the id), null where only the order tells. */
export interface FoundCall {
  readonly id: string | null;
  readonly key: string | null;
  readonly name: string;
  readonly arguments: string;
}

/** One entry of a run in the order it happened: what every dialect translates its source into. */
export type Entry =
  | { readonly kind: "system"; readonly text: string }
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "turn"; readonly thought: string; readonly reasoning: string | null; readonly calls: readonly FoundCall[] }
  | {
      readonly kind: "result";
      readonly key: string | null;
      readonly text: string;
      readonly exitCode: number | null;
      readonly failed: boolean | null;
    };

export interface Assembled {
  readonly system: string | null;
  readonly prompt: string;
  readonly steps: Step[];
  readonly marks: Mark[];
}

interface OpenStep {
  readonly step: Step;
  /** Keys of `step.calls`, at the same positions. */
  readonly keys: readonly (string | null)[];
}

/**
 * Entries -> prompt and steps. A result belongs to a call of the turn just before it, by key, or by order where one side has no key.
 * A result that comes later, twice or for nobody stays where it was seen, as feedback: attaching it to an earlier step would show it
 * before it happened.
 */
export function assemble(entries: readonly Entry[]): Assembled {
  const system: string[] = [];
  const prompt: string[] = [];
  const steps: Step[] = [];
  const marks = new Set<Mark>();
  let open: OpenStep | null = null;
  for (const entry of entries) {
    if (entry.kind === "turn") {
      open = openStep(entry);
      steps.push(open.step);
    } else if (entry.kind === "result") {
      const call = open === null ? null : answered(open, entry.key);
      if (call !== null) {
        call.result = entry.text;
        call.exitCode = entry.exitCode;
        call.failed = entry.failed;
      } else {
        marks.add("orphan-result");
        if (open === null) prompt.push(entry.text);
        else open.step.feedback.push(entry.text);
      }
    } else if (open !== null) {
      open.step.feedback.push(entry.text);
    } else {
      (entry.kind === "system" ? system : prompt).push(entry.text);
    }
  }
  if (prompt.length > 1) marks.add("feedback-before-first-step");
  return { system: system.length === 0 ? null : system.join("\n\n"), prompt: prompt.join("\n\n"), steps, marks: [...marks] };
}

function openStep(turn: Extract<Entry, { kind: "turn" }>): OpenStep {
  const calls = turn.calls.map(
    (call): Call => ({ id: call.id, name: call.name, arguments: call.arguments, result: null, exitCode: null, failed: null }),
  );
  return { step: { thought: turn.thought, reasoning: turn.reasoning, calls, feedback: [] }, keys: turn.calls.map((call) => call.key) };
}

function answered(open: OpenStep, key: string | null): Call | null {
  const { calls } = open.step;
  const waiting = (index: number): boolean => calls[index]?.result === null;
  const byKey = key === null ? -1 : open.keys.findIndex((known, index) => known === key && waiting(index));
  if (byKey >= 0) return calls[byKey] ?? null;
  const byOrder = open.keys.findIndex((known, index) => (known === null || key === null) && waiting(index));
  return calls[byOrder] ?? null;
}
