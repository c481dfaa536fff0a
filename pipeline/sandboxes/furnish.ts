import { pipeline } from "node:stream/promises";
import { Fault } from "../../schemas/fault.ts";
import type { SandboxSpec } from "../../stages/lib/sandbox.ts";
import type { Cell } from "./cell.ts";
import { bashScript } from "./inmate.ts";
import { treeTar } from "./tree-tar.ts";

/** Same files, same commit: nothing of it depends on who, where and when. */
const fixedGit = `
  export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_OPTIONAL_LOCKS=0
  export GIT_AUTHOR_NAME=catgen GIT_AUTHOR_EMAIL=catgen@localhost GIT_AUTHOR_DATE='2000-01-01T00:00:00Z'
  export GIT_COMMITTER_NAME=catgen GIT_COMMITTER_EMAIL=catgen@localhost GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
  fresh() {
    git init -q --template= . 2>/dev/null && printf 'ref: refs/heads/main\\n' >.git/HEAD && printf '[user]\\n\\tname = catgen\\n\\temail = catgen@localhost\\n' >>.git/config
  }
  seal() { git -c commit.gpgsign=false -c core.hooksPath=/dev/null commit -q --allow-empty --no-verify -m 'Start of the task'; }`;

/**
 * `fresh`: files come on stdin, history never does. `restored`: files come from a snapshot, with the repository that they had.
 * `image`: files stay as they are; what the image's repository tracked is tracked by a new one that knows no history.
 */
const scripts = {
  fresh: `tar --no-same-owner -xpf - || exit; command -v git >/dev/null || exit 0; ${fixedGit}; fresh && git add -A && seal`,
  restored: "tar --no-same-owner -xpf -",
  image: `command -v git >/dev/null || { rm -rf .git; exit; }; [ -e .git ] || exit 0; ${fixedGit}
    tracked=$(mktemp) || exit
    git -c safe.directory='*' ls-files -z | while IFS= read -r -d '' file; do [ -L "$file" ] || [ -f "$file" ] && printf '%s\\0' "$file"; done >"$tracked"
    rm -rf .git && fresh && git update-index --add -z --stdin <"$tracked" && seal; status=$?; rm -f "$tracked"; exit $status`,
} as const;

async function* bytesOf(tree: SandboxSpec["tree"]): AsyncGenerator<Uint8Array> {
  if (tree !== null && "tar" in tree) yield tree.tar;
  else if (tree !== null) yield* treeTar(tree.folder);
}

/** Brings the working folder into the state in which an agent finds it, through a process inside. */
export async function furnish(cell: Cell, { tree, image }: SandboxSpec): Promise<void> {
  if (tree === null && image === null) return;
  const script = tree === null ? scripts.image : "tar" in tree ? scripts.restored : scripts.fresh;
  const inmate = await cell.start(bashScript(script), "ours");
  const said = inmate.output.toArray();
  const [fed, code] = await Promise.all([
    pipeline(bytesOf(tree), inmate.input).then(
      () => null,
      (error: unknown) => error,
    ),
    inmate.ended,
  ]);
  if (fed instanceof Fault) throw fed;
  if (code === 0 && fed === null) return;
  const text = Buffer.concat(await said)
    .toString("utf8")
    .trim()
    .slice(-500);
  throw new Fault(
    "SANDBOX_BROKEN",
    "retry",
    `a working folder was to be made in the sandbox, and its process ended with ${code}${text === "" ? "" : `, saying ${JSON.stringify(text)}`}; is there room for it (limits of disk and file size)?`,
    { cause: fed },
  );
}
