import type { Overlap } from "../../../schemas/contamination.ts";
import type { Finding } from "../../../schemas/finding.ts";
import type { Metrics } from "../../../schemas/metrics.ts";
import type { Memory } from "../../../schemas/sidecars.ts";
import type { Step, Trajectory } from "../../../schemas/trajectory.ts";
import { controlTexts, countControlTexts } from "../../lib/control-tokens.ts";
import type { Rendered } from "../../lib/render.ts";
import type { Filter, LimitName, Limits } from "../filters/filter.ts";
import { conductLines } from "./conduct-evidence.ts";
import { counted, mostSteps, oneLine, wordsAt } from "./evidence-lines.ts";
import { type Probe, seenBy } from "./thresholds.ts";

/** What is known of a border case; its texts are null while only metrics are at hand, or where their stage has no row. */
export interface CaseSeen {
  readonly metrics: Metrics;
  readonly trajectory: Trajectory | null;
  readonly memory: Memory | null;
  /** The run as the persona has it, which is what was measured; null: it cannot be rendered, and was measured as it is. */
  readonly rendered: Rendered | null;
}

/** Values that say something; most counts of what may be wrong are 0, and would hide the rest. */
const plain = (values: object): string =>
  Object.entries(values)
    .flatMap(([name, value]) =>
      (typeof value === "number" && value !== 0) || typeof value === "string" || typeof value === "boolean" ? [`${name} ${value}`] : [],
    )
    .join(", ");

const charactersOf = ({ thought, calls, feedback }: Step): number =>
  thought.length +
  calls.reduce((sum, call) => sum + call.arguments.length + (call.result?.length ?? 0), 0) +
  feedback.reduce((sum, text) => sum + text.length, 0);

function stepLine(step: Step, index: number): string {
  const calls = step.calls.map((call) => `${call.name} ${oneLine(call.arguments)} -> ${call.result?.length ?? 0} characters`);
  const answer = step.feedback.map((text) => `, answered ${JSON.stringify(oneLine(text))}`).join("");
  return `step ${index + 1}: ${calls.length === 0 ? `no call, ${JSON.stringify(oneLine(step.thought))}${answer}` : calls.join("; ")}`;
}

const callLess = ({ steps }: Trajectory): string[] =>
  counted(steps.slice(0, -1).flatMap((step, index) => (step.calls.length === 0 ? [stepLine(step, index)] : [])));

const ends = ({ steps }: Trajectory): string[] =>
  [0, steps.length - 1].flatMap((index) => {
    const step = steps[index];
    return step === undefined ? [] : [stepLine(step, index)];
  });

const textsOf = ({ thought, calls, feedback }: Step): string[] => [
  thought,
  ...calls.flatMap((call) => [call.arguments, call.result ?? ""]),
  ...feedback,
];

/** The first control token of each step that has any, in the words around it. */
const controlTokens = ({ steps }: Trajectory): string[] =>
  counted(
    steps.flatMap((step, index) => {
      const texts = textsOf(step).filter((text) => countControlTexts(text) > 0);
      const places = texts.reduce((sum, text) => sum + countControlTexts(text), 0);
      const [text = ""] = texts;
      const first = Math.min(...controlTexts.map((token) => text.indexOf(token)).filter((at) => at >= 0));
      return places === 0
        ? []
        : [`step ${index + 1}: ${places} ${places === 1 ? "place" : "places"}, the first in ${wordsAt(text, first)}`];
    }),
  );

const callsMade = (_: Trajectory, { blocks }: Metrics): string[] =>
  counted(blocks.map(({ cut, foldTokens }, index) => `call ${index + 1} after step ${cut}, over ${foldTokens} tokens`));

const overlapLines = (overlaps: readonly Overlap[]): string[] =>
  counted(overlaps.map(({ list, instance, share }) => `${(100 * share).toFixed(1)} % of ${instance} (${list})`));

