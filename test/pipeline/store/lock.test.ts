import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockRun } from "../../../pipeline/store/lock.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const owner = (pid: number, host = hostname()): Promise<void> =>
  writeFile(join(folder, "lock.json"), JSON.stringify({ host, pid, since: "2026-01-01T00:00:00Z" }));

test("a second holder is refused with host and pid, and may come in after the release", async () => {
  const release = await lockRun(folder);
  await expect(lockRun(folder)).rejects.toMatchObject({
    code: "RUN_LOCKED",
    message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
  });
  await release();
  await (await lockRun(folder))();
  expect(await readdir(folder)).toEqual([]);
});

test("of many that race for the lock exactly one wins", async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockRun(folder)));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
});

test("the lock of a dead process on this host is taken over", async () => {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  await owner(dead);
  const release = await lockRun(folder);
  expect(JSON.parse(await readFile(join(folder, "lock.json"), "utf8"))).toMatchObject({ pid: process.pid });
  await release();
});

test("of many that find the lock of a dead process exactly one takes it over, round after round", async () => {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  for (let round = 0; round < 20; round += 1) {
    await owner(dead);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockRun(folder)));
    const won = results.filter((result) => result.status === "fulfilled");
    expect(won).toHaveLength(1);
    for (const { value } of won) await value();
  }
  expect(await readdir(folder)).toEqual([]);
});

test("a release does not take away the lock of whoever came after", async () => {
  const release = await lockRun(folder);
  await owner(1, "elsewhere");
  await release();
  expect(await readdir(folder)).toEqual(["lock.json"]);
});

test("a torn lock file counts as that of a dead process", async () => {
  await writeFile(join(folder, "lock.json"), '{"host": "x');
  await (await lockRun(folder))();
});

test("the lock of another host is never taken over, since nobody can see whether it lives", async () => {
  await owner(1, "elsewhere");
  await expect(lockRun(folder)).rejects.toMatchObject({ code: "RUN_LOCKED" });
});

test("the lock of a process whose pid another one has by now is taken over", async () => {
  await (await lockRun(folder))();
  const before = { host: hostname(), pid: process.pid, since: "2026-01-01T00:00:00Z", born: "another boot/1" };
  await writeFile(join(folder, "lock.json"), JSON.stringify(before));
  await (await lockRun(folder))();
});

test.skipIf(process.platform !== "linux")("the lock of a dead process that nobody has reaped is taken over", async () => {
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const pid = Number(await new Promise((done) => parent.stdout.once("data", (bytes: Buffer) => done(bytes.toString()))));
    while (!(await readFile(`/proc/${pid}/stat`, "utf8")).includes(") Z ")) await new Promise((done) => setTimeout(done, 5));
    await owner(pid);
    await (await lockRun(folder))();
  } finally {
    parent.kill();
  }
});
