import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openControlGroup, placesOf } from "../../../pipeline/sandboxes/control-group.ts";
import { temporaryFolder } from "./lib.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

test("version 1 has a place per controller, under the group we are in", async () => {
  expect(await placesOf(root, "9:name=systemd:/\n8:pids:/\n4:memory:/job/7\n1:cpu,cpuacct:/\n0::/\n")).toEqual([
    { folder: join(root, "pids"), controllers: ["pids"], memoryFile: "memory.limit_in_bytes" },
    { folder: join(root, "memory/job/7"), controllers: ["memory"], memoryFile: "memory.limit_in_bytes" },
  ]);
});

test("version 2 has one for all controllers that are handed down, in our group or in the one above", async () => {
  write("user.slice/app.slice/cgroup.subtree_control", "memory pids\n");
  write("user.slice/app.slice/shell.scope/cgroup.subtree_control", "");
  expect(await placesOf(root, "0::/user.slice/app.slice/shell.scope\n")).toEqual([
    { folder: join(root, "user.slice/app.slice"), controllers: ["memory", "pids"], memoryFile: "memory.max" },
  ]);
});

test("where no kernel stands behind a folder nothing is bound and nothing stays", async () => {
  write("cgroup.subtree_control", "memory pids\n");
  write("self", "0::/\n");
  const group = await openControlGroup("mine", { memoryBytes: 1, processes: 1 }, root, join(root, "self"));
  expect(group).toMatchObject({ entrances: [], boundsMemory: false });
  expect(existsSync(join(root, "mine"))).toBe(false);
});

test("without a list of groups, as on other systems, nothing is bound", async () => {
  expect(await openControlGroup("mine", { memoryBytes: 1, processes: 1 }, root, join(root, "none"))).toMatchObject({
    entrances: [],
    boundsMemory: false,
  });
});
