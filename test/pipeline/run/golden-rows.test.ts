import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { loadTokenizer } from "../../../pipeline/adapters/tokenizer.ts";
import { stepKey } from "../../../pipeline/keys.ts";
import { exportVersion, generateVersion, loadStage, outlineOf, rowSteps } from "../../../pipeline/plan.ts";
import { digestOf } from "../../../pipeline/store/digest.ts";
import type { Bundle } from "../../../schemas/bundle.ts";
import { Recipe } from "../../../schemas/recipe.ts";
import { exportTrajectory } from "../../../stages/export/export.ts";
import type { ExportParams } from "../../../stages/export/params.ts";
import { importRecord } from "../../../stages/generate/import-record.ts";
import { noEvaluationSets } from "../../../stages/lib/contamination/contamination.ts";
import type { Outcome, Ports } from "../../../stages/stage.ts";
import { messageRun } from "../../fakes/message-runs.ts";
import { noEvaluation } from "../../fakes/no-evaluation.ts";

/**
 * Equal input, equal parameters, equal rows: the digests of what every stage makes of two fixed runs. When this fails and the change is
 * meant, bump the stage's `version` (or users' old rows would be taken for new ones), then record anew with UPDATE_GOLDENS=1.
 */

const file = new URL("../../fixtures/golden-rows.json", import.meta.url);
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const tokenizer = loadTokenizer("qwen2.5");
const settled = {
  recipe: Recipe.parse({}),
  endpoint: {
    baseUrl: "",
    model: "",
    apiKey: null,
    temperature: 0,
    topP: null,
    seed: null,
    extraBody: {},
    concurrency: 1,
    maxAttempts: 1,
    timeoutMs: 1,
    budget: { tokens: null, money: null, currency: "USD" },
    price: null,
  },
  condenser: "extractive" as const,
  thought: "template" as const,
  tokenizer: { name: "qwen2.5" as const, digest: tokenizer.digest, local: null },
  evaluation: noEvaluation,
};
const ports: Ports = {
  complete: () => Promise.reject(new Error("the golden rows need no model")),
  countTokens: (text) => tokenizer.count(text),
  digest: sha256,
  evaluationSets: async () => noEvaluationSets,
};

function importOne(run: Record<string, unknown>): Bundle["trajectory"] {
  const text = JSON.stringify(run);
  const origin = { file: "runs.jsonl", record: 0, digest: sha256(text), source: null, licence: null, instance: null, marks: [] };
  const read = importRecord(JSON.parse(text), origin, sha256);
  if (!read.ok) throw new Error(read.why);
  return read.trajectory;
}

async function rowsOf(trajectory: Bundle["trajectory"]): Promise<Record<string, unknown>> {
  const bundle: Record<string, Outcome<unknown>> = { trajectory: { ok: true, value: trajectory } };
  for (const name of rowSteps) {
    const stage = await loadStage(name);
    const input: Record<string, unknown> = {};
    for (const part of stage.reads) {
      const outcome = bundle[part];
      if (outcome?.ok !== true) throw new Error(`${name} lacks ${part}`);
      input[part] = outcome.value;
    }
    for (const part of stage.readsIfKept) input[part] = bundle[part];
    bundle[stage.writes] = await stage.run(input as never, stepKey(name, settled).params as never, ports);
  }
  return Object.fromEntries(Object.entries(bundle).map(([part, outcome]) => [part, outcome.ok ? outcome.value : { why: outcome.why }]));
}

async function digests(): Promise<Record<string, { version: number; digest: string }>> {
  const made = [
    await rowsOf(importOne(messageRun({ instance: "acme__web-1", steps: 60 }))),
    await rowsOf(importOne(messageRun({ instance: "beta__core-7", resolved: false }))),
  ];
  const exported = made.map((parts) =>
    exportTrajectory({ ...parts, leftOut: null } as never, stepKey("export", settled).params as ExportParams, ports),
  );
  const versioned = (version: number, values: unknown) => ({ version, digest: digestOf(JSON.parse(JSON.stringify(values))) });
  const stages = rowSteps.map((name) => {
    const { version, writes } = outlineOf(name);
    return [
      name,
      versioned(
        version,
        made.map((parts) => parts[writes]),
      ),
    ];
  });
  return {
    generate: versioned(
      generateVersion,
      made.map((parts) => parts["trajectory"]),
    ),
    ...Object.fromEntries(stages),
    export: versioned(exportVersion, exported),
  };
}

test("no stage's rows change without its version", async () => {
  const now = await digests();
  if (process.env["UPDATE_GOLDENS"] === "1") await writeFile(file, `${JSON.stringify(now, null, 2)}\n`);
  const golden = JSON.parse(await readFile(file, "utf8")) as typeof now;
  for (const [name, { version, digest }] of Object.entries(now)) {
    const before = golden[name];
    if (before?.version === version)
      expect(digest, `${name} makes other rows than before under the same version ${version}: bump it`).toBe(before.digest);
    else expect.fail(`${name} is version ${version}, the goldens have ${before?.version}: record them with UPDATE_GOLDENS=1`);
  }
});
