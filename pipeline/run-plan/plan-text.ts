import type { ModelPlan, RunPlan, StepPlan } from "../../schemas/run-plan.ts";
import { grouped } from "../../stages/export/number-text.ts";

/** A run plan as a person reads it. */

const tokens = (value: number): string => (value < 1e6 ? grouped(value) : `${(value / 1e6).toFixed(1)} M`);
const money = (value: number): string => (value < 1 ? value.toFixed(4) : value.toFixed(2));
/** Two figures that count, whatever the size. */
const short = (value: number): string => (value === 0 ? "0" : value >= 10 ? grouped(value) : value.toPrecision(2));
const hours = (value: number): string => (value < 1 ? `${short(value * 60)} min` : `${short(value)} h`);

const range = (name: string, { expected, atMost }: ModelPlan["promptTokens"], say: (value: number) => string): string =>
  `  ${name.padEnd(14)}${say(expected)} expected, ${say(atMost)} at most`;

/** Which setting says how many calls are in flight. */
const atOnce = { block: "llm.concurrency", "live-run": "runs at once" } as const;

function timeLines({ rate, hours: time, calls, units }: ModelPlan): string[] {
  if (rate.basis === "measured")
    return [
      range("time", time, hours),
      `                by ${grouped(rate.calls)} calls measured in ${rate.from === "this-run" ? "this run" : "other runs with this endpoint"}: ${short(rate.callsPerSecond)} calls/s with ${short(rate.inFlight)} in flight, ${short(rate.secondsPerCall)} s each`,
    ];
  return [
    "  time          unknown: no calls measured yet",
    `                hours = calls x seconds per call / ${atOnce[units.of]} / 3600; if a call took ${rate.secondsPerCall} s (an assumption): ${grouped(calls.expected)} x ${rate.secondsPerCall} / ${rate.concurrency} / 3600 = ${hours(time.expected)}`,
  ];
}

const named = (of: ModelPlan["units"]["of"], count: number): string => {
  const name = of === "block" ? "block" : "live run";
  return `${grouped(count)} ${name}${count === 1 ? "" : "s"}`;
};

/** What the model would be asked, and what that comes to. */
export function modelText(model: ModelPlan): string {
  const { units, calls, cost, endpoint } = model;
  const who = endpoint.model === "" ? "no endpoint configured yet" : `${endpoint.model} at ${endpoint.baseUrl}`;
  const waiting = `${grouped(units.unknownRows)} trajectories wait for an earlier step`;
  if (units.missing === 0 && units.unknownRows > 0) return `  model         ${who}\n  calls         not known yet: ${waiting}`;
  const asked =
    calls.expected === calls.certain ? "" : `, of which ${grouped(calls.certain)} for certain: what later calls say depends on replies`;
  return [
    `  model         ${who}`,
    `  missing       ${named(units.of, units.missing)}${units.cached > 0 ? `, ${grouped(units.cached)} of them answered by the reply cache` : ""}`,
    ...(units.unknownRows > 0 ? [`  not in this   ${waiting}`] : []),
    `  calls         ${grouped(calls.expected)} expected${asked}; ${grouped(calls.atMost)} at most`,
    range("prompt tokens", model.promptTokens, tokens),
    range("reply tokens", model.replyTokens, tokens),
    cost === null ? "  cost          unknown: set llm.price" : `${range("cost", cost, money)} (${cost.currency})`,
    ...timeLines(model),
    ...(model.exceedsBudget
      ? ["  budget        what llm.budget leaves is less than that: the run would stop in the middle, and go on when it is raised"]
      : []),
    ...model.assumptions.map((one, index) => `  ${(index === 0 ? "assuming" : "").padEnd(14)}${one}`),
  ].join("\n");
}

const megabytes = (bytes: number): string => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function rowsText({ rows, upperBound, waitsFor, name, input, tasks }: StepPlan): string {
  const waits = waitsFor.length === 0 ? "" : `; after ${waitsFor.join(", ")}`;
  const { toMake, reusable } = rows;
  const kept = name === "generate" ? `${grouped(reusable)} trajectories there` : `${grouped(reusable)} reusable`;
  if (name === "export" || name === "select")
    return toMake === 0
      ? "nothing to do"
      : `the ${name === "export" ? "dataset" : "whole set"}${upperBound ? ", if rows change" : ""}${waits}`;
  if (name !== "generate") {
    if (toMake === null) return `not known yet${waits}`;
    return toMake === 0 && waits === ""
      ? `nothing to do, ${kept}`
      : `${upperBound ? "at most " : ""}${grouped(toMake)} rows to make, ${kept}${waits}`;
  }
  const files =
    input === null
      ? []
      : [`${grouped(input.newFiles)} of ${grouped(input.files)} files to read (${megabytes(input.newBytes)} of ${megabytes(input.bytes)})`];
  const live =
    tasks === null
      ? []
      : [
          `${grouped(tasks.wanted - tasks.finished)} of ${grouped(tasks.wanted)} live runs to make, ${grouped(tasks.leftOut)} tasks left out`,
        ];
  return [...files, ...live, toMake === 0 ? `nothing to do, ${kept}` : kept].join("; ");
}

export function planText({ run, exists, condenser, steps }: RunPlan): string {
  const lines = steps.flatMap((step) => [
    `${step.step.padEnd(11)} ${rowsText(step)}`,
    ...(step.name === "condense" && condenser === "extractive" && step.model === null
      ? ["  model         none: memories are by the built-in extractive condenser"]
      : []),
    ...(step.model === null ? [] : [modelText(step.model)]),
  ]);
  return [`plan for run ${run}${exists ? "" : ", which does not exist yet"}; nothing was changed`, "", ...lines].join("\n");
}
