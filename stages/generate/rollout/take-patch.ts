import type { Sandbox } from "../../lib/sandbox.ts";

/** Larger ones are build products, not work. */
const maxPatchBytes = 8 << 20;
const place = "/tmp/.catgen-patch";
/** Without the agent's aliases, functions, variables and git settings of its home. */
const git =
  "command env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/nonexistent git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c diff.external=";
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const limits = { timeoutMs: 120_000, outputBytes: 4_000 };

export type TakenPatch =
  | { readonly ok: true; readonly patch: string; readonly lossy: boolean }
  | { readonly ok: false; readonly why: "no-repository" | "patch-too-large" | "patch-not-taken" };

/** The commit that the agent starts from; null: there is no git or no repository, and no patch will be taken. */
export async function startCommit(sandbox: Sandbox, workdir: string): Promise<string | null> {
  const { exitCode, output } = await sandbox.exec(`${git} -C ${quoted(workdir)} rev-parse HEAD`, limits);
  const commit = output.trim();
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

/** Everything changed since `commit`, new files and the agent's own commits included, as a diff that `git apply` takes. */
export async function takePatch(sandbox: Sandbox, workdir: string, commit: string | null): Promise<TakenPatch> {
  if (commit === null) return { ok: false, why: "no-repository" };
  const here = `${git} -C ${quoted(workdir)}`;
  const diff = `${here} add -A && ${here} diff --cached --binary --no-color --no-ext-diff --no-textconv ${commit} > ${place}`;
  const { exitCode } = await sandbox.exec(`command rm -f ${place}; ${diff}`, limits);
  if (exitCode !== 0) return { ok: false, why: "patch-not-taken" };
  const file = await sandbox.get(place, maxPatchBytes);
  if (!file.ok) return { ok: false, why: file.why === "too-large" ? "patch-too-large" : "patch-not-taken" };
  const patch = new TextDecoder().decode(file.bytes);
  return { ok: true, patch, lossy: patch.includes("\ufffd") };
}
