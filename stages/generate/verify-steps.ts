import type { TaskInstance } from "../../schemas/task-instance.ts";
import type { Verification } from "../../schemas/verification.ts";
import type { Sandbox } from "../lib/sandbox.ts";
import { shellQuoted } from "../lib/shell-quote.ts";
import { type Outcome, ok, rejected } from "../stage.ts";
import { forbiddenPaths, pathsIn } from "./patch-files.ts";

/** The verifier's own means failed, not the patch: worth another sandbox. */
export class NotReady extends Error {}

/** Our own commands copy and patch some files: one that takes longer hangs. */
const limits = { timeoutMs: 120_000, outputBytes: 100_000 };

/** In a shell of its own, so that `exit`, `cd` and `set` end with it; the newline ends a comment or a here-document. */
export const inWorkdir = ({ workdir }: TaskInstance, command: string): string => `(cd ${shellQuoted(workdir)} && {\n${command}\n})`;

async function ran(sandbox: Sandbox, command: string, what: string): Promise<string> {
  const { output, exitCode } = await sandbox.exec(command, limits);
  if (exitCode === 0) return output;
  throw new NotReady(
    `${what} in the verifier's sandbox: expected exit code 0, got ${exitCode}, saying ${JSON.stringify(output.slice(-500))}`,
  );
}

async function put(sandbox: Sandbox, path: string, content: string): Promise<void> {
  const written = await sandbox.put(path, content);
  if (!written.ok) throw new NotReady(`writing ${path} in the verifier's sandbox: ${written.why}`);
}

/** A new folder outside the repository, where no patch can reach. */
export const scratchFolder = async (sandbox: Sandbox): Promise<string> =>
  (await ran(sandbox, "mktemp -d", "making a folder for patches")).trim();

/** Where pytest's names point to (`tests/a.py::test_b`): these files, too, are the verifier's. */
const namedFile = (name: string): string[] => (/^[^:\s]+(?=::)/.exec(name) ?? []).slice(0, 1);

/** Paths of the verifier's tests, relative to the repository. */
function testPaths({ tests }: TaskInstance): string[] {
  const named = tests.log === "pytest" ? [...tests.failToPass, ...tests.passToPass].flatMap(namedFile) : [];
  const patched = tests.patch === null ? [] : pathsIn(tests.patch);
  return [...new Set([...tests.files.map(({ path }) => path), ...patched, ...named])].sort();
}

export interface KeptTests {
  /** Folder with what was there, by the path's place in `paths`. */
  readonly folder: string;
  readonly paths: readonly string[];
}

/** Keeps the verifier's test files as they are before the patch. */
export async function keepTests(task: TaskInstance, sandbox: Sandbox, scratch: string): Promise<KeptTests> {
  const kept = { folder: `${scratch}/kept`, paths: testPaths(task) };
  const copies = kept.paths.map((path, at) => `keep ${shellQuoted(path)} ${at}`);
  const keep = `keep() { if [ -e "$1" ] || [ -L "$1" ]; then cp -a -- "$1" ${shellQuoted(kept.folder)}/"$2"; fi; }`;
  await ran(sandbox, inWorkdir(task, ["set -e", `mkdir ${shellQuoted(kept.folder)}`, keep, ...copies].join("\n")), "keeping the tests");
  return kept;
}

/** Puts back what the patch changed, made or deleted among the kept tests, and tells which they were. */
export async function restoreTests(task: TaskInstance, sandbox: Sandbox, { folder, paths }: KeptTests): Promise<string[]> {
  const restore = `restore() {
  kept=${shellQuoted(folder)}/$2
  above=$1
  while above=$(dirname -- "$above") && [ "$above" != . ]; do
    if { [ -e "$above" ] || [ -L "$above" ]; } && ! [ -d "$above" ]; then rm -f -- "$above"; echo "touched $2"; fi
  done
  if [ -L "$1" ] || [ -L "$kept" ]; then [ "$(readlink "$1")" = "$(readlink "$kept")" ] && return
  elif [ -f "$1" ] && [ -f "$kept" ]; then cmp -s -- "$1" "$kept" && return
  elif [ -d "$1" ] && [ -d "$kept" ]; then return
  elif ! [ -e "$1" ] && ! [ -e "$kept" ]; then return; fi
  echo "touched $2"
  rm -rf -- "$1"
  if [ -e "$kept" ] || [ -L "$kept" ]; then mkdir -p -- "$(dirname -- "$1")"; cp -a -- "$kept" "$1"; fi
}`;
  const commands = ["set -e", restore, ...paths.map((path, at) => `restore ${shellQuoted(path)} ${at}`)];
  const output = await ran(sandbox, inWorkdir(task, commands.join("\n")), "putting the tests back");
  const touched = new Set([...output.matchAll(/^touched (\d+)$/gm)].map(([, at]) => Number(at)));
  return paths.filter((_, at) => touched.has(at));
}

type Way = NonNullable<Verification["appliedBy"]>;

const git = "git -c safe.directory='*' -c core.autocrlf=false apply --verbose --whitespace=nowarn";

/**
 * What SWE-bench tries, in its order: `git apply`, then `patch` with fuzz. Its second, `git apply --reject`, is left out: it succeeds only where the
 * first does (measured, git 2.39) and otherwise leaves half a patch for the third to stumble over. `patch` is tried dry first, so that a
 * failure leaves nothing, and reads nothing but unified diffs: its `ed` scripts are programs.
 */
const ways: readonly (readonly [Way, (file: string) => string])[] = [
  ["git-apply", (file) => `${git} ${file}`],
  [
    "patch-fuzz",
    (file) => {
      const patch = `patch --unified --batch --forward --fuzz=5 -p1 --no-backup-if-mismatch --reject-file=- -i ${file}`;
      return `${patch} --dry-run && ${patch}`;
    },
  ],
];

/** Applies a patch; the value tells how. */
async function apply(task: TaskInstance, patch: string, sandbox: Sandbox, file: string): Promise<Outcome<Way>> {
  await put(sandbox, file, patch.endsWith("\n") ? patch : `${patch}\n`);
  const said: string[] = [];
  for (const [way, command] of ways) {
    const { exitCode, output } = await sandbox.exec(inWorkdir(task, command(shellQuoted(file))), limits);
    if (exitCode === 0) return ok(way);
    if (exitCode !== 127) said.push(`${way}: ${output.trim().slice(-300)}`);
  }
  if (said.length === 0) throw new NotReady("applying a patch: the sandbox has neither git nor patch");
  return rejected(said.join("; "));
}

/** Applies what the agent changed, unless it reaches for what is not the repository's. */
export async function applyPatch(task: TaskInstance, patch: string, sandbox: Sandbox, scratch: string): Promise<Outcome<Way>> {
  const forbidden = forbiddenPaths(patch);
  if (forbidden.length > 0) return rejected(`the patch touches what is not the repository's: ${forbidden.slice(0, 3).join(", ")}`);
  return await apply(task, patch, sandbox, `${scratch}/agent.patch`);
}

/** Puts the verifier's tests in place: its patch, then its whole files. */
export async function applyTests(task: TaskInstance, sandbox: Sandbox, scratch: string): Promise<void> {
  const { patch, files } = task.tests;
  const applied = patch === null ? null : await apply(task, patch, sandbox, `${scratch}/tests.patch`);
  if (applied?.ok === false) throw new NotReady(`the task's own test patch does not apply: ${applied.why}`);
  for (const { path, content } of files) await put(sandbox, `${task.workdir}/${path}`, content);
}
