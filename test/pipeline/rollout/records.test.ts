import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openNotes, readRecord, recordPath, writeRecord } from "../../../pipeline/rollout/records.ts";
import type { RunFolder } from "../../../pipeline/store/run-folder.ts";
import type { Rollout } from "../../../schemas/rollout.ts";
import { sha256 } from "../../fakes/fake-ports.ts";

let run: RunFolder;
beforeEach(() => {
  run = { name: "live", root: mkdtempSync(join(tmpdir(), "catgen-records-")), shards: 1, verdict: null };
});
afterEach(() => rmSync(run.root, { recursive: true, force: true }));

const notesPath = (): string => join(run.root, "rollouts", "open", "sum");

/** One try that sees these turns; gives for each whether it differs from earlier tries. */
async function trying(...seen: string[]): Promise<boolean[]> {
  const notes = await openNotes(run, "sum");
  const differs: boolean[] = [];
  for (const [turn, what] of seen.entries()) differs.push(await notes.add(turn, sha256(what)));
  return differs;
}

describe("a run that is tried again", () => {
  test("differs nowhere when it sees the same, and then more", async () => {
    expect(await trying("a", "b")).toEqual([false, false]);
    expect(await trying("a", "b", "c")).toEqual([false, false, false]);
  });

  test("differs from the turn on at which it sees something else", async () => {
    await trying("a", "b", "c");
    expect(await trying("a", "B", "C")).toEqual([false, true, true]);
  });

  test("is still found out when the try in between ended early", async () => {
    await trying("a", "b", "c");
    await trying("a");
    expect(await trying("a", "b", "C")).toEqual([false, false, true]);
  });

  test("that differed once differs for good", async () => {
    await trying("a", "b");
    await trying("a", "B");
    expect(await trying("a", "B")).toEqual([false, true]);
  });

  test("loses no more than the note that was cut off by a crash", async () => {
    await trying("a", "b");
    appendFileSync(notesPath(), `2 ${sha256("c").slice(0, 20)}`);
    expect(await trying("a", "b", "c", "d")).toEqual([false, false, false, false]);
    expect(await trying("a", "b", "c", "D")).toEqual([false, false, false, true]);
  });

  test("adds nothing to its notes while it sees the same", async () => {
    await trying("a", "b");
    const before = readFileSync(notesPath(), "utf8");
    await trying("a", "b");
    expect(readFileSync(notesPath(), "utf8")).toBe(before);
  });
});

test("a finished run leaves a record and no notes", async () => {
  await trying("a");
  const record = { format: "catgen.rollout/1" } as Rollout;
  await writeRecord(run, "sum", record);
  expect([existsSync(notesPath()), existsSync(recordPath(run, "sum"))]).toEqual([false, true]);
});

test("a record that is damaged is as good as none", async () => {
  await writeRecord(run, "sum", { format: "catgen.rollout/1" } as Rollout);
  expect(await readRecord(run, "sum")).toBeNull();
  expect(await readRecord(run, "never-run")).toBeNull();
});
