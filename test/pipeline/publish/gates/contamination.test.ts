import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeParquetShards } from "../../../../pipeline/adapters/parquet-writer.ts";
import { contamination } from "../../../../pipeline/publish/gates/contamination.ts";
import type { GateInput } from "../../../../pipeline/publish/gates/gate.ts";
import { type AuditPart, auditColumns, auditParts } from "../../../../schemas/audit.ts";
import type { Contamination } from "../../../../schemas/contamination.ts";
import { EvaluationRecipe } from "../../../../schemas/recipe/evaluation.ts";
import { auditRow } from "../../../../stages/export/audit.ts";
import { uncontaminated } from "../../../fakes/no-evaluation.ts";
import { smallBundles, smallRecipe } from "../../../stages/export/small-bundles.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const [bundle] = await smallBundles(smallRecipe({}));
if (bundle === undefined) throw new Error("no bundle");

interface Planted {
  readonly side: "kept" | "rejected";
  readonly instance?: string;
  readonly found?: Partial<Contamination>;
  /** The row says nothing of what was measured. */
  readonly unmeasured?: boolean;
}

/** An audit of one row, as a hand might have edited it in or an older version left it. */
async function gateOn({ side, instance, found, unmeasured = false }: Planted) {
  if (bundle === undefined) throw new Error("no bundle");
  const folder = await mkdtemp(join(tmpdir(), "catgen-gate-"));
  folders.push(folder);
  const measured = { ...bundle.metrics.trajectory, contamination: { ...uncontaminated, ...found } };
  const none = Object.fromEntries(auditParts.map((part) => [part, null])) as Record<AuditPart, null>;
  const outcome = { ok: true as const, value: { ...bundle.metrics, trajectory: measured } };
  const trajectory = { ...bundle.trajectory, instance: instance ?? bundle.trajectory.instance };
  const metrics = unmeasured ? null : { id: trajectory.id, key: "k", rev: "r", from: {}, outcome };
  const row = auditRow({ trajectory, parts: { ...none, metrics }, kept: side === "kept", withheld: null });
  await mkdir(join(folder, "audit"));
  await writeParquetShards(join(folder, "audit"), side, auditColumns, [row], { rowGroupBytes: 1e6, shardBytes: 1e6 });
  const input: Partial<GateInput> = {
    folder,
    files: [{ path: `audit/${side}-00000-of-00001.parquet`, bytes: 1, sha256: "0".repeat(64) }],
    stats: null,
    evaluation: EvaluationRecipe.parse({}),
    onFile: () => undefined,
  };
  return (await contamination(input as GateInput)).findings;
}

test("an audit of rows on no evaluation task passes", async () => {
  expect(await gateOn({ side: "rejected" })).toEqual([]);
  expect(await gateOn({ side: "rejected", found: { repository: ["swe-bench"] } })).toEqual([]);
});

test.each(["kept", "rejected"] as const)("a row of audit/%s about an evaluation instance blocks by the instance's name", async (side) => {
  expect(await gateOn({ side, instance: "django__django-11099" })).toEqual([
    { subject: "django__django-11099", what: expect.stringMatching(/^1 rows of an instance of swe-bench/) },
  ]);
});

test("a rejected row that has the words of an evaluation task or of its patch blocks", async () => {
  const overlap = [{ list: "swe-bench", instance: "x__y-1", share: 0.9 }];
  expect(await gateOn({ side: "rejected", found: { text: overlap, patch: overlap } })).toEqual([
    { subject: "audit/rejected: swe-bench by patch", what: "1 rejected trajectories travel along" },
    { subject: "audit/rejected: swe-bench by text", what: "1 rejected trajectories travel along" },
  ]);
});

test("a rejected row that says nothing of what was measured blocks", async () => {
  expect((await gateOn({ side: "rejected", unmeasured: true })).map(({ subject }) => subject)).toEqual(["audit/rejected: unmeasured"]);
});
