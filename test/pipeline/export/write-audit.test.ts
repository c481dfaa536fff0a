import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { chatTemplate } from "../../../pipeline/adapters/chat-template.ts";
import { readParquetRows } from "../../../pipeline/adapters/parquet-reader.ts";
import type { AuditRequest, ExportRequest } from "../../../pipeline/export/request.ts";
import { writeAudit } from "../../../pipeline/export/write-audit.ts";
import { settle } from "../../../pipeline/keys.ts";
import { publishedRecipe } from "../../../pipeline/run/audit.ts";
import { revOf } from "../../../pipeline/run/row-key.ts";
import { AuditAccount } from "../../../schemas/audit.ts";
import { Recipe } from "../../../schemas/recipe.ts";
import type { Row } from "../../../schemas/row.ts";
import { type AuditRecord, auditText } from "../../../stages/export/audit.ts";
import type { ExportBundle } from "../../../stages/export/export.ts";
import { arrayOf, paramsOf, ports, smallBundles, smallRecipe } from "../../stages/export/small-bundles.ts";

const recipe = smallRecipe({ export: { audit: "all", training: { globalBatch: 4 } } });
const bundles = (await smallBundles(recipe)).slice(0, 4);
const template = await chatTemplate("qwen2.5");
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const digest = "ab".repeat(32);
const row = (id: string, value: unknown): Row<unknown> => {
  const outcome = { ok: true as const, value };
  return { id, key: digest, rev: revOf(outcome), from: { trajectory: digest }, outcome };
};
const recordOf = ({ trajectory, memory, workspace, metrics }: ExportBundle, kept: boolean): AuditRecord => ({
  trajectory,
  kept,
  withheld: null,
  parts: {
    detection: null,
    memory: row(trajectory.id, memory),
    workspace: row(trajectory.id, workspace),
    metrics: row(trajectory.id, metrics),
  },
});
const records = bundles.map((bundle, index) => recordOf(bundle, index !== 1));
const material = { stage: "detect", version: 1, tokenizer: null, params: {} };

async function requestFor(own: readonly AuditRecord[], change: Partial<ExportRequest> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "catgen-audit-"));
  folders.push(folder);
  let asked = 0;
  const audit: AuditRequest = {
    records: () => {
      asked += 1;
      return arrayOf(own)();
    },
    recipe,
    steps: { detect: material, condense: material, measure: material },
    key: digest,
  };
  const request: ExportRequest = { bundles: arrayOf(bundles), params: paramsOf(recipe), ports, folder, template, audit, ...change };
  return { folder, request, asked: () => asked };
}

const accountIn = async (folder: string): Promise<AuditAccount> =>
  AuditAccount.parse(JSON.parse(await readFile(join(folder, "audit", "audit.json"), "utf8")));

test("what is kept and what is rejected lie apart, and every part reads back as it was stored", async () => {
  const { folder, request } = await requestFor(records);
  expect(await writeAudit(request)).toEqual({ rows: { kept: 3, rejected: 1 }, leftOut: {} });
  const { files } = await accountIn(folder);
  expect(files.map(({ path, rows }) => [path, rows])).toEqual([
    ["audit/kept-00000-of-00001.parquet", 3],
    ["audit/rejected-00000-of-00001.parquet", 1],
  ]);
  for await (const read of readParquetRows(join(folder, "audit/rejected-00000-of-00001.parquet"))) {
    const [, rejected] = records;
    expect(JSON.parse(String(read["cat_audit_trajectory"]))).toEqual(rejected?.trajectory);
    const { rev, outcome } = rejected?.parts.metrics ?? {};
    expect(JSON.parse(String(read["cat_audit_metrics"]))).toEqual({ rev, from: { trajectory: digest }, outcome });
    expect(read["cat_audit_detection"]).toBeNull();
  }
});

test("a trajectory with what looks like a secret is in no file, and the account counts it by its type", async () => {
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const [first, ...others] = records;
  if (first === undefined) throw new Error("no record");
  const told = { ...first.trajectory, task: { ...first.trajectory.task, prompt: `use ${secret}` } };
  const { folder, request } = await requestFor([{ ...first, trajectory: told }, ...others]);
  expect(await writeAudit(request)).toEqual({ rows: { kept: 2, rejected: 1 }, leftOut: { "github-token": 1 } });
  for (const name of await readdir(join(folder, "audit")))
    expect((await readFile(join(folder, "audit", name))).includes(secret), name).toBe(false);
});

test("a rejected trajectory that may not travel is in no file, and the account counts it by the reason", async () => {
  const [first, second, third, fourth] = records.map((record) => ({ ...record, kept: false }));
  if (!(first && second && third && fourth)) throw new Error("too few records");
  const { folder, request } = await requestFor([
    { ...first, withheld: "evaluation-task" },
    second,
    { ...third, withheld: "evaluation-task" },
    { ...fourth, withheld: "not-measured" },
  ]);
  const sizes = await writeAudit(request);
  expect(sizes).toEqual({ rows: { kept: 0, rejected: 1 }, leftOut: { "evaluation-task": 2, "not-measured": 1 } });
  const instances: unknown[] = [];
  for await (const read of readParquetRows(join(folder, "audit/rejected-00000-of-00001.parquet"))) instances.push(read["cat_instance_id"]);
  expect(instances).toEqual([second.trajectory.instance]);
  if (sizes === null) throw new Error("no audit");
  expect(auditText(sizes)).toMatch(
    /2 trajectories are left out of it, rejected and on tasks that models are evaluated on.*1 trajectory is left out/,
  );
});

test("files made of the same are taken from an earlier export, and written anew when one of them is damaged", async () => {
  const earlier = await requestFor(records);
  await writeAudit(earlier.request);
  const change = { earlier: [{ folder: earlier.folder, whole: null, parts: [] }] };
  const taken = await requestFor(records, change);
  expect(await writeAudit(taken.request)).toEqual({ rows: { kept: 3, rejected: 1 }, leftOut: {} });
  expect([earlier.asked(), taken.asked()]).toEqual([2, 0]);
  expect(await accountIn(taken.folder)).toEqual(await accountIn(earlier.folder));
  await rm(join(earlier.folder, "audit/kept-00000-of-00001.parquet"));
  await appendFile(join(earlier.folder, "audit/rejected-00000-of-00001.parquet"), "x");
  const anew = await requestFor(records, change);
  await writeAudit(anew.request);
  expect(anew.asked()).toBe(2);
  expect(await accountIn(anew.folder)).toEqual(await accountIn(taken.folder));
});

test("the recipe that goes outside names the model and settles what rows depend on; addresses, paths and approvals stay at home", () => {
  const own = Recipe.parse({
    llm: { baseUrl: "http://10.1.2.3:8000/v1" },
    tokenizer: { folder: "/home/ada/model" },
    evaluation: { lists: ["/home/ada/mine.txt"] },
    publish: { approved: [{ gate: "licence", subject: "mine: unknown", reason: "asked Bob" }] },
  });
  const settled = settle(own, { CATGEN_MODEL: "m-32b" }, { name: "qwen2.5", digest, local: null });
  const text = JSON.stringify(publishedRecipe(settled, 3));
  expect(text).not.toMatch(/10\.1\.2\.3|home|Bob/);
  expect(Recipe.parse(JSON.parse(text))).toMatchObject({
    run: { shards: 3 },
    condense: { condenser: "llm", thought: "llm" },
    llm: { model: "m-32b" },
  });
});
