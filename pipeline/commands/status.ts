import type { ShardManifest } from "../../schemas/manifest.ts";
import type { RolloutsFile } from "../../schemas/rollouts.ts";
import { Status } from "../../schemas/status.ts";
import type { Settled } from "../keys.ts";
import { readLedger } from "../llm/ledger.ts";
import { stepTable } from "../plan.ts";
import { readRollouts } from "../rollout/records.ts";
import { readInputs, summariseInputs } from "../run/inputs.ts";
import { type StageShards, stageShards } from "../run/overview.ts";
import { defaultVerdict, ledgerFolder, type RunFolder, verdictName, verdictNames } from "../store/run-folder.ts";
import { type CommonOptions, openWithRecipe, print, table } from "./shared.ts";

type StageStatus = Status["stages"][number];

function sumRows(manifests: readonly (Pick<ShardManifest, "tallies"> | null)[]): StageStatus["rows"] {
  const rows: StageStatus["rows"] = { in: 0, out: 0, rejected: {}, quarantined: 0, failed: 0 };
  for (const manifest of manifests) {
    if (manifest === null) continue;
    const { tallies } = manifest;
    rows.in += tallies.in;
    rows.out += tallies.out;
    rows.quarantined += tallies.quarantined;
    rows.failed += tallies.failed;
    for (const [why, count] of Object.entries(tallies.rejected)) rows.rejected[why] = (rows.rejected[why] ?? 0) + count;
  }
  return rows;
}

const stageStatus = (step: string, name: string, shards: StageShards): StageStatus => ({
  stage: step,
  name,
  rows: sumRows(shards.manifests),
  shardsDone: shards.done,
  shardsMissing: shards.missing,
  shardsStale: shards.stale,
});

function rolloutsStatus(account: RolloutsFile | null): Status["rollouts"] {
  if (account === null) return null;
  const { tasks, wanted, leftOut, failed } = account;
  const finished = Object.values(account.finished);
  const byExit: Record<string, number> = {};
  for (const { exit } of finished) byExit[exit] = (byExit[exit] ?? 0) + 1;
  const resolved = finished.filter((one) => one.verification === "resolved").length;
  const unknown = finished.filter(
    (one) => one.verification === null || /^(?:unparsable-log|infrastructure)$/.test(one.verification),
  ).length;
  return { tasks, wanted, finished: finished.length, resolved, unresolved: finished.length - resolved - unknown, byExit, leftOut, failed };
}

/** Everything `status` says, from manifests, inputs and ledger; no row is read. */
export async function statusOf(run: RunFolder, settled: Settled): Promise<Status> {
  const stages: StageStatus[] = [];
  for (const info of stepTable) stages.push(stageStatus(info.step, info.name, await stageShards(run, info.name, settled)));
  const { calls, cached, tokensIn, tokensOut, cost } = await readLedger(ledgerFolder(run));
  return Status.parse({
    run: run.name,
    verdict: verdictName(run),
    verdicts: await verdictNames(run),
    shards: run.shards,
    stages,
    inputs: summariseInputs(await readInputs(run)),
    rollouts: rolloutsStatus(await readRollouts(run)),
    spent: { calls, cached, tokensIn, tokensOut, cost },
  });
}

/** Items of one kind that are named before the rest is only counted: our choice, what a screen bears. */
const mostNamed = 10;
/** Fewer of reasons, which share a line and may name a dozen tools each. */
const mostReasons = 5;

/** Reasons of a step's own, most frequent first; what an earlier step rejected is only counted. */
function whys(rejected: Record<string, number>): string {
  const passedOn = new Map<string, number>();
  const own: [string, number][] = [];
  for (const [why, count] of Object.entries(rejected)) {
    const [stage, rest] = why.split(": ");
    if (rest === undefined) own.push([why, count]);
    else passedOn.set(stage ?? "", (passedOn.get(stage ?? "") ?? 0) + count);
  }
  own.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const rest = own.slice(mostReasons);
  const unnamed = rest.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...own.slice(0, mostReasons).map(([why, count]) => `${count} ${why}`),
    ...(rest.length === 0 ? [] : [`${unnamed} for ${rest.length} other reasons (all of them: catgen status --json)`]),
    ...[...passedOn].map(([stage, count]) => `${count} passed on from ${stage}`),
  ].join(", ");
}

