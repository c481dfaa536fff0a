import type { Contamination } from "../../schemas/contamination.ts";
import { Fault } from "../../schemas/fault.ts";
import type { Finding } from "../../schemas/finding.ts";
import type { BlockMetrics, TrajectoryMetrics } from "../../schemas/metrics.ts";
import type { Selection } from "../../schemas/selection.ts";
import { Show } from "../../schemas/show.ts";
import type { Block, Detection, InsertionPoint, Judged, Writer } from "../../schemas/sidecars.ts";
import type { Step, Trajectory } from "../../schemas/trajectory.ts";
import type { Decision, Verdict } from "../../schemas/verdict.ts";
import { grouped } from "../../stages/export/number-text.ts";
import { leftOutText } from "../../stages/filter/selection/left-out-text.ts";
import { findBundle, readAllBundles } from "../run/bundles.ts";
import { contaminationLines } from "./contamination-text.ts";
import { placementText, pointLines } from "./placement-text.ts";
import { safe } from "./safe-text.ts";
import { type CommonOptions, openJudged, print } from "./shared.ts";

export interface ShowOptions extends CommonOptions {
  readonly id: string | undefined;
  readonly list: boolean;
  readonly full: boolean;
  /** Only the context call of this number, counted from 1. */
  readonly fold: number | undefined;
}

const blocksOf = (show: Show): readonly Block[] => (show.memory?.ok === true ? show.memory.value.blocks : []);

const longest = 400; // characters of a result: enough to recognise it

function clip(text: string, full: boolean): string {
  const clean = safe(text);
  return full || clean.length <= longest
    ? clean
    : `${clean.slice(0, longest / 2)} [... ${clean.length - longest} characters ...] ${clean.slice(-longest / 2)}`;
}

const indent = (text: string, by: string): string =>
  text
    .split("\n")
    .map((line) => `${by}${line}`)
    .join("\n");

function stepText(step: Step, number: number, full: boolean): string {
  const lines = [`step ${number}`];
  if (step.thought !== "") lines.push(indent(clip(step.thought, full), "  "));
  for (const call of step.calls) {
    lines.push(indent(clip(`> ${call.name} ${call.arguments}`, full), "  "));
    lines.push(indent(call.result === null ? "(no result)" : clip(call.result, full), "    "));
  }
  for (const text of step.feedback) lines.push(indent(`feedback: ${clip(text, full)}`, "  "));
  return lines.join("\n");
}

function writerText(writer: Writer): string {
  if (writer.condenser === "extractive") return `the built-in extractive condenser, version ${writer.version}`;
  const { model, transport, attempt, candidates, taken, repairs, pieces, thought } = writer;
  const parts = [
    `attempt ${attempt + 1}`,
    `as ${transport}`,
    ...(candidates > 1 ? [`candidate ${taken + 1} of ${candidates}`] : []),
    ...(pieces > 1 ? [`in ${pieces} pieces`] : []),
    ...(repairs.length > 0 ? [`mended: ${repairs.join(", ")}`] : []),
    thought.by === "llm" ? "thought its own" : `thought built in${thought.why === null ? "" : ` (${thought.why})`}`,
  ];
  return `${model} (${parts.join("; ")})`;
}

/** What a fold takes away; empty before stage 5. */
const foldedText = (folded: BlockMetrics | undefined): string => (folded === undefined ? "" : ` (${grouped(folded.foldTokens)} tokens)`);

/** One context call among others of a show. */
function blockText(show: Show, index: number, full: boolean): string {
  const blocks = blocksOf(show);
  const block = blocks[index];
  if (block === undefined) throw new Error(`there is no block ${index}`);
  const folded = show.metrics?.ok === true ? show.metrics.value.blocks.find(({ cut }) => cut === block.cut) : undefined;
  return [
    `==== context call ${index + 1} after step ${block.cut}: folds steps ${(blocks[index - 1]?.keptFrom ?? 0) + 1}-${block.keptFrom}${foldedText(folded)}, keeps ${block.keptFrom + 1}-${block.cut}`,
    ...(show.detection?.ok === true ? pointLines(show.detection.value, block.cut, full) : []),
    `  thought: ${safe(block.thought)}`,
    `  memory, written by ${writerText(block.writer)}:`,
    indent(safe(block.memory), "  | "),
    "====",
  ].join("\n");
}

