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

  /** A made-up log of a viewer's tests: entries that are no entries, and a message that is the text "error". */
  const broken = "cli-sessions/claude-code-log__edge_cases.jsonl";

  test("accounts for every file exactly once", () => {
    const files = all.reports.map((report) => report.file);
    expect(new Set(files).size).toBe(files.length);
    expect(files.toSorted()).toEqual([...known.map((entry) => entry.file), "NOTICE.md", "manifest.jsonl"].toSorted());
  });

  test("gives as many runs per dialect as there are", () => {
    const { refused, quarantined, ...summary } = summarise(all.reports);
    expect(summary).toEqual({
      files: 187,
      imported: 91,
      joined: 11,
      partOf: 64,
      empty: 3,
      // One run lies there twice (as event files and as lines), one is the last of its logged calls.
      trajectories: 119,
      byDialect: {
        "adp-standard": 10,
        "claude-code": 7,
        cline: 3,
        "gemini-cli": 6,
        "mini-swe-agent": 21,
        "moatless-nodes": 3,
        "moatless-transitions": 4,
        "nebius-swe-agent": 5,
        "openhands-completions": 15,
        "openhands-v0-events": 7,
        "openhands-v1-events": 8,
        sharegpt: 15,
        "swe-agent": 10,
        "swe-smith": 5,
      },
    });
    expect(refused).toHaveLength(17);
    expect(new Set(quarantined.map((entry) => entry.file))).toEqual(new Set([broken]));
    expect(quarantined.at(-1)?.why).toMatch(/message: expected an object, got the text "error"/);
  });

  test("reads every run there is, and refuses everything else by name", () => {
    const reports = new Map(all.reports.map((report) => [report.file, report]));
    for (const entry of known) {
      const report = reports.get(entry.file);
      const read = (report?.trajectories.length ?? 0) + (report?.emptyRecords ?? 0);
      if (entry.file === broken) expect(report?.disposition).toBe("quarantined");
      else if (entry.kind === "data") expect([entry.file, read]).toEqual([entry.file, entry.trajectories]);
      else if (report?.disposition === "refused") expect(report.why?.length).toBeGreaterThan(10);
      else expect([entry.file, report?.disposition]).toEqual([entry.file, expect.stringMatching(/^(?:joined|partOf|imported|empty)$/)]);
    }
  });

  test("finds the instances and the outcomes that are known, and no other outcome but flags in rows", () => {
    const byFile = new Map(known.map((entry) => [entry.file, entry]));
    for (const run of all.runs) {
      const entry = byFile.get(run.origin.file);
      const inside = run.origin.dialect !== "openhands-v1-events" && entry?.instance_id;
      if (inside) expect([run.origin.file, run.instance]).toEqual([run.origin.file, entry.instance_id]);
      // Who judged Moatless' runs does not lie beside them.
      const judged = run.source === "moatless" ? null : /\/all\//.test(run.origin.file) ? true : (entry?.resolved ?? null);
      if (run.outcome.evidence?.kind !== "row") expect([run.origin.file, run.outcome.resolved]).toEqual([run.origin.file, judged]);
    }
    expect(all.runs.filter((run) => run.outcome.resolved !== null).length).toBe(43);
  });

  test("marks what is known about these runs", () => {
    const files = (mark: Imported["runs"][number]["marks"][number]): string[] =>
      all.runs.filter((run) => run.marks.includes(mark)).map((run) => run.origin.file);
    expect(files("patch-mismatch")).toEqual(Array(3).fill("adp/swe-smith/sample_raw.json"));
    expect(files("pre-condensed").filter((file) => file.startsWith("openhands-v1"))).toHaveLength(6);
    expect(files("demonstration-removed")).toHaveLength(1);
    const states = all.runs.filter((run) => run.origin.dialect === "moatless-transitions").map((run) => run.origin.file);
    for (const mark of ["missing-result", "silent-step"] as const) expect([mark, files(mark)]).toEqual([mark, states]);
    for (const mark of ["orphan-result", "unparsable-arguments", "lossy-utf8"] as const) expect([mark, files(mark)]).toEqual([mark, []]);
    expect(new Set(files("fabricated-turns").map((file) => file.replace(/^adp\/[^/]+\//, "")))).toEqual(
      new Set(["sample_std.json", "sample_sft__sample_sft_openhands.json", "sample_sft__sample_sft_sweagent.json"]),
    );
  });

  test("gives agent-data-protocol's three forms of a run the same results, but for what its converter made up", () => {
    const inForm = (dialect: string, folder: string) =>
      all.runs.filter((run) => run.origin.dialect === dialect && run.origin.file.startsWith(`adp/${folder}/`));
    for (const [folder, raw] of [
      ["swe-smith", "swe-smith"],
      ["nebius_SWE-agent-trajectories", "nebius-swe-agent"],
    ] as const) {
      const originals = inForm(raw, folder);
      const rewritten = [...inForm("adp-standard", folder), ...inForm("sharegpt", folder)];
      expect(rewritten.length % originals.length).toBe(0);
      for (const [index, run] of rewritten.entries()) {
        const original = originals[index % originals.length];
        const results = (steps: (typeof run)["steps"]) => steps.map((step) => step.calls[0]?.result?.trim() ?? null);
        expect(run.steps.length).toBe((original?.steps.length ?? 0) + 1);
        expect([run.id, results(run.steps.slice(0, -2))]).toEqual([run.id, results(original?.steps.slice(0, -1) ?? [])]);
        expect([original?.steps.at(-1)?.calls[0]?.result, run.steps.at(-2)?.calls[0]?.result]).toEqual([null, expect.any(String)]);
      }
    }
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
