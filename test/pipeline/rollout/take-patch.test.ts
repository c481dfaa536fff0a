import { mkdtempSync, rmSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sandboxKinds } from "../../../pipeline/sandboxes/index.ts";
import { keepStart, type TakenPatch, takePatch } from "../../../stages/generate/rollout/take-patch.ts";
import type { Sandbox } from "../../../stages/lib/sandbox.ts";

/** The patch is taken in the shell that the agent leaves behind, so only a real, persistent one will do. */

const workdir = "/workspace/sum";
const megabyte = 1 << 20;
const limits = { memoryBytes: 512 * megabyte, processes: 64, fileBytes: 64 * megabyte, diskBytes: 256 * megabyte, cpuSeconds: 60 };
const base = mkdtempSync(join(tmpdir(), "catgen-patch-"));
beforeAll(async () => {
  await writeFile(join(base, "a.txt"), "one\ntwo\n");
  await writeFile(join(base, "b.txt"), "bee\n");
  await writeFile(join(base, ".gitignore"), "*.log\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const open: Sandbox[] = [];
afterAll(() => Promise.all(open.map((one) => one.destroy())));

const usable = new Map<string, string>(); // why not, by kind
for (const kind of [sandboxKinds.none, sandboxKinds.bwrap]) {
  const probed = await kind.probe();
  if (!probed.ok) usable.set(kind.name, probed.why);
  if (!probed.ok) console.log(`skipped: patches from ${kind.name}: ${probed.why}`);
}

async function start(name: "none" | "bwrap"): Promise<Sandbox> {
  const sandbox = await sandboxKinds[name].open({ image: null, workdir, tree: { folder: base }, limits });
  open.push(sandbox);
  return sandbox;
}
const exec = (sandbox: Sandbox, command: string) => sandbox.exec(command, { timeoutMs: 30_000, outputBytes: 10_000 });

/** What is taken after an agent has run these commands. */
async function takenAfter(name: "none" | "bwrap", ...commands: string[]): Promise<TakenPatch> {
  const sandbox = await start(name);
  const kept = await keepStart(sandbox, workdir);
  for (const command of commands) await exec(sandbox, command);
  return takePatch(sandbox, workdir, kept);
}

/** Applies a patch to a fresh copy and shows what is there then. */
async function appliedIn(name: "none" | "bwrap", taken: TakenPatch, show: string): Promise<string> {
  if (!taken.ok) throw new Error(`expected a patch, got ${taken.why}`);
  const sandbox = await start(name);
  await sandbox.put(`${workdir}/.git/patch`, taken.patch);
  const { output, exitCode } = await exec(sandbox, `git apply --whitespace=nowarn .git/patch && ${show}`);
  expect(exitCode, output).toBe(0);
  return output;
}

const edit = "printf 'one\\nTWO\\n' >a.txt";

describe.each(["none", "bwrap"] as const)("in %s", (name) => {
  const here = test.skipIf(usable.has(name));

  here("no change is an empty patch", async () => {
    expect(await takenAfter(name, "ls", "touch ignored.log")).toEqual({ ok: true, patch: "", lossy: false });
  });

  here("new files, changed, moved and deleted ones, modes, links and odd names come through", async () => {
    const taken = await takenAfter(
      name,
      edit,
      "rm b.txt; mkdir -p x; echo new >'x/odd ü\tname'; ln -s /etc/passwd link; chmod +x a.txt; cd /",
    );
    expect(await appliedIn(name, taken, "cat a.txt 'x/odd ü\tname'; readlink link; test -x a.txt && test ! -e b.txt && echo all")).toBe(
      "one\nTWO\nnew\n/etc/passwd\nall\n",
    );
  });

  here("the agent's own commits, branches and stashes are part of the work", async () => {
    const commits = "git checkout -q -b mine && git commit -qam mine && echo more >>a.txt && git commit -qam more && echo last >c.txt";
    expect(await appliedIn(name, await takenAfter(name, edit, commits), "cat a.txt c.txt")).toBe("one\nTWO\nmore\nlast\n");
  });

  here("binary files come through, byte for byte", async () => {
    const taken = await takenAfter(name, "printf '\\0\\1\\2\\377' >bin", edit);
    expect(await appliedIn(name, taken, "od -An -tx1 bin")).toBe(" 00 01 02 ff\n");
  });

  here("text in another encoding comes through, byte for byte, and the patch is text all the same", async () => {
    const taken = await takenAfter(name, "printf 'caf\\351\\n' >latin.txt", edit);
    expect(taken).toMatchObject({ ok: true, lossy: false });
    expect(await appliedIn(name, taken, "od -An -tx1 latin.txt; cat a.txt")).toBe(" 63 61 66 e9 0a\none\nTWO\n");
  });

  here("a folder that is gone is no patch", async () => {
    expect(
      await takenAfter(name, `cd /; rm -rf ${workdir}/* ${workdir}/.[a-z]*; rmdir ${workdir} || mv ${workdir} ${workdir}.gone`),
    ).toMatchObject(
      name === "none" ? { ok: false, why: "patch-not-taken" } : { ok: true }, // bwrap: a mount point stays, and is empty
    );
  });
});

describe.concurrent("of an agent that leaves a mess", () => {
  test.each([
    ["deleted", "rm -rf .git"],
    ["made anew", "rm -rf .git; git init -q; git add -A; git commit -qm all"],
    ["locked by a git that was killed", "touch .git/index.lock"],
    ["told to look away", "git update-index --assume-unchanged a.txt; git update-index --skip-worktree b.txt; echo '*' >.git/info/exclude"],
    ["pointed elsewhere", "git config core.worktree /tmp; git config core.bare true"],
    ["given a filter", "git config filter.lie.clean 'echo lie'; echo '*.txt filter=lie' >.git/info/attributes"],
    ["given a hook and a diff program", "git config diff.external 'echo lie'; git config core.fsmonitor 'touch /tmp/ran'"],
    ["broken", "echo broken >.git/HEAD; rm -rf .git/objects"],
  ])("a repository that was %s changes nothing about the patch", async (_, damage) => {
    const taken = await takenAfter("none", edit, damage);
    expect(taken.ok && taken.patch.split("\n").filter((line) => /^[+-]\w/.test(line))).toEqual(["-two", "+TWO"]);
  });

  test.each([
    ["functions", 'for f in git cd command builtin exec env sh rm cat echo unset; do eval "$f() { :; }"; done'],
    ["functions named like paths", "function /usr/bin/env { :; }; function /bin/sh { :; }; function /usr/bin/git { :; }"],
    ["aliases", "shopt -s expand_aliases; for f in git cd command builtin exec env sh rm; do alias $f='echo lie #'; done"],
    [
      "a PATH",
      "mkdir /tmp/lies-$$; printf '#!/bin/sh\\necho lie\\n' >/tmp/lies-$$/git; chmod +x /tmp/lies-$$/git; export PATH=/tmp/lies-$$:$PATH",
    ],
    ["no PATH", "PATH="],
    ["variables of git", "export GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere GIT_EXTERNAL_DIFF=false GIT_WORK_TREE=/tmp GIT_PAGER=false"],
    ["shell options", "set -o noclobber; set -u; shopt -s failglob; IFS=/; CDPATH=/tmp; umask 027"],
    ["a home", "export HOME=/tmp; printf '[core]\\n\\tworktree = /tmp\\n' >/tmp/.gitconfig-$$"],
    ["a trap", "trap 'echo lie' DEBUG ERR EXIT RETURN"],
  ])("a shell with %s of the agent's own changes nothing about the patch", async (_, spoil) => {
    const taken = await takenAfter("none", edit, spoil);
    expect(taken.ok && taken.patch.split("\n").filter((line) => /^[+-]\w/.test(line))).toEqual(["-two", "+TWO"]);
  });

  test("text that holds the replacement character is not taken for damaged", async () => {
    expect(await takenAfter("none", "printf '\\357\\277\\275\\n' >odd.txt")).toMatchObject({ ok: true, lossy: false });
  });

  test("repositories inside the repository are left out, with and without a commit", async () => {
    const nested =
      "mkdir in out; git -C in init -q; git -C out init -q; echo x >out/f; git -C out add -A; git -C out commit -qm x; echo y >in/f";
    const taken = await takenAfter("none", nested, edit);
    expect(taken.ok && taken.patch.match(/^diff --git .*/gm)).toEqual(["diff --git a/a.txt b/a.txt"]);
  });

  test("more than 8 MiB is no patch", async () => {
    expect(await takenAfter("none", "yes | head -c 9000000 >big.txt")).toEqual({ ok: false, why: "patch-too-large" });
  });
});

test("two at once without a sandbox do not get into each other's way, and nothing is left on the host", async () => {
  const seen = async () => (await readdir(tmpdir())).filter((name) => name.startsWith(".catgen"));
  const before = await seen();
  const [left, right] = await Promise.all([takenAfter("none", "echo left >c.txt"), takenAfter("none", "echo right >c.txt")]);
  expect(left.ok && left.patch).toContain("+left");
  expect(right.ok && right.patch).toContain("+right");
  expect(await seen()).toEqual(before);
});
