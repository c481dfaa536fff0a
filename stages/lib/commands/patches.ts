const marked = /^\*\*\* (?:Update File|Add File|Delete File|Move to): (.{1,300})$/;
const oldSide = /^--- (?:\S|$)/;
const newSide = /^\+\+\+ ([^\t\n]{1,300})/;
const fromGit = /^rename (?:from|to) (.{1,300})$/;

const longestPatch = 2_000_000;

/** A name in a diff without the side it stands for; null: there is no file on this side. */
const named = (name: string): string | null => (name.trim() === "/dev/null" ? null : name.trim().replace(/^[ab]\//, ""));

/** Is it a patch, in the form of Codex or as a unified diff? */
export const isPatch = (text: string): boolean => /^(?:\*\*\* Begin Patch|diff --git |--- \S)/m.test(text.slice(0, 4_000));

/** Files that a patch changes, adds, removes or moves, in order: Codex's `*** Update File: a.py`, or the sides of a unified diff. */
export function patchedFiles(patch: string): string[] {
  const files = new Set<string>();
  let old: string | null = null;
  for (const line of patch.slice(0, longestPatch).split(/\r?\n/)) {
    const own = marked.exec(line)?.[1] ?? fromGit.exec(line)?.[1];
    if (own !== undefined) files.add(own.trim());
    const target = old === null ? undefined : newSide.exec(line)?.[1];
    const file = target === undefined ? null : (named(target) ?? named(old ?? ""));
    if (file !== null) files.add(file);
    old = oldSide.test(line) ? (line.slice(4).split("\t", 1)[0] ?? null) : null;
  }
  return [...files];
}
