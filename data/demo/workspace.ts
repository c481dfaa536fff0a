import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Fixed, so that recording twice gives the same bytes. Shown to the agent as `/workspace`, and its `tmp` as `/tmp`. */
const realRoot = "/tmp/catgen-demo";
const maxObservationChars = 16_000;

const fixedDate = "2024-01-01T00:00:00Z";
const author = { name: "Catgen Demo", email: "demo@example.org" };

/** Runs the command in the folder and with the exports that the command before it left, and leaves its own. */
const shellScript = `exec 2>&1
[ -f "$1/exports" ] && . "$1/exports"
cd "$(cat "$1/folder")"
state=$1 command=$2
set --
trap 'code=$?; pwd > "$state/folder"; export -p > "$state/exports"; exit $code' EXIT
eval "$command"`;

/** A fresh copy of a project in a git repository with one commit, and a shell in it. */
export type Workspace = { root: string; folder: string };

export function openWorkspace(taskId: string, projectFolder: string, project: string): Workspace {
  const root = join(realRoot, taskId);
  const folder = join(root, project);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "tmp"), { recursive: true });
  mkdirSync(join(root, ".shell"));
  cpSync(projectFolder, folder, { recursive: true });
  const workspace = { root, folder };
  mustRun(workspace, `printf '%s' "${folder}" > "${root}/.shell/folder"`, root);
  mustRun(workspace, "git init -q -b main && git add -A && git commit -q -m 'Import project'", folder);
  return workspace;
}

export function closeWorkspace({ root }: Workspace): void {
  rmSync(root, { recursive: true, force: true });
}

/** One command of the agent, as it sees it: output and exit code. */
export function runShell(workspace: Workspace, command: string, timeoutMs: number): string {
  const state = join(workspace.root, ".shell");
  const args = ["-c", shellScript, "bash", state, toReal(workspace, command)];
  const { stdout, status, error } = spawnSync("bash", args, { env: environment(workspace), encoding: "utf8", timeout: timeoutMs });
  if (error !== undefined) throw new Error(`"${command}" did not finish: ${error.message}; use timeout(1) inside the command`);
  const output = toShown(workspace, stdout).trimEnd();
  return `${output === "" ? "" : `${truncate(output)}\n`}[The command completed with exit code ${status}.]`;
}

/** Exit code of a command of the recorder, which the agent does not see. */
export function runHidden(workspace: Workspace, command: string, timeoutMs: number): number | null {
  return run(workspace, command, workspace.folder, timeoutMs).status;
}

/** Everything the agent changed, with new files. */
export function takePatch(workspace: Workspace): string {
  return mustRun(workspace, "git add -A && git diff --cached", workspace.folder);
}

export function copyHiddenTests(workspace: Workspace, testsFolder: string): void {
  cpSync(testsFolder, join(workspace.folder, "test", "hidden"), { recursive: true });
}

/** `/workspace/x` and `/tmp/x`, as the agent writes them, to where they are. */
export function toReal({ root }: Workspace, text: string): string {
  return text.replace(/(?<![\w.$/}-])\/(workspace|tmp)(?![\w-])/g, (_, name) => (name === "tmp" ? `${root}/tmp` : root));
}

/** The way back. Times of node:test are set to 0, because no two runs have the same. */
export function toShown({ root }: Workspace, text: string): string {
  return text
    .replaceAll(`${root}/tmp`, "/tmp")
    .replaceAll(root, "/workspace")
    .replace(/(duration_ms:? )[\d.]+/g, "$10");
}

/** Keeps the head and the tail of a long observation. */
export function truncate(text: string): string {
  if (text.length <= maxObservationChars) return text;
  const half = maxObservationChars / 2;
  const dropped = text.length - maxObservationChars;
  return `${text.slice(0, half)}\n[... Observation truncated: ${dropped} characters left out ...]\n${text.slice(-half)}`;
}

function environment({ root }: Workspace): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: join(root, "tmp"),
    TMPDIR: join(root, "tmp"),
    TZ: "UTC",
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_PAGER: "cat",
    GIT_CEILING_DIRECTORIES: root,
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: fixedDate,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_COMMITTER_DATE: fixedDate,
  };
}

function run(workspace: Workspace, command: string, cwd: string, timeoutMs: number) {
  return spawnSync("bash", ["-c", command], { cwd, env: environment(workspace), encoding: "utf8", timeout: timeoutMs });
}

function mustRun(workspace: Workspace, command: string, cwd: string): string {
  const { stdout, stderr, status } = run(workspace, command, cwd, 60_000);
  if (status !== 0) throw new Error(`${command}: exit code ${status} in ${cwd}: ${stderr}`);
  return stdout;
}

/** Whether this machine can record: it needs bash and git. */
export function canRecord(): boolean {
  return ["bash", "git"].every((tool) => spawnSync(tool, ["--version"]).status === 0) && existsSync("/tmp");
}
