import { type ChangedFile, changedFiles } from "../../lib/changed-files.ts";
import { type Action, sameFile } from "../../lib/commands/actions.ts";
import { type FileSet, fileSet, looksPassing } from "../../lib/commands/files.ts";
import type { Conduct, Done } from "./conduct.ts";

/** The patch that a run hands in, against what the run was seen to do. */

const known = new WeakMap<Conduct, readonly ChangedFile[] | null>();

/** Files of the patch; null: the source holds none, so nobody can say. */
export function patchedFiles(conduct: Conduct): readonly ChangedFile[] | null {
  const there = known.get(conduct);
  if (there !== undefined) return there;
  const { patch } = conduct.trajectory.outcome;
  const files = patch === null ? null : changedFiles(patch);
  known.set(conduct, files);
  return files;
}

/** Is there a patch that changes anything? null: the source holds no patch, be it empty or not. */
export const hasPatch = ({ trajectory: { outcome } }: Conduct): boolean | null =>
  outcome.patch === null ? null : outcome.patch.trim() !== "";

/** Could the patch be applied where it was tested? null: nobody says. What resolves the task applies; our verifier says it of the rest. */
export function patchApplies({ trajectory: { outcome } }: Conduct): boolean | null {
  if (outcome.patch === null || outcome.patch.trim() === "") return null;
  if (outcome.resolved === true) return true;
  if (outcome.evidence?.kind !== "verifier") return null;
  return !outcome.evidence.detail.startsWith("patch-does-not-apply");
}

const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
/** Names that say nothing alone; with the folder they do. */
const common = /^(?:__init__|setup|conftest|utils|base|core|index|main|mod|lib|models|views|tests?|types)\.\w+$|^[^.]+$/;
const tellingEnd = (path: string): string => (common.test(base(path)) ? path.split("/").slice(-2).join("/") : base(path));

/** A patch of more files was made by no hand; the first ones tell as much. Our choice; bounds the work. */
const mostFiles = 50;

/**
 * Files of the patch (of the first 50) that the run neither changed nor so much as names in any call; the patch is of another run, or something
 * else wrote them. null: the source holds no patch. Weak on purpose: shells change files in too many ways to be sure of more.
 */
export function unseenPatchFiles(conduct: Conduct): string[] | null {
  const files = patchedFiles(conduct);
  if (files === null) return null;
  const touched = fileSet();
  for (const { action } of conduct.done) for (const file of [...action.files, ...action.reads]) touched.add(file);
  const said = (end: string): boolean => conduct.done.some(({ call }) => call.arguments.includes(end));
  return files
    .slice(0, mostFiles)
    .map(({ path }) => path)
    .filter((path) => !touched.has(path) && !said(tellingEnd(path)));
}
export const patchFilesUnseen = (conduct: Conduct): number | null => unseenPatchFiles(conduct)?.length ?? null;

const undoes = (action: Action): boolean =>
  /\bgit (?:-\S+ )*(?:checkout|restore|reset|stash)\b/.test(action.command) || action.command.startsWith("undo_edit");

/** Files outside of the repository, patterns, and what is named like a scratch file. */
const noSource = (file: string): boolean =>
  /^\/(?:tmp|var|dev|proc|root|home\/[^/]+\/[^/]+$)|[*?{}$]/.test(file) ||
  looksPassing(file) ||
  /\.(?:patch|diff|log|out|bak|orig)$/.test(file);

/** A file, and the call that edited it first. */
export interface EditedFile extends Done {
  readonly file: string;
}

/** Source files that were there before, edited with success, and not put back or removed later. */
function editedFiles({ steps }: Conduct): readonly EditedFile[] {
  const seen: FileSet = fileSet();
  let edited: EditedFile[] = [];
  for (const { done, work } of steps)
    for (const one of done) {
      const { action } = one;
      const gone = undoes(action) ? (action.files.length === 0 ? ["."] : action.files) : action.removes;
      if (gone.length > 0) edited = edited.filter(({ file }) => !gone.some((other) => other === "." || sameFile(file, other)));
      const changed = undoes(action) || action.failed || action.kind !== "edit" ? [] : action.files;
      for (const file of changed)
        if (
          work.sources.includes(file) &&
          seen.has(file) &&
          !noSource(file) &&
          !action.removes.includes(file) &&
          !edited.some((other) => sameFile(other.file, file))
        )
          edited.push({ ...one, file });
      for (const file of action.reads) seen.add(file);
    }
  return edited;
}

/**
 * Source files that the run edited (and neither put back nor removed) and the patch lacks: work that is not handed in. Only files that were
 * read before, since others may be scratch. null: the source holds no patch.
 */
export function unpatchedFiles(conduct: Conduct): EditedFile[] | null {
  const files = patchedFiles(conduct);
  if (files === null) return null;
  return editedFiles(conduct).filter(({ file }) => !files.some(({ path }) => sameFile(path, file)));
}
export const editedFilesUnpatched = (conduct: Conduct): number | null => unpatchedFiles(conduct)?.length ?? null;