/** A cut that was chosen, where no memory is written yet. */
const pointText = (detection: Detection, { cut, keptFrom }: InsertionPoint, full: boolean): string =>
  [
    `==== insertion point after step ${cut}: steps ${keptFrom + 1}-${cut} would be kept; no memory yet`,
    ...pointLines(detection, cut, full),
    "====",
  ].join("\n");

const taken = { flag: "flagged only", "drop-last": "so the last call is left out" } as const;
const failures = (decision: Decision): string =>
  decision.failed
    .map(
      ({ filter, block, value, limit, action }) =>
        `${filter}${block === null ? "" : ` in call ${block + 1}`} (${value === null ? "unknown" : value}${limit === null ? "" : `, limit ${limit}`}${action === "flag" || action === "drop-last" ? `; ${taken[action]}` : ""})`,
    )
    .join(", ");

function verdictText(verdict: Verdict): string {
  const say = (name: string, decision: Decision): string =>
    `  ${name}: ${decision.keep ? "kept" : "rejected"}${decision.failed.length > 0 ? `: ${failures(decision)}` : ""}`;
  return [
    "verdict",
    say("trajectory", verdict.trajectory),
    say("context management", verdict.context),
    ...verdict.segments.flatMap((decision, index) => (decision.failed.length > 0 ? [say(`segment ${index + 1}`, decision)] : [])),
    ...verdict.condensations.flatMap((decision, index) => (decision.failed.length > 0 ? [say(`condensation ${index + 1}`, decision)] : [])),
    ...(verdict.dropLast === null ? [] : [say("the last call is left out; its two segments as one", verdict.dropLast)]),
    say("base sample", verdict.base),
  ].join("\n");
}

/** What the set-level pass says of it, and what it went by. */
function selectionText({ standing, leftOut }: Selection): string {
  const { resolved, contextCalls, failedFilters, findingShare } = standing;
  const by = `${resolved === null ? "outcome unknown" : resolved ? "resolved" : "unresolved"}, ${contextCalls} context calls, ${failedFilters} filters fail, ${Number((100 * findingShare).toFixed(2))} % findings`;
  return `  set: ${leftOut === null ? "selected" : `left out: ${leftOutText(leftOut)}`} (${by})`;
}

function headText({ id, origin, outcome, marks, task, steps }: Trajectory, contamination: Contamination | null): string {
  const evidence = outcome.evidence === null ? "" : ` (${outcome.evidence.kind}: ${safe(outcome.evidence.detail)})`;
  return [
    `${id}: ${steps.length} steps from ${safe(origin.file)} (${origin.dialect}), licence ${origin.licence ?? "unknown"}`,
    `resolved: ${outcome.resolved ?? "unknown"}${evidence}; exit: ${outcome.exit}${outcome.rawExit === null ? "" : ` (${safe(outcome.rawExit)})`}; marks: ${marks.join(", ") || "none"}`,
    ...(contamination === null ? [] : contaminationLines(contamination)),
    "",
    "task",
    indent(clip(task.prompt, false), "  "),
  ].join("\n");
}

/** Measures of the run that say something, by their names in the metrics: what is 0 or cannot be known is left out, and so are lists. */
function measuresText(metrics: TrajectoryMetrics): string {
  const said = Object.entries(metrics).flatMap(([name, value]) =>
    (typeof value === "number" && value !== 0) || typeof value === "boolean" || typeof value === "string"
      ? [`${name} ${safe(String(value))}`]
      : [],
  );
  return `measures\n  ${said.join(", ")}`;
}

