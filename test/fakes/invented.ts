import type { CondenseInput } from "../../stages/lib/condense-input.ts";
import { jsonMembers, stringMember } from "../../stages/lib/json-text.ts";

/** Everything that the condenser was shown, blanks collapsed. */
const shown = (input: CondenseInput): string =>
  [
    input.task,
    input.previousMemory ?? "",
    ...[...input.fold, ...input.recent].flatMap((step) => [
      step.thought,
      ...step.feedback,
      ...step.calls.flatMap((call) => {
        const members = jsonMembers(call.arguments) ?? [];
        return [call.name, call.result ?? "", call.arguments, ...members.map(({ key }) => stringMember(members, key) ?? "")];
      }),
    ]),
  ]
    .join("\n")
    .replace(/[\s\p{Cc}]+/gu, " ");

/** Paths and numbers of a memory that the input does not hold; counts of attempts are the condenser's own. */
export const invented = (memory: string, input: CondenseInput): string[] => {
  const source = shown(input);
  const told = memory.replace(/ (?:[3-9]|many) times\b/g, "");
  return [...(told.match(/[\w.@-]*\/[\w.@/-]*\w/g) ?? []), ...(told.match(/\d+/g) ?? [])].filter((piece) => !source.includes(piece));
};
