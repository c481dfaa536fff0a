import type { Step } from "../../schemas/trajectory.ts";
import { type Action, actionsOf, failsForSurroundings, isCheck } from "../lib/commands/actions.ts";
import { type Work, workReader } from "../lib/commands/work.ts";
import { jsonMembers, stringMember } from "../lib/json-text.ts";

/** What a step is for. `reproduce`: tries things before the first edit of the project's sources, `test`: after it. `submit` includes tidying up. */
export type Phase = "explore" | "reproduce" | "edit" | "test" | "submit";

/** What signals know of one step. Everything in it follows from this step and those before it. */
export interface StepFacts extends Work {
  /** Counted from 1, as evidence names it; also the cut right after the step. */
  readonly number: number;
  readonly step: Step;
  /** Chat tokens of the step, results and feedback included. */
  readonly tokens: number;
  /** What the turn says, thinking tools included; its beginning, where it is long. */
  readonly said: string;
  readonly actions: readonly Action[];
  /** null: the step says nothing about it, such as thinking, installing, or a turn without a call. */
  readonly phase: Phase | null;
}

const longestSaid = 4_000; // characters; plans and headings stand at the beginning

const thoughtOf = (step: Step): string =>
  [
    step.thought,
    ...step.calls.filter((call) => call.name === "think").map((call) => stringMember(jsonMembers(call.arguments) ?? [], "thought") ?? ""),
  ]
    .join("\n")
    .slice(0, longestSaid);

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const tidies = (action: Action): boolean => action.removes.length > 0 && action.files.every((file) => action.removes.includes(file));

function phaseOf(actions: readonly Action[], work: Work, edited: boolean): Phase | null {
  if (actions.some((action) => action.kind === "submit")) return "submit";
  if (work.sources.length > 0 || actions.some((action) => action.kind === "edit" && action.files.length === 0 && !tidies(action)))
    return "edit";
  const checks = actions.filter(isCheck);
  if (checks.some((action) => !failsForSurroundings(action))) return edited ? "test" : "reproduce";
  const changes = actions.filter((action) => action.kind === "edit");
  if (changes.length > 0) return changes.every(tidies) ? "submit" : edited ? "test" : "reproduce";
  return actions.some((action) => action.kind === "explore") ? "explore" : null;
}

/** Reads steps one after the other; what it says of a step never depends on a later one. */
export function factsReader(): (step: Step, tokens: number) => StepFacts {
  const read = workReader();
  let edited = false;
  let number = 0;
  return (step, tokens) => {
    number += 1;
    const actions = actionsOf(step);
    const work = read(actions);
    const phase = phaseOf(actions, work, edited);
    edited ||= work.change !== null;
    return { number, step, tokens, said: thoughtOf(step), actions, ...work, phase };
  };
}

/** Files a step changes, apart from the script that it changes them by: `fix.py` in `python fix.py` is a tool, no place of work. */
export function changedFiles({ sources, helpers, change }: StepFacts): readonly string[] {
  const tools = new Set((change?.runs ?? []).map(baseName));
  return tools.size === 0 ? [...sources, ...helpers] : [...sources, ...helpers].filter((file) => !tools.has(baseName(file)));
}

/** Facts of a whole run; `tokens` has one entry a step. */
export function factsOf(steps: readonly Step[], tokens: readonly number[]): StepFacts[] {
  const read = factsReader();
  return steps.map((step, index) => read(step, tokens[index] ?? 0));
}
