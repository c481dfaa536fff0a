import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { containerKind } from "../../../pipeline/sandboxes/container.ts";
import { fakeSite, isLinux, limits, openAt, run } from "./lib.ts";

describe.skipIf(!isLinux)("an engine behind its command line", () => {
  let site: ReturnType<typeof fakeSite>;
  beforeEach(() => {
    site = fakeSite();
  });
  afterEach(() => site.remove());

  test("gives a container no network, no capabilities, no mounts, and every limit in plain numbers", async () => {
    await openAt(site).then((sandbox) => sandbox.destroy());
    const created = site.engine.calls().find(([verb]) => verb === "create") ?? [];
    expect(created.filter((word) => !word.startsWith("catgen-sandbox-"))).toEqual([
      ...["create", "--interactive", "--name", "--hostname", "sandbox", "--network", "none"],
      ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
      ...["--pids-limit", `${limits.processes}`, "--memory", `${limits.memoryBytes}`, "--memory-swap", `${limits.memoryBytes}`],
      ...["--ulimit", `fsize=${limits.fileBytes}`, "--ulimit", `cpu=${limits.cpuSeconds}`, "--ulimit", "core=0"],
      ...["--workdir", site.workdir, "--entrypoint", "bash", "task:1"],
      ...["--noprofile", "--norc", "-c", "echo ready; read -r _", "bash"],
    ]);
  });

  test("is asked for one container, and to remove it", async () => {
    const sandbox = await openAt(site);
    await run(sandbox, "true");
    await sandbox.destroy();
    const calls = site.engine.calls();
    const name = calls.find(([verb]) => verb === "create")?.find((word) => word.startsWith("catgen-sandbox-")) ?? "";
    expect(calls.filter(([verb]) => verb === "create")).toHaveLength(1);
    expect(calls.at(-1)).toEqual(["rm", "--force", "--volumes", name]);
  });

  test("an image's history is gone, what it tracked stays tracked, what it ignored stays ignored", async () => {
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", site.workdir, "-c", "user.name=a", "-c", "user.email=a@b", ...words], { encoding: "utf8" });
    const write = (name: string, text: string) => writeFileSync(join(site.workdir, name), text);
    git("init", "-q");
    write(".gitignore", "*.log\n");
    write("forced.log", "tracked although ignored\n");
    write("code.txt", "fixed: the answer\n");
    git("add", "-A", "-f");
    git("commit", "-qm", "the answer");
    write("code.txt", "broken\n");
    git("commit", "-qam", "broken again");
    git("tag", "answer", "HEAD~1");
    write("ignored.log", "");
    write("new.txt", "");
    const sandbox = await openAt(site);
    const look =
      "git log --all --format=%s; git status --porcelain --ignored; git ls-files; git fsck --lost-found; cat code.txt; grep -r 'the answer' .git";
    expect((await run(sandbox, look)).output).toBe(
      "Start of the task\n?? new.txt\n!! ignored.log\n.gitignore\ncode.txt\nforced.log\nbroken\n",
    );
    await sandbox.destroy();
  });

  test("a daemon that does not answer, a missing program and a missing image say so", async () => {
    const absent = site.kind.open({ image: "absent", workdir: site.workdir, tree: null, limits });
    await expect(absent).rejects.toMatchObject({ code: "SANDBOX_BROKEN" });
    await expect(absent).rejects.toThrow(/container of absent: .*pull access denied/);
    site.engine.stop();
    expect(await site.kind.probe()).toEqual({
      ok: false,
      why: expect.stringMatching(/^Cannot connect to the Docker daemon.*may this user reach it/),
    });
    const gone = containerKind({ name: "podman", program: "/nowhere/podman" });
    expect(await gone.probe()).toEqual({ ok: false, why: "no program podman" });
  });

  test("a task without an image is refused with what to use instead", async () => {
    await expect(site.kind.open({ image: null, workdir: "/workspace", tree: null, limits })).rejects.toThrow("use bwrap");
  });
});
