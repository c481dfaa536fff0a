import type { Detection, InsertionPoint, PlacementReport, PointReport } from "../../schemas/sidecars.ts";
import { grouped } from "../../stages/export/number-text.ts";
import { safe } from "./safe-text.ts";

/** Why context calls are where they are, as a person reads it. */

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** A rule of the family that regret is stated against, in words. */
export function ruleText({ minScore, occupancy }: Pick<NonNullable<PlacementReport["pastOnly"]>, "minScore" | "occupancy">): string {
  const when = [
    minScore === null ? null : `where signals score ${minScore} or more`,
    occupancy === null ? null : `when the prompt takes ${percent(occupancy)} of the window`,
  ].filter((one) => one !== null);
  return when.length === 0 ? "never call" : `call ${when.join(", or ")}`;
}

function pastOnlyText(pastOnly: PlacementReport["pastOnly"]): string {
  if (pastOnly === null) return "rules that see the past alone: none of the family keeps within the window as well";
  const calls = `${pastOnly.calls} call${pastOnly.calls === 1 ? "" : "s"}`;
  return `best rule that sees the past alone: ${ruleText(pastOnly)}: ${calls}, objective ${pastOnly.objective.toFixed(3)}, regret ${pastOnly.regret.toFixed(3)}`;
}

/** The placement as a whole. */
export function placementText({ points, placement }: Detection): string {
  const { objective, costTokens, appendOnlyCostTokens } = placement;
  const change = appendOnlyCostTokens === 0 ? 0 : costTokens / appendOnlyCostTokens - 1;
  return [
    `placement: ${points.length} context call${points.length === 1 ? "" : "s"}, objective ${objective.toFixed(3)}`,
    `  cost ${grouped(costTokens)} against ${grouped(appendOnlyCostTokens)} append-only, in prices of an uncached prompt token: ${percent(Math.abs(change))} ${change <= 0 ? "saved" : "more"}`,
    `  ${pastOnlyText(placement.pastOnly)}`,
  ].join("\n");
}

const reasons: Readonly<Record<InsertionPoint["reason"], string>> = {
  signals: "signals speak for it",
  window: "the steps would not fit without it",
  cost: "it makes inference cheaper",
};

function reportLines(report: PointReport, placement: PlacementReport): string[] {
  const without = placement.costTokens + report.savesTokens;
  const saves = report.savesTokens >= 0 ? `saves ${grouped(report.savesTokens)}` : `costs ${grouped(-report.savesTokens)} more`;
  const share = without <= 0 ? "" : `, ${percent(Math.abs(report.savesTokens) / without)} of what the trajectory would cost without it`;
  const { replacement } = report;
  return [
    `  ${report.needed ? "needed" : "not needed"} to fit the window${report.crowded ? "; nearer, or over less, than asked for: nothing else fitted" : ""}`,
    `  ${saves} uncached prompt tokens${share}`,
    replacement === null
      ? "  no other place for it fits as well"
      : `  best other place: after step ${replacement.cut}, which loses ${replacement.loss.toFixed(3)} of the objective`,
  ];
}

/** Lines of evidence per signal that a screen has room for. */
const evidenceLines = 3;

/** Why a call is at this cut; empty where the detection, made anew, has no call there. */
export function pointLines({ candidates, points, placement }: Detection, cut: number, full: boolean): string[] {
  const candidate = candidates.find((one) => one.cut === cut);
  const point = points.find((one) => one.cut === cut);
  const report = placement.points.find((one) => one.cut === cut);
  const signals = (candidate?.signals ?? []).flatMap(({ signal, score, evidence }) => {
    const shown = full ? evidence : evidence.slice(0, evidenceLines);
    const left = evidence.length - shown.length;
    return [
      `  signal ${signal} ${score.toFixed(2)}`,
      ...shown.map((line) => `    ${safe(line)}`),
      ...(left > 0 ? [`    ... and ${left} more (--full)`] : []),
    ];
  });
  return [
    ...(point === undefined ? [] : [`  reason ${point.reason}: ${reasons[point.reason]} (score ${(candidate?.score ?? 0).toFixed(2)})`]),
    ...signals,
    ...(report === undefined ? [] : reportLines(report, placement)),
  ];
}