/** One trajectory as a person reads it: steps, context calls where they were put, and what was decided. */
function showText(show: Show, options: ShowOptions): string {
  const blocks = blocksOf(show);
  const detection = show.detection?.ok === true ? show.detection.value : null;
  const points = show.memory === null ? (detection?.points ?? []) : [];
  const pieces: string[] = [
    headText(show.trajectory, show.metrics?.ok === true ? show.metrics.value.trajectory.contamination : null),
    ...(detection === null ? [] : ["", placementText(detection)]),
    "",
  ];
  for (const [index, step] of show.trajectory.steps.entries()) {
    const at = blocks.findIndex((block) => block.cut === index);
    const point = points.find(({ cut }) => cut === index);
    if (at >= 0) pieces.push(blockText(show, at, options.full));
    else if (detection !== null && point !== undefined) pieces.push(pointText(detection, point, options.full));
    pieces.push(stepText(step, index + 1, options.full));
  }
  for (const part of ["detection", "memory"] as const) {
    const outcome = show[part];
    if (outcome?.ok === false) pieces.push(`${part}: rejected: ${outcome.why}`);
  }
  if (show.metrics?.ok === true) pieces.push("", measuresText(show.metrics.value.trajectory));
  if (show.verdict?.ok === true) pieces.push("", verdictText(show.verdict.value));
  if (show.selection?.ok === true) pieces.push(selectionText(show.selection.value));
  return pieces.join("\n");
}

/** A folded step in one line: what was called and how much came back. */
function stepLine(step: Step, number: number): string {
  const oneLine = (text: string): string => {
    const flat = safe(text).replace(/\s+/g, " ").trim();
    return flat.length <= 110 ? flat : `${flat.slice(0, 109)}…`;
  };
  const calls = step.calls.map((call) => {
    const size = call.result === null ? "no result" : `${call.result.length} characters`;
    return `${oneLine(`${call.name} ${call.arguments}`)} -> ${size}${call.exitCode === null ? "" : `, exit code ${call.exitCode}`}`;
  });
  return `step ${String(number).padStart(3)}  ${calls.length === 0 ? oneLine(step.thought) : calls.join("; ")}`;
}

/** Folded steps that a screen has room for, the first and the last of them. */
const shownSteps = { first: 6, last: 5 };

function foldedSteps(steps: readonly Step[], start: number, full: boolean): string[] {
  const describe = full ? stepText : stepLine;
  const lines = steps.map((step, index) => describe(step, start + index + 1, full));
  const left = lines.length - shownSteps.first - shownSteps.last;
  return full || left <= 1
    ? lines
    : [...lines.slice(0, shownSteps.first), `          ... ${left} more steps (--full) ...`, ...lines.slice(-shownSteps.last)];
}

const findingLines = (findings: readonly Finding[], found: number): string[] => [
  ...findings.map(({ words, why }) => `    "${safe(words)}": ${safe(why)}`),
  ...(found > findings.length ? [`    and ${found - findings.length} more`] : []),
];

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** What each check says of the memory, with the words it minds. */
function checksText({ checks, findings, previousFacts, keptFacts, informationGain, repeatedMemoryShare }: BlockMetrics): string {
  const hop = previousFacts === 0 ? [] : [`  of ${previousFacts} facts of the memory before, ${keptFacts} are still told`];
  const gain = informationGain === null ? [] : [`  tells ${percent(informationGain)} of what later steps need per 1,000 tokens`];
  const repeated = repeatedMemoryShare === null ? [] : [`  repeats the memory before in ${percent(repeatedMemoryShare)} of its text`];
  const said = Object.entries(checks).flatMap(([check, [looked, found]]) => [
    `  ${check}: ${found === 0 ? "nothing wrong" : `${found} wrong`} in ${looked}`,
    ...findingLines(
      findings.filter((finding) => finding.check === check),
      found,
    ),
  ]);
  return ["checks", ...said, ...hop, ...gain, ...repeated].join("\n");
}

/** What a second opinion says of the memory; nothing where none was asked for. */
function judgedText(judged: Judged | null): string[] {
  if (judged === null) return [];
  if ("why" in judged) return [`second opinion: none (${safe(judged.why)})`];
  const { model, findings, found } = judged;
  return [`second opinion by ${safe(model)}: ${found === 0 ? "nothing" : found} unsupported`, ...findingLines(findings, found)];
}

