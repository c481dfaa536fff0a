import type { Call, Mark, Outcome, Step } from "../../schemas/trajectory.ts";
import { endsRun } from "./exit.ts";

/** What scaffolds put in the place of an observation they dropped. */
const placeholder =
  /^\s*(?:OBSERVATION:\n)?(?:Old environment output: \(|<MASKED>|<Observation condensed|\[?Content omitted|\[Old tool result content cleared)/;

/** A sentence that one converter writes over the scaffold's "Exit due to cost limit", together with a submit nobody made. */
const invented = "Since we have successfully fixed the issue and verified it works, let's submit the changes:";

/** Everything that can be read off finished steps, in one place for all dialects; `found` is what the dialect saw itself. */
export function marksOf(steps: readonly Step[], outcome: Outcome, found: readonly Mark[]): Mark[] {
  const marks = new Set<Mark>(found);
  const last = steps.length - 1;
  const ids = new Set<string>();
  for (const [index, step] of steps.entries()) {
    for (const mark of stepMarks(step, index === last)) marks.add(mark);
    for (const { id } of step.calls) {
      if (id !== null && ids.has(id)) marks.add("duplicate-call-ids");
      if (id !== null) ids.add(id);
    }
  }
  const final = steps[last];
  if (outcome.exit === "unknown" && final && final.calls.length > 0 && !final.calls.some((call) => endsRun(call.name)))
    marks.add("truncated");
  if (outcome.exit === "auto-submitted") marks.add("submit-not-by-agent");
  if (final?.thought.trim() === invented) marks.add("fabricated-turns");
  if (patchMismatch(steps, outcome.patch)) marks.add("patch-mismatch");
  return [...marks].sort();
}

function stepMarks(step: Step, isLast: boolean): Mark[] {
  const marks: Mark[] = [];
  const silent = step.calls.some((call) => call.result === null);
  if (silent) marks.push(isLast ? "no-final-result" : "missing-result");
  if (!isLast && step.feedback.length === 0 && step.calls.every((call) => call.result === null)) marks.push("silent-step");
  if (step.calls.length > 1) marks.push("parallel-calls");
  if (step.calls.length === 0 && step.thought.trim() === "") marks.push("empty-turn");
  if (step.calls.some((call) => argumentsOf(call) === null)) marks.push("unparsable-arguments");
  if (step.calls.some((call) => call.result !== null && placeholder.test(call.result))) marks.push("pre-condensed");
  return marks;
}

function argumentsOf(call: Call): ReadonlyMap<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(call.arguments);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/**
 * The patch touches none of the files the agent named. Deliberately weak: one path or file name of the patch in any call's arguments
 * is enough to say nothing, since shell commands edit files in too many ways to list.
 */
function patchMismatch(steps: readonly Step[], patch: string | null): boolean {
  const files =
    patch === null ? [] : [...patch.matchAll(/^(?:\+\+\+ b\/|--- a\/|diff --git a\/\S+ b\/)(\S+)/gm)].map((match) => match[1] ?? "");
  if (files.length === 0) return false;
  const said = steps.flatMap((step) => step.calls.map((call) => call.arguments));
  if (said.length === 0) return false;
  const names = new Set(
    files.map((file) => (/^(?:__init__|setup|conftest|utils|base|core|index)\.\w+$/.test(baseOf(file)) ? tailOf(file) : baseOf(file))),
  );
  return ![...names].some((name) => said.some((text) => text.includes(name)));
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
/** The last two parts: a file called `__init__.py` alone says nothing. */
const tailOf = (path: string): string => path.split("/").slice(-2).join("/");
