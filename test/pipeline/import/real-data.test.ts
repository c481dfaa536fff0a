import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { summarise } from "../../../pipeline/import/read.ts";
import { type Imported, importAll } from "./import-folder.ts";

const folder = join(import.meta.dirname, "../../../../shared/trajectories");
const there = existsSync(join(folder, "manifest.jsonl"));
if (!there) console.log(`skipped: the collection of real runs is not at ${folder}`);

interface Known {
  readonly file: string;
  readonly kind: string;
  readonly trajectories: number;
  readonly instance_id?: string;
  readonly resolved?: boolean;
}

const commandOf = (text: string | undefined): string => (JSON.parse(text ?? "{}") as { command?: string }).command ?? "";

describe.skipIf(!there)("the collection of real runs", () => {
  let all: Imported;
  let known: Known[];
  beforeAll(async () => {
    all = await importAll([folder]);
    known = readFileSync(join(folder, "manifest.jsonl"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Known);
  }, 60_000);

  /** Families that are read; everything else in the collection has to be refused. */
  const ours = /^(?:swe-agent|swe-smith\/traj|mini-swe-agent|mini-swe-agent-gemini3\/trajs|openhands-[^/]+)\/|^adp\/swe-smith\/sample_raw/;

  test("accounts for every file exactly once", () => {
    const files = all.reports.map((report) => report.file);
    expect(new Set(files).size).toBe(files.length);
    expect(files.toSorted()).toEqual([...known.map((entry) => entry.file), "NOTICE.md", "manifest.jsonl"].toSorted());
  });

  test("gives as many runs per dialect as there are", () => {
    const { refused, ...summary } = summarise(all.reports);
    expect(summary).toEqual({
      files: 187,
      imported: 62,
      joined: 11,
      partOf: 64,
      empty: 2,
      quarantined: [],
      // One run lies there twice (as event files and as lines), one is the last of its logged calls.
      trajectories: 66,
      byDialect: {
        messages: 5,
        "mini-swe-agent": 21,
        "openhands-completions": 15,
        "openhands-v0-events": 7,
        "openhands-v1-events": 8,
        "swe-agent": 10,
      },
    });
    expect(refused).toHaveLength(48);
  });

  test("reads every run of our families and refuses all others with a reason", () => {
    const reports = new Map(all.reports.map((report) => [report.file, report]));
    for (const entry of known) {
      const report = reports.get(entry.file);
      const read = (report?.trajectories.length ?? 0) + (report?.emptyRecords ?? 0);
      if (ours.test(entry.file) && entry.kind === "data") expect([entry.file, read]).toEqual([entry.file, entry.trajectories]);
      else if (report?.disposition === "refused") expect(report.why?.length).toBeGreaterThan(10);
      else expect([entry.file, report?.disposition]).toEqual([entry.file, expect.stringMatching(/^(?:joined|partOf|imported)$/)]);
    }
  });

  test("finds the instances and the outcomes that are known, and no other outcome but flags in rows", () => {
    const byFile = new Map(known.map((entry) => [entry.file, entry]));
    for (const run of all.runs) {
      const entry = byFile.get(run.origin.file);
      const inside = run.origin.dialect !== "openhands-v1-events" && entry?.instance_id;
      if (inside) expect([run.origin.file, run.instance]).toEqual([run.origin.file, entry.instance_id]);
      const judged = /\/all\//.test(run.origin.file) ? true : (entry?.resolved ?? null);
      if (run.outcome.evidence?.kind !== "row") expect([run.origin.file, run.outcome.resolved]).toEqual([run.origin.file, judged]);
    }
    expect(all.runs.filter((run) => run.outcome.resolved !== null).length).toBe(38);
  });

  test("marks what is known about these runs", () => {
    const files = (mark: Imported["runs"][number]["marks"][number]): string[] =>
      all.runs.filter((run) => run.marks.includes(mark)).map((run) => run.origin.file);
    expect(files("patch-mismatch")).toEqual(Array(3).fill("adp/swe-smith/sample_raw.json"));
    expect(files("pre-condensed").filter((file) => file.startsWith("openhands-v1"))).toHaveLength(6);
    expect(files("demonstration-removed")).toHaveLength(1);
    for (const mark of ["missing-result", "silent-step", "orphan-result", "unparsable-arguments", "lossy-utf8"] as const)
      expect([mark, files(mark)]).toEqual([mark, []]);
  });

  test("loses no text: every message of the chat formats is found again in its run", () => {
    const chats = all.runs.filter(
      (run) =>
        run.origin.dialect === "mini-swe-agent" || (run.origin.dialect === "openhands-completions" && !run.origin.file.includes("/all/")),
    );
    expect(chats.length).toBe(36);
    for (const run of chats) {
      const value: unknown = JSON.parse(readFileSync(join(folder, run.origin.file), "utf8"));
      const messages = (Array.isArray(value) ? value : (value as { messages: unknown[] }).messages) as {
        role: string;
        content?: unknown;
      }[];
      const kept = [
        run.task.system,
        run.task.prompt,
        run.outcome.patch,
        ...run.steps.flatMap((step) => [step.thought, ...step.feedback, ...step.calls.map((call) => call.result)]),
      ];
      const pool = new Set(kept);
      for (const { role, content } of messages) {
        const text = Array.isArray(content) ? content.map((part: { text: string }) => part.text).join("\n") : String(content ?? "");
        const cut =
          role === "assistant" &&
          run.steps.some(
            (step) => step.calls.length === 1 && text.startsWith(step.thought) && text.includes(commandOf(step.calls[0]?.arguments)),
          );
        expect([run.origin.file, pool.has(text) || cut, text.slice(0, 80)]).toEqual([run.origin.file, true, text.slice(0, 80)]);
      }
    }
  });

  test("gives the same runs again", async () => {
    const again = await importAll([folder]);
    expect(again.runs.map((run) => run.id)).toEqual(all.runs.map((run) => run.id));
    expect(again.reports).toEqual(all.reports);
  }, 60_000);
});
