import { type Conduct, type Done, shareOf } from "./conduct.ts";

/** First line of an editor's answer that says nothing came of it, although the call did not fail. */
const unchanged =
  /^\s*(?:No changes?\b|No replacements?\b|Nothing (?:was |has )?(?:changed|to change)|File (?:is |was )?unchanged|The file \S{1,300} (?:is|was|has) (?:already |been )?(?:unchanged|not changed)|0 (?:replacements|lines changed))/i;

const removesOnly = ({ action }: Done): boolean => action.removes.length > 0 && action.files.every((file) => action.removes.includes(file));

/** An edit is a call that is for nothing else: a script that is run to edit is a run, and removing a file is none. */
const edits = ({ done }: Conduct): Done[] => done.filter((one) => one.action.kind === "edit" && !removesOnly(one));

/** Edits that fail or change nothing. */
export const noOpEdits = (conduct: Conduct): Done[] =>
  edits(conduct).filter(({ action, call }) => action.failed || unchanged.test((call.result ?? "").slice(0, 400)));

/** Share of edits, 0..1, that fail or change nothing; null without edits. */
export const noOpEditShare = (conduct: Conduct): number | null => shareOf(noOpEdits(conduct).length, edits(conduct).length);
