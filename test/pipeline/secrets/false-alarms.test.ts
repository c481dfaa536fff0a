import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { planInputs } from "../../../pipeline/import/plan.ts";
import { readUnit } from "../../../pipeline/import/read.ts";
import { findSecrets } from "../../../stages/lib/secrets/find-secrets.ts";

const repository = resolve(import.meta.dirname, "../../..");
const runs = resolve(repository, "../shared/trajectories");
if (!existsSync(runs)) console.log(`skipped: the collection of real runs is not at ${runs}`);
const options = { secrets: true, personal: [], own: [] };

interface Alarms {
  readonly characters: number;
  readonly found: string[];
}

function look(alarms: Alarms, text: string): Alarms {
  alarms.found.push(...findSecrets(text, options).map(({ type, start, end }) => `${type}: ${text.slice(start, end)}`));
  return { ...alarms, characters: alarms.characters + text.length };
}

test.skipIf(!existsSync(runs))("real runs, where they are at hand, raise no false alarm", async () => {
  let alarms: Alarms = { characters: 0, found: [] };
  for (const unit of await planInputs([runs]))
    for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256e6 })) {
      if (event.kind !== "run") continue;
      const { task, steps, outcome } = event.trajectory;
      const texts = [task.system, task.prompt, ...task.tools, outcome.patch];
      for (const step of steps)
        texts.push(step.thought, step.reasoning, ...step.feedback, ...step.calls.flatMap((call) => [call.arguments, call.result]));
      for (const text of texts) alarms = look(alarms, text ?? "");
    }
  expect(alarms.characters).toBeGreaterThan(5e6);
  expect(alarms.found).toEqual([]);
});

test("installed sources raise at most one false alarm per 4 MB", () => {
  let alarms: Alarms = { characters: 0, found: [] };
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (alarms.characters > 16e6) return;
      if (entry.isDirectory()) walk(join(folder, entry.name));
      else if (/\.(?:[cm]?[jt]s|md|json|ya?ml)$/.test(entry.name)) alarms = look(alarms, readFileSync(join(folder, entry.name), "utf8"));
    }
  };
  for (const name of ["zod", "yargs", "vitest", "openai", "@types", "undici"]) walk(join(repository, "node_modules", name));
  expect(alarms.characters).toBeGreaterThan(4e6);
  expect(alarms.found.length, alarms.found.join("\n")).toBeLessThanOrEqual(alarms.characters / 4e6);
});
