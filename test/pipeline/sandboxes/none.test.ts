import { afterAll, beforeAll, expect, test } from "vitest";
import { none } from "../../../pipeline/sandboxes/none.ts";
import type { Sandbox } from "../../../stages/lib/sandbox.ts";
import { limits, run } from "./lib.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await none.open({ image: null, workdir: "/workspace", tree: null, limits });
});
afterAll(() => sandbox.destroy());

test("the working folder is called what it was asked to be called, on the way in and out", async () => {
  await sandbox.put("/workspace/deep/a.txt", "text");
  expect((await run(sandbox, "cat /workspace/deep/a.txt; cd /workspace/deep && pwd; realpath .")).output).toBe(
    "text/workspace/deep\n/workspace/deep\n",
  );
});

test("names that only begin or end alike are left alone", async () => {
  expect((await run(sandbox, "echo /workspaces /workspace-2 a/workspace ../workspace /workspace.bak")).output).toBe(
    "/workspaces /workspace-2 a/workspace ../workspace /workspace.bak\n",
  );
});

test("keys of the host's environment are not handed on", async () => {
  process.env["CATGEN_PLANTED_KEY"] = "planted";
  const other = await none.open({ image: null, workdir: "/workspace", tree: null, limits });
  expect((await run(other, "env | grep -c planted").finally(() => other.destroy())).output).toBe("0\n");
  delete process.env["CATGEN_PLANTED_KEY"];
});
