import { createHash } from "node:crypto";
import type { Funnel } from "../../schemas/funnel.ts";
import type { KeyMaterial } from "../../schemas/manifest.ts";
import type { Decision } from "../../schemas/verdict.ts";
import { createFunnel } from "../../stages/export/funnel.ts";
import { ExportParams } from "../../stages/export/params.ts";
import { filters } from "../../stages/filter/filters/index.ts";
import { digestOf } from "../store/digest.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { readAllBundles } from "./bundles.ts";
import { spentBy } from "./spent.ts";

const flags = (decisions: readonly Decision[]): string => decisions.map(({ keep }) => (keep ? "1" : "0")).join("");

/** Digest of which samples the verdicts keep, whatever the reasons, and of what the set leaves out by which rule. */
async function keptDigest(run: RunFolder): Promise<string> {
  const hash = createHash("sha256");
  for await (const { id, verdict, selection } of readAllBundles(run, ["verdict", "selection"])) {
    if (verdict?.outcome.ok !== true) continue;
    const leftOut = selection?.outcome.ok === true ? selection.outcome.value.leftOut : null;
    const { segments, condensations, base, dropLast } = verdict.outcome.value;
    hash.update(
      `${id} ${flags(segments)} ${flags(condensations)} ${flags([base])} ${dropLast === null ? "" : flags([dropLast])} ${leftOut?.rule ?? ""}\n`,
    );
  }
  return hash.digest("hex");
}

/**
 * Key of all samples of an export: what shapes them, the rows they are made of, and which are kept. Thresholds, the dataset's name and
 * the training's parameters are in its texts alone; the audit lies beside them.
 */
export async function keptKey(run: RunFolder, material: KeyMaterial, inputs: Readonly<Record<string, string>>): Promise<string> {
  const { filter: _, evaluation: _evaluation, export: exporting, ...params } = ExportParams.parse(material.params);
  const { name: _name, about: _about, training: _training, audit: _audit, ...shaping } = exporting;
  const { verdict: _verdict, selection: _selection, detection: _detection, ...rows } = inputs;
  return digestOf({ ...material, params: { ...params, export: shaping }, rows, kept: await keptDigest(run) });
}

/** The funnel from stored rows. */
export async function funnelOf(run: RunFolder): Promise<Funnel> {
  const funnel = createFunnel(Object.keys(filters));
  for await (const { id, metrics, verdict, selection } of readAllBundles(run, ["metrics", "verdict", "selection"]))
    if (metrics?.outcome.ok === true && verdict?.outcome.ok === true)
      funnel.add(id, metrics.outcome.value, verdict.outcome.value, selection?.outcome.ok === true ? selection.outcome.value.leftOut : null);
  return funnel.funnel(await spentBy(run));
}
