import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeTemporaries, systemFault, temporaryName, writeAtomically, writeTextAtomically } from "../../../pipeline/store/atomic.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-atomic-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a write that fails half-way leaves the old file and no temporary one", async () => {
  const path = join(folder, "a.json");
  await writeTextAtomically(path, "old");
  await expect(
    writeAtomically(path, async (handle) => {
      await handle.writeFile("half");
      throw new Error("stop");
    }),
  ).rejects.toThrow("stop");
  expect(await readFile(path, "utf8")).toBe("old");
  expect(await readdir(folder)).toEqual(["a.json"]);
});

test("a folder that is a file is an IO fault that names the path and says what to do", async () => {
  await writeFile(join(folder, "file"), "");
  await expect(writeTextAtomically(join(folder, "file", "a"), "x")).rejects.toMatchObject({
    code: "IO",
    message: expect.stringMatching(/file\/a.*(folder|file stands)/),
  });
});

test("what crashed attempts left is removed, everything else stays", async () => {
  await writeFile(temporaryName(join(folder, "x")), "");
  await writeFile(join(folder, "x"), "");
  await removeTemporaries(folder);
  expect(await readdir(folder)).toEqual(["x"]);
});

test("an error of the operating system is a fault wherever it comes from, and a bug stays a bug", async () => {
  const missing = await readFile(join(folder, "nothing", "here")).catch((error: unknown) => error);
  expect(systemFault(missing)).toMatchObject({ code: "IO", message: expect.stringMatching(/^open .*nothing.here: ENOENT/) });
  const bug = new TypeError("x is not a function");
  expect(systemFault(bug)).toBe(bug);
});