export function inputsText(inputs: Status["inputs"]): string {
  const lines = [
    `inputs: ${inputs.files} files: ${inputs.imported} imported, ${inputs.joined} joined (outcomes), ${inputs.partOf} part of an imported run, ${inputs.empty} empty, ${inputs.refused.length} refused, ${inputs.quarantined.length} records quarantined`,
    `        ${inputs.trajectories} trajectories${Object.entries(inputs.byDialect)
      .map(([dialect, count]) => `, ${count} ${dialect}`)
      .join("")}`,
  ];
  for (const { file, why } of inputs.refused.slice(0, 10)) lines.push(`        refused ${file}: ${why}`);
  if (inputs.refused.length > 10)
    lines.push(`        ... and ${inputs.refused.length - 10} more refused (all of them: catgen status --json)`);
  for (const { file, offset, why } of inputs.quarantined.slice(0, 10)) lines.push(`        quarantined ${file} at ${offset}: ${why}`);
  if (inputs.quarantined.length > 10) lines.push(`        ... and ${inputs.quarantined.length - 10} more quarantined`);
  return lines.join("\n");
}

function rolloutsText(rollouts: NonNullable<Status["rollouts"]>): string[] {
  const { tasks, wanted, finished, resolved, unresolved, byExit, leftOut, failed } = rollouts;
  const exits = Object.entries(byExit).map(([exit, count]) => `${count} ${exit}`);
  const more = (all: readonly unknown[]): string[] => (all.length > mostNamed ? [`        ... and ${all.length - mostNamed} more`] : []);
  return [
    `live:   ${finished} of ${wanted} runs of ${tasks} tasks finished${exits.length > 0 ? ` (${exits.join(", ")})` : ""}: ${resolved} resolved, ${unresolved} not, ${finished - resolved - unresolved} unknown`,
    ...leftOut
      .slice(0, mostNamed)
      .map(({ file, record, why }) => `        left out ${file}${record === null ? "" : ` record ${record}`}: ${why}`),
    ...more(leftOut),
    ...failed.slice(0, mostNamed).map(({ id, code, message }) => `        failed ${id}: ${message} [${code}]`),
    ...more(failed),
  ];
}

export function statusText(status: Status): string {
  const rows = status.stages.map(
    ({ stage, rows: { in: read, out, rejected, quarantined, failed }, shardsDone, shardsMissing, shardsStale }) => [
      stage,
      String(read),
      String(out),
      String(Object.values(rejected).reduce((a, b) => a + b, 0)),
      String(quarantined),
      String(failed),
      `${shardsDone} done${shardsMissing > 0 ? `, ${shardsMissing} missing` : ""}${shardsStale > 0 ? `, ${shardsStale} stale` : ""}`,
    ],
  );
  const reasons = status.stages.flatMap(({ stage, name, rows: { rejected } }) =>
    Object.keys(rejected).length === 0 ? [] : [`${stage} ${name === "select" ? "left out" : "rejected"}: ${whys(rejected)}`],
  );
  const { spent } = status;
  const cost = spent.cost === null ? "" : `, ${spent.cost.amount.toFixed(4)} ${spent.cost.currency}`;
  return [
    `run ${status.run}, ${status.shards} shards${status.verdicts.length === 0 ? "" : `, verdict set ${status.verdict} (there are ${[defaultVerdict, ...status.verdicts].join(", ")})`}`,
    "",
    table(["stage", "in", "out", "rejected", "quarantined", "failed", "shards"], rows),
    ...(reasons.length === 0 ? [] : ["", ...reasons]),
    "",
    inputsText(status.inputs),
    ...(status.rollouts === null ? [] : rolloutsText(status.rollouts)),
    `spent:  ${spent.calls} model calls (and ${spent.cached} answered from the cache), ${spent.tokensIn} tokens in, ${spent.tokensOut} out${cost}`,
  ].join("\n");
}

/** `catgen status`: what exists, what is missing, what was spent. */
export async function statusCommand(options: CommonOptions): Promise<number> {
  const { run, settled } = await openWithRecipe(options);
  const status = await statusOf(run, settled);
  print(options, status, () => statusText(status));
  return 0;
}
