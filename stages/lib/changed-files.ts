/** What a unified diff does to one file. */
export interface ChangedFile {
  /** As it is called afterwards (before, where it is deleted), without `a/` and `b/`. */
  readonly path: string;
  readonly made: boolean;
  readonly deleted: boolean;
  /** Lines of its hunks, without the sign in front. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

interface Draft {
  path: string | null;
  made: boolean;
  deleted: boolean;
  removed: string[];
  added: string[];
}

/** `"a/with space"`, `a/x<tab>date`, `/dev/null`; null: the side is not there. */
function sideOf(text: string): string | null {
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const path = (quoted ?? text.split("\t")[0] ?? "").trimEnd();
  return path === "/dev/null" || path === "" ? null : path.replace(/^[abciow]\//, "");
}

const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Files of a unified diff in order, with the lines that go and come. What is between hunks is passed over. Linear. */
export function changedFiles(patch: string): ChangedFile[] {
  const files: Draft[] = [];
  let file: Draft = { path: null, made: false, deleted: false, removed: [], added: [] };
  const next = (): Draft => {
    file = { path: null, made: false, deleted: false, removed: [], added: [] };
    files.push(file);
    return file;
  };
  let [old, made] = [0, 0]; // lines that the hunk still has
  let git = false; // the header of this file began with `diff --git`
  for (const line of patch.split("\n")) {
    if (old > 0 || made > 0) {
      const sign = line[0];
      if (sign === "-") file.removed.push(line.slice(1));
      if (sign === "+") file.added.push(line.slice(1));
      if (sign !== "+" && sign !== "\\") old -= 1;
      if (sign !== "-" && sign !== "\\") made -= 1;
      continue;
    }
    const counts = hunk.exec(line);
    if (counts !== null) [old, made] = [Number(counts[1] ?? 1), Number(counts[2] ?? 1)];
    else if (line.startsWith("diff --git ")) {
      next().path = /^diff --git a\/(.{1,1000}) b\/\1$/.exec(line)?.[1] ?? null;
      git = true;
    } else if (line.startsWith("new file mode")) file.made = true;
    else if (line.startsWith("deleted file mode")) file.deleted = true;
    else if (line.startsWith("rename to ")) file.path = line.slice("rename to ".length);
    else if (line.startsWith("--- ")) {
      if (!git) next();
      git = false;
      const before = sideOf(line.slice(4));
      if (before === null) file.made = true;
      else file.path ??= before;
    } else if (line.startsWith("+++ ")) {
      const after = sideOf(line.slice(4));
      if (after === null) file.deleted = true;
      else file.path = after;
    }
  }
  return files.flatMap(({ path, ...rest }) => (path === null ? [] : [{ path, ...rest }]));
}
