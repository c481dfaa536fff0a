import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskMeter, isOrphan, ownedPrefix, removeTree } from "../../../pipeline/sandboxes/scratch.ts";
import { mebibyte, temporaryFolder } from "./lib.ts";

test("what a dead process left is an orphan; what lives, is elsewhere or is another's is not", async () => {
  const mine = `${await ownedPrefix()}abc`;
  const dead = mine.replace(`-${process.pid}-`, `-${spawnSync("true").pid}-`);
  const parent = mine.replace(`-${process.pid}-`, `-${process.ppid}-`);
  const elsewhere = dead.replace(/[0-9a-f]{8}/, "00000000");
  const found = await Promise.all([mine, dead, parent, elsewhere, "catgen-sandbox-", "something"].map(isOrphan));
  expect(found).toEqual([false, true, false, false, false, false]);
});

test("a folder nested deeper than a path may be long, with doors closed, is removed", async () => {
  const folder = temporaryFolder();
  spawnSync("bash", ["-c", "for i in $(seq 300); do mkdir deep-folder-name && cd deep-folder-name; done"], { cwd: folder });
  mkdirSync(join(folder, "closed/inner"), { recursive: true });
  chmodSync(join(folder, "closed"), 0);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

test("what was written counts as soon as it may be more than the limit", async () => {
  const folder = temporaryFolder();
  const written = diskMeter(folder);
  expect(await written(mebibyte)).toBeLessThan(mebibyte);
  writeFileSync(join(folder, "big"), Buffer.alloc(4 * mebibyte, 1));
  expect(await written(mebibyte)).toBeGreaterThanOrEqual(4 * mebibyte);
  rmSync(join(folder, "big"));
  expect(await written(mebibyte)).toBeLessThan(mebibyte);
  rmSync(folder, { recursive: true });
});
