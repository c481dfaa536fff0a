import { type Action, shortened } from "../lib/commands/actions.ts";

/** Pieces of evidence lines, alike in every signal. */

export const thousands = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
export const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** An action at a step, as a person finds it again. */
export interface Deed {
  /** Counted from 1. */
  readonly number: number;
  readonly action: Action;
}
export const at = ({ number, action }: Deed): string => `step ${number}: \`${action.command}\``;
export const ending = ({ action }: Deed): string => {
  if (!action.failed) return action.summary === null ? "passes" : `passes (${action.summary})`;
  return action.error === null ? "fails" : `fails (${action.error})`;
};
export const deedLine = (deed: Deed): string => `${at(deed)} ${ending(deed)}`;

/** Words of a turn in quotes, on one line. */
export const quoted = (text: string): string => `"${shortened(text, 120)}"`;
export const someOf = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
