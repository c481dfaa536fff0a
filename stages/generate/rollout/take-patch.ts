import type { Sandbox } from "../../lib/sandbox.ts";
import { shellQuoted } from "../../lib/shell-quote.ts";

/** Larger ones are build products, not work. */
const maxPatchBytes = 8 << 20;
const limits = { timeoutMs: 120_000, outputBytes: 16_000 };

/** What a patch is taken against: a copy of the repository as it was, since `.git` is the agent's to change, lock or delete. */
export interface Start {
  readonly commit: string;
  /** Copy of `.git` and, later, the patch. Its name is the same in every run, so that an agent who lists it sees the same. */
  readonly folder: string;
  /** Where programs are found. */
  readonly path: string;
}

export type TakenPatch =
  | { readonly ok: true; readonly patch: string; readonly lossy: boolean }
  | { readonly ok: false; readonly why: "no-repository" | "patch-too-large" | "patch-not-taken" };

/** To be called before the agent acts. null: there is no git or no repository, and no patch will be taken. */
export async function keepStart(sandbox: Sandbox, workdir: string): Promise<Start | null> {
  const copy = `rm -rf "$kept" && mkdir -p "$kept" && cp -R .git "$kept/start" && mkdir -p "$kept/start/info" && echo /.catgen/ >>"$kept/start/info/exclude"`;
  const place = `kept=$HOME/.catgen; [ -w "$HOME" ] || kept=/tmp/.catgen`;
  const script = `(cd ${shellQuoted(workdir)} && git -c safe.directory='*' rev-parse HEAD && { ${place}; } && printf '%s\\n' "$kept" "$PATH" && ${copy}) 2>/dev/null`;
  const { exitCode, output } = await sandbox.exec(script, limits);
  const [commit, folder, path] = output.split("\n");
  if (exitCode !== 0 || commit === undefined || folder === undefined || path === undefined) return null;
  return /^[0-9a-f]{40,64}$/.test(commit) ? { commit, folder, path } : null;
}

/**
 * In the agent's shell, and yet without its functions, aliases and variables: as POSIX has it, no function hides a special builtin such as
 * `exec`, and no alias a quoted word.
 */
const clean = (start: Start, workdir: string, script: string): string =>
  `( POSIXLY_CORRECT=1; \\exec /usr/bin/env -i PATH=${shellQuoted(start.path)} HOME=/nonexistent GIT_DIR=${shellQuoted(`${start.folder}/start`)} GIT_WORK_TREE=${shellQuoted(workdir)} GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null sh -c ${shellQuoted(script)} )`;

type Bytes = Awaited<ReturnType<Sandbox["get"]>> | null;

/** Repositories that the agent made inside this one, and files that nobody may read, are left out. `attributes`: of all paths. */
async function diff(sandbox: Sandbox, workdir: string, start: Start, attributes: string): Promise<Bytes> {
  const file = `${start.folder}/patch`;
  const script = `cd ${shellQuoted(workdir)} && rm -rf ${shellQuoted(file)} && echo ${shellQuoted(attributes)} >"$GIT_DIR/info/attributes" || exit
git -c safe.directory='*' add -A --ignore-errors; [ $? -le 1 ] || exit
git -c safe.directory='*' diff --cached --binary --no-color --no-ext-diff --no-textconv --ignore-submodules=all ${start.commit} >${shellQuoted(file)}`;
  const { exitCode } = await sandbox.exec(clean(start, workdir, script), limits);
  return exitCode === 0 ? await sandbox.get(file, maxPatchBytes) : null;
}

/** null: it is no UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Everything changed since the start, new files and the agent's own commits included, as a diff that `git apply` takes. */
export async function takePatch(sandbox: Sandbox, workdir: string, start: Start | null): Promise<TakenPatch> {
  if (start === null) return { ok: false, why: "no-repository" };
  let file: Bytes = null;
  for (const attributes of ["", "* -diff"]) {
    file = await diff(sandbox, workdir, start, attributes);
    const patch = file?.ok ? textOf(file.bytes) : null;
    if (patch !== null) return { ok: true, patch, lossy: false };
    if (!file?.ok) break;
    // Text in another encoding is no text for us: written as git writes binary files, it stays exact.
  }
  if (file?.ok) return { ok: true, patch: new TextDecoder().decode(file.bytes), lossy: true };
  return { ok: false, why: file?.why === "too-large" ? "patch-too-large" : "patch-not-taken" };
}
