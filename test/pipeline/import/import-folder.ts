import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { planInputs } from "../../../pipeline/import/plan.ts";
import { type ReadOptions, readFacts, readUnit, type UnitEvent } from "../../../pipeline/import/read.ts";
import { InputFile } from "../../../schemas/inputs.ts";
import { Trajectory } from "../../../schemas/trajectory.ts";
import { indexFacts, joinOutcome } from "../../../stages/generate/outcome.ts";
import { patchDigest } from "../../../stages/generate/reports.ts";

export const digest = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

/** A folder with these files, gone after the test. */
export async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "catgen-import-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

export interface Imported {
  readonly runs: Trajectory[];
  readonly reports: InputFile[];
  readonly broken: Extract<UnitEvent, { kind: "quarantined" }>[];
}

export const defaults: ReadOptions = { source: null, licence: null, maxRecordBytes: 64 << 20 };

/** What a caller does: plan, reports first, then every unit with the outcomes joined. */
export async function importAll(paths: readonly string[], options: Partial<ReadOptions> = {}): Promise<Imported> {
  const settings = { ...defaults, ...options };
  const units = await planInputs(paths);
  const facts = indexFacts(await readFacts(units, settings));
  const imported: Imported = { runs: [], reports: [], broken: [] };
  for (const unit of units) {
    for await (const event of readUnit(unit, settings)) {
      if (event.kind === "file") imported.reports.push(InputFile.parse(event.report));
      else if (event.kind === "quarantined") imported.broken.push(event);
      else {
        const { patch } = event.trajectory.outcome;
        const joined = joinOutcome(
          event.trajectory,
          facts.get(event.trajectory.instance) ?? [],
          patch === null ? null : patchDigest(patch, digest),
        );
        imported.runs.push(Trajectory.parse(joined));
      }
    }
  }
  return imported;
}

/** A row that the `messages` dialect reads; `answer` makes it unlike others. */
export const row = (instance: string, answer = "done", more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  instance_id: instance,
  messages: [
    { role: "user", content: `solve ${instance}` },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command": "ls"}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "calc.py" },
    { role: "assistant", content: answer },
  ],
  ...more,
});

export const jsonLines = (...rows: readonly unknown[]): string => rows.map((entry) => `${JSON.stringify(entry)}\n`).join("");
