import { type Action, actionOf, changesFiles } from "../commands/actions.ts";
import { commandIn, givenIn } from "../commands/given.ts";
import type { RenderedCall, RenderedStep } from "../render.ts";
import { argumentText } from "./seen.ts";

/** What was done in a step and how it ended, with its words for comparison. */
export interface Deed {
  readonly action: Action;
  readonly call: RenderedCall;
  /** Place in the steps looked at. */
  readonly step: number;
  /** The command line as it was typed, or the tool's name and arguments on one line. */
  readonly line: string;
}

const lines = new WeakMap<RenderedCall, string>();
function lineOf(call: RenderedCall): string {
  const known = lines.get(call);
  if (known !== undefined) return known;
  const line = commandIn(givenIn(call.arguments)) ?? "";
  const whole = line === "" ? argumentText(call.arguments) : line;
  lines.set(call, whole);
  return whole;
}

export const deedsOf = (steps: readonly RenderedStep[]): Deed[] =>
  steps.flatMap((step, index) => step.calls.map((call) => ({ action: actionOf(call), call, step: index, line: lineOf(call) })));

/** Deeds that try something and say how it went. */
export const tries = ({ action }: Deed): boolean => action.tests || action.kind === "run" || action.testResult !== null;

export { changesFiles };