/** One fold: why there, what vanished, what is remembered, and what the checks say of it. */
function foldText(show: Show, number: number, full: boolean): string {
  const blocks = blocksOf(show);
  const block = blocks[number - 1];
  if (block === undefined)
    throw new Fault("USAGE", "stop", `${show.trajectory.id} has ${blocks.length} context calls, so there is no fold ${number}`);
  const start = blocks[number - 2]?.keptFrom ?? 0;
  const measured = show.metrics?.ok === true ? show.metrics.value.blocks[number - 1] : undefined;
  const sizes =
    measured === undefined
      ? ""
      : `: memory and steps of ${grouped(measured.previousMemoryTokens + measured.foldTokens)} tokens become a memory of ${grouped(measured.memoryTokens)} (${Math.round(measured.foldRatio * 100)} %)`;
  return [
    `${show.trajectory.id}, fold ${number} of ${blocks.length}${sizes}`,
    "",
    ...foldedSteps(show.trajectory.steps.slice(start, block.keptFrom), start, full),
    blockText(show, number - 1, full),
    ...(measured === undefined ? [] : [checksText(measured)]),
    ...judgedText(block.judged),
  ].join("\n");
}

async function listCommand(options: ShowOptions): Promise<number> {
  const run = await openJudged(options);
  const rows: {
    id: string;
    steps: number;
    resolved: boolean | null;
    contextCalls: number | null;
    kept: boolean | null;
    leftOut: string | null;
  }[] = [];
  for await (const { id, metrics, verdict, selection } of readAllBundles(run, ["metrics", "verdict", "selection"])) {
    if (metrics?.outcome.ok !== true) continue;
    const leftOut = selection?.outcome.ok === true ? selection.outcome.value.leftOut : null;
    const { trajectory, blocks } = metrics.outcome.value;
    rows.push({
      id,
      steps: trajectory.steps,
      resolved: trajectory.resolved,
      contextCalls: blocks.length,
      kept: verdict?.outcome.ok === true ? verdict.outcome.value.context.keep : null,
      leftOut: leftOut === null ? null : leftOutText(leftOut),
    });
  }
  if (rows.length === 0)
    for await (const { id, trajectory } of readAllBundles(run, ["trajectory"]))
      if (trajectory?.outcome.ok === true)
        rows.push({
          id,
          steps: trajectory.outcome.value.steps.length,
          resolved: trajectory.outcome.value.outcome.resolved,
          contextCalls: null,
          kept: null,
          leftOut: null,
        });
  const nothing = `run ${run.name} has no trajectories; what became of its input files: catgen status --run ${run.name}`;
  print(options, { run: run.name, trajectories: rows }, () =>
    rows.length === 0
      ? nothing
      : rows
          .map(
            ({ id, steps, resolved, contextCalls, kept, leftOut }) =>
              `${id}  ${steps} steps, ${resolved === null ? "outcome unknown" : resolved ? "resolved" : "unresolved"}${contextCalls === null ? "" : `, ${contextCalls} context calls`}${kept === null ? "" : kept ? ", kept" : ", rejected"}${leftOut === null ? "" : `, left out: ${leftOut}`}`,
          )
          .join("\n"),
  );
  return 0;
}

/** `catgen show`: one trajectory, one of its folds, or the list of all. */
export async function showCommand(options: ShowOptions): Promise<number> {
  if (options.list || options.id === undefined) return listCommand(options);
  const run = await openJudged(options);
  const bundle = await findBundle(run, options.id);
  const { trajectory } = bundle;
  if (trajectory?.outcome.ok !== true) throw new Fault("USAGE", "stop", `${bundle.id} has no trajectory row; run stage 1 first`);
  const rest = {
    detection: bundle.detection,
    memory: bundle.memory,
    workspace: bundle.workspace,
    metrics: bundle.metrics,
    verdict: bundle.verdict,
    selection: bundle.selection,
  };
  const show: Show = Show.parse({
    run: run.name,
    trajectory: trajectory.outcome.value,
    ...Object.fromEntries(Object.entries(rest).map(([part, row]) => [part, row?.outcome ?? null])),
  });
  print(options, show, () => (options.fold === undefined ? showText(show, options) : foldText(show, options.fold, options.full)));
  return 0;
}
