import type { Step } from "../../schemas/trajectory.ts";
import { type Action, actionsOf, failsForSurroundings, isCheck } from "../lib/commands/actions.ts";
import { fileSet, isTestFile, looksPassing } from "../lib/commands/files.ts";
import { jsonMembers, stringMember } from "../lib/json-text.ts";

/** What a step is for. `reproduce`: tries things before the first edit of the project's sources, `test`: after it. `submit` includes tidying up. */
export type Phase = "explore" | "reproduce" | "edit" | "test" | "submit";

/** What signals know of one step. Everything in it follows from this step and those before it. */
export interface StepFacts {
  /** Counted from 1, as evidence names it; also the cut right after the step. */
  readonly number: number;
  readonly step: Step;
  /** Chat tokens of the step, results and feedback included. */
  readonly tokens: number;
  /** What the turn says, thinking tools included; its beginning, where it is long. */
  readonly said: string;
  readonly actions: readonly Action[];
  /** Files of the project that were to be changed, tests apart; as written. */
  readonly sources: readonly string[];
  /** The call that changed them: an edit, or a run of a script that writes them; null: none, or it failed. */
  readonly change: Action | null;
  /** Files changed that are tests, or scripts of the agent's own. */
  readonly helpers: readonly string[];
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

interface Work {
  readonly sources: readonly string[];
  readonly helpers: readonly string[];
}

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
  const seen = fileSet();
  const own = fileSet();
  const scripts = new Map<string, readonly string[]>();
  let edited = false;
  let number = 0;
  /** A file whose first mention is that it is written is the agent's own. */
  const isOwn = (file: string): boolean => {
    if (!seen.has(file) && looksPassing(file)) own.add(file);
    return own.has(file);
  };
  const filesOf = (action: Action): string[] => {
    const rewritten = new Set(action.files.map(baseName)); // a script written anew by the same call is read there
    const remembered = action.runs.map(baseName).filter((script) => !rewritten.has(script));
    const files = [...action.files, ...remembered.flatMap((script) => scripts.get(script) ?? [])];
    return files.filter((file) => !/^\.git\/|\/\.git\//.test(file));
  };
  return (step, tokens) => {
    number += 1;
    const actions = actionsOf(step);
    const sources: string[] = [];
    const helpers: string[] = [];
    let change: Action | null = null;
    for (const action of actions) {
      for (const file of filesOf(action)) {
        const isSource = !isOwn(file) && !isTestFile(file);
        (isSource ? sources : helpers).push(file);
        if (isSource && (!action.failed || isCheck(action))) change = action; // a run may fail after what it wrote first was written
      }
      if (action.writesWhenRun.length > 0) for (const file of action.files) scripts.set(baseName(file), action.writesWhenRun);
      for (const file of [...action.reads, ...action.files]) seen.add(file);
    }
    const phase = phaseOf(actions, { sources, helpers }, edited);
    edited ||= change !== null;
    return { number, step, tokens, said: thoughtOf(step), actions, sources, change, helpers, phase };
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