/** Which steps, calls or texts a value over the whole run comes from; thresholds that are not here have their numbers alone. */
const inTheRun: { readonly [K in LimitName]?: (trajectory: Trajectory, metrics: Metrics) => string[] } = {
  maxControlTokenTexts: controlTokens,
  maxCallLessSteps: callLess,
  minSteps: ends,
  maxSteps: ends,
  maxEvaluationTextShare: (_, { trajectory }) => overlapLines(trajectory.contamination.text),
  maxEvaluationPatchShare: (_, { trajectory }) => overlapLines(trajectory.contamination.patch),
  minContextCalls: callsMade,
  maxContextCalls: callsMade,
};

type Call = Metrics["blocks"][number];

/** Name of the check that a filter over calls goes by: without its counts the filter has nothing to say. */
function checkBehind(filter: Extract<Filter, { scope: "block" }>, failing: Limits, block: Call): string | null {
  if (filter.fails(block, failing) === null) return null;
  const without = (left: string): Call => ({
    ...block,
    checks: Object.fromEntries(Object.entries(block.checks).filter(([name]) => name !== left)),
  });
  return Object.keys(block.checks).find((name) => filter.fails(without(name), failing) === null) ?? null;
}

const findingLines = (findings: readonly Finding[], found: number): string[] => [
  ...findings.map(({ words, why }) => `${JSON.stringify(words)}: ${why}`),
  ...(found > findings.length ? [`and ${found - findings.length} more`] : []),
];

function checkLines(check: string, { checks, findings }: Call): string[] {
  const [looked, found] = checks[check] ?? [0, 0];
  return [
    `${check}: ${found} wrong in ${looked}`,
    ...findingLines(
      findings.filter((finding) => finding.check === check),
      found,
    ),
  ];
}

/** The largest steps of a fold: what a call got rid of, or could not. */
function foldLines({ trajectory, memory }: CaseSeen, index: number): string[] {
  const block = memory?.blocks[index];
  if (trajectory === null || block === undefined) return [];
  const start = memory?.blocks[index - 1]?.keptFrom ?? 0;
  const folded = trajectory.steps.slice(start, block.keptFrom).map((step, at) => ({ step, at: start + at, size: charactersOf(step) }));
  const largest = [...folded].sort((a, b) => b.size - a.size || a.at - b.at).slice(0, mostSteps);
  return [
    `folds steps ${start + 1}-${block.keptFrom}, the largest of them:`,
    ...largest.sort((a, b) => a.at - b.at).map(({ step, at }) => `  ${stepLine(step, at)}`),
  ];
}

/** The call that a value over single calls is of, counted from 0; -1 for filters over anything else. */
const callOf = (probe: Probe, metrics: Metrics, value: number): number =>
  probe.filter.scope === "block" ? seenBy(probe, metrics).indexOf(value) : -1;

function callLines({ filter, failing }: Probe, seen: CaseSeen, index: number): string[] {
  const { blocks } = seen.metrics;
  const call = blocks[index];
  if (call === undefined || filter.scope !== "block") return [];
  const check = checkBehind(filter, failing, call);
  const judged = seen.memory?.blocks[index]?.judged ?? null;
  const said =
    check !== null
      ? checkLines(check, call)
      : filter.limit === "maxJudged"
        ? judged !== null && "findings" in judged
          ? findingLines(judged.findings, judged.found)
          : []
        : foldLines(seen, index);
  return [`call ${index + 1} of ${blocks.length}: ${plain(call)}`, ...said];
}

/** What a person can check a value by: the call that it is of, the words of its memory or the steps that count, and the run. */
export function evidenceOf(probe: Probe, seen: CaseSeen, value: number): { readonly call: number | null; readonly evidence: string[] } {
  const { trajectory, blocks } = seen.metrics;
  const index = callOf(probe, seen.metrics, value);
  const { name } = probe.threshold;
  const inRun = seen.trajectory === null ? [] : (inTheRun[name]?.(seen.trajectory, seen.metrics) ?? conductLines(name, seen));
  return {
    call: index < 0 ? null : index + 1,
    evidence: [...callLines(probe, seen, index), ...inRun, `run: ${plain(trajectory)}, contextCalls ${blocks.length}`],
  };
}
