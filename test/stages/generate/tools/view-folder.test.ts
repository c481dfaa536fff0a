import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openToolState } from "../../../../stages/generate/tools/state.ts";
import { viewFolder } from "../../../../stages/generate/tools/view-folder.ts";
import { execution, memorySandbox } from "./memory-sandbox.ts";

const limits = { commandTimeoutMs: 10_000, observationChars: 4_000, fileBytes: 1_000 };
const contextOf = (sandbox: ReturnType<typeof memorySandbox>) => ({ sandbox, state: openToolState(), limits });
const hasFind = spawnSync("bash", ["-c", "find --version"]).status === 0;
if (!hasFind) console.log("skipped: listing a real folder (needs bash and find)");

describe.skipIf(!hasFind)("a real folder", () => {
  const root = mkdtempSync(join(tmpdir(), "catgen view 'folder' $HOME-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const sandbox = memorySandbox({}, (command) => {
    const { stdout, status } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    return execution({ output: stdout, exitCode: status });
  });

  test("is listed two levels deep, sorted, without hidden items, whatever its names hold", async () => {
    for (const folder of ["src/deep/deeper", ".git/objects", "-rf", "empty", "src/.cache", "Ünï"])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ["a b.ts", "src/x.ts", "src/.env", "src/deep/three.ts", ".hidden", "$(touch boom)", "-rf/'quoted'", "B"])
      writeFileSync(join(root, file), "");
    symlinkSync("/", join(root, "link"));
    const { text, failed } = await viewFolder(root, contextOf(sandbox));
    expect(failed).toBe(false);
    const names = ["", "$(touch boom)", "-rf/", "-rf/'quoted'", "B", "a b.ts", "empty/", "link", "src/", "src/deep/", "src/x.ts", "Ünï/"];
    expect(text).toBe(
      `Here's the files and directories up to 2 levels deep in ${root}, excluding hidden items:\n${names.map((name) => `${root}/${name}`).join("\n")}`,
    );
    expect((await viewFolder(`${root}/`, contextOf(sandbox))).text.split("\n").slice(1)).toEqual(text.split("\n").slice(1));
  });

  test("that is hidden itself is listed all the same", async () => {
    expect((await viewFolder(join(root, ".git"), contextOf(sandbox))).text).toContain(`\n${root}/.git/objects/`);
  });
});

test("a list that did not come, or not whole, is no list", async () => {
  for (const gave of [{ exitCode: null, timedOut: true }, { exitCode: 127 }, { output: "/a/b\n/a/c", droppedBytes: 1 }]) {
    const { text, failed } = await viewFolder("/a", contextOf(memorySandbox({}, () => gave)));
    expect([text, failed]).toEqual([
      "ERROR:\n/a could not be listed, or holds too many files. Look at parts of it with execute_bash, e.g. `ls`.",
      true,
    ]);
  }
});

test("a shell that was lost by listing is named", async () => {
  const { text } = await viewFolder("/a", contextOf(memorySandbox({}, () => ({ exitCode: null, shellLost: true }))));
  expect(text).toContain("\n[The shell was restarted: ");
});
