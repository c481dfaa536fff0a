import { mixturesOf } from "../dataset-parts.ts";
import { grouped } from "../number-text.ts";
import { engines } from "./engines/index.ts";
import { gpuOf } from "./gpus.ts";
import {
  type ConfigFile,
  gpusOf,
  type Launcher,
  type LauncherName,
  type LaunchFile,
  type LaunchPlan,
  type TrainerLayout,
  type TrainerRun,
} from "./launcher.ts";
import { type MemoryEstimate, plannedShare } from "./memory.ts";
import { countParameters, shapeOf } from "./model-shapes.ts";

/** A trainer with its configs, or why it has none. */
export type TrainerPlan =
  | { readonly name: LauncherName; readonly launcher: Launcher; readonly run: TrainerRun; readonly configs: readonly ConfigFile[] }
  | { readonly name: LauncherName; readonly launcher: Launcher; readonly why: readonly string[] };

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");

const oneDecimal = (value: number): string => value.toFixed(1);
const hoursText = (hours: number | null): string => (hours === null ? "?" : hours < 10 ? hours.toFixed(2) : String(Math.round(hours)));

/** Tokens that the longest sequence takes, and how the model comes to have positions for them. */
function positions({ training, windowTokens }: LaunchPlan): string {
  const shape = shapeOf(training.model, training.shape);
  if (shape === null)
    return `The shape of ${training.model} is not known to catgen: memory and time are not estimated, and \`launch/prepare-model.py\` reads the positions from its config.json. Say its numbers in \`export.training.shape\`.`;
  const count = (countParameters(shape).all / 1e9).toFixed(2);
  if (windowTokens <= shape.nativeWindow)
    return `${training.model}: ${count} billion parameters, ${grouped(shape.nativeWindow)} positions of its own, enough for ${grouped(windowTokens)}.`;
  const factor = windowTokens / shape.nativeWindow;
  const far = factor > 4 ? " Its authors tried factors up to 4." : "";
  return `${training.model}: ${count} billion parameters, ${grouped(shape.nativeWindow)} positions of its own, stretched to ${grouped(windowTokens)} by YaRN (factor ${factor.toFixed(2)}) in \`launch/prepare-model.py\`.${far} Inference must use the same folder.`;
}

function memoryText(memory: MemoryEstimate, { training }: TrainerRun): string {
  const available = gpuOf(training)?.memoryGigabytes ?? 0;
  const rows = memory.terms.map(({ name, formula, gigabytes }) => [name, formula, oneDecimal(gigabytes)]);
  const host =
    memory.hostGigabytes > 0 ? ` The host holds another ${oneDecimal(memory.hostGigabytes)} GB of saved layer inputs in its memory.` : "";
  return `${table(["memory per GPU", "formula", "GB"], [...rows, ["**sum**", `of ${available} GB (${training.gpu}), ${plannedShare} of which are planned with`, `**${oneDecimal(memory.gigabytes)}**`]])}\n\nArithmetic, not a measurement; GB of 10^9 bytes.${host}`;
}

function durations(configs: readonly ConfigFile[]): string {
  const rows = configs.map(({ path, data: { duration } }) => [
    `\`${path}\``,
    String(duration.epochs),
    grouped(duration.steps),
    grouped(duration.warmupSteps),
    grouped(duration.tokens),
    hoursText(duration.hours),
  ]);
  const formulas = [...new Set(configs.map(({ data }) => data.duration.formula))].map((formula) => `- ${formula}`);
  return `${table(["config", "epochs", "steps", "warm-up", "tokens", "hours"], rows)}\n\nHours are\n${formulas.join("\n")}`;
}

function spreadText({ contextParallel, replicas, accumulation, shards, training }: TrainerRun): string {
  const shared = contextParallel === 1 ? "each GPU works on sequences of its own" : `${contextParallel} GPUs share one sequence`;
  return `${gpusOf(training)} GPUs, ${shared}: ${replicas} replica${replicas === 1 ? "" : "s"} x ${accumulation} sequence${accumulation === 1 ? "" : "s"} = ${training.globalBatch} per step; weights ${shards === 1 ? "whole on each GPU" : `split over ${shards}`}.`;
}

function section(one: TrainerPlan, plan: LaunchPlan): string {
  const { name, launcher } = one;
  const head = `## ${launcher.title}\n\n${launcher.homepage}`;
  if ("why" in one) return `${head}\n\nNo configs: ${one.why.join("; ")}.`;
  const there = new Set(one.configs.map(({ data }) => data.layout));
  const layouts = Object.entries(launcher.layouts).map(
    ([layout, text]) => `- \`${layout}\`${there.has(layout as TrainerLayout) ? "" : " (not in this dataset)"}: ${text}`,
  );
  const left =
    plan.training.packing && launcher.can.packing === "without-context-parallel" && one.run.contextParallel > 1
      ? "\nPacking is off: here it does not go with context parallelism.\n"
      : "";
  const start = plan.training.engines.map((engine) => {
    const { path } = engines[engine].file(plan, name);
    return `- ${engine}: \`${engines[engine].usage.replace("FILE", path)}\``;
  });
  return [
    head,
    `Start: \`bash configs/${name}/install.sh\` once, then \`bash configs/${name}/run.sh\` on each host, or`,
    start.join("\n"),
    `What is trained (each agent turn exactly once over the dataset, where the layout says "exact"):`,
    layouts.join("\n") + left + missingMixtures(one.configs, plan),
    spreadText(one.run),
    one.run.memory === null ? "" : memoryText(one.run.memory, one.run),
    durations(one.configs),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Mixtures of the dataset that none of the configs trains. */
function missingMixtures(configs: readonly ConfigFile[], plan: LaunchPlan): string {
  const there = new Set(plan.parts.flatMap(({ layout }) => mixturesOf(plan.parts, layout, plan.mixtures).map(({ name }) => name)));
  const missing = [...there].filter((name) => !configs.some(({ data }) => data.mixture.name === name));
  return missing.length === 0
    ? ""
    : `\n\nNo config for ${missing.join(", ")}: export one of the layouts above that are not in this dataset (\`export.layouts\`).`;
}

/** `configs/README.md`: how to start each trainer, and what was computed before anything was. */
export function configsReadme(plan: LaunchPlan, trainers: readonly TrainerPlan[]): LaunchFile {
  const refused = Object.entries(plan.overLong).map(([kind, count]) => `${grouped(count ?? 0)} \`${kind}\``);
  const budget = plan.training.maxGpuHours === null ? "" : ` The budget is ${plan.training.maxGpuHours} GPU hours.`;
  const text = [
    `# Training on ${plan.dataset}`,
    `Commands run in the dataset's folder. First \`python3 launch/prepare-model.py\`. What inference must keep to is in \`runtime.yaml\`.${budget}`,
    positions(plan),
    `Samples over the window of ${grouped(plan.windowTokens)} tokens: 0.${refused.length === 0 ? "" : ` Left out for that at export: ${refused.join(", ")}.`}`,
    ...trainers.map((one) => section(one, plan)),
  ].join("\n\n");
  return { path: "configs/README.md", text: `${text}\n` };
}

/** The same in a few lines, for whoever watches the export. */
export function trainingLines(plan: LaunchPlan, trainers: readonly TrainerPlan[]): string[] {
  const [first] = trainers;
  if (plan.parts.length === 0 && first !== undefined && "why" in first) return [`training    no configs, ${first.why.join("; ")}`];
  return trainers.map((one) => {
    if ("why" in one) return `training    ${one.name}: no configs, ${one.why.join("; ")}`;
    const { memory } = one.run;
    const [first] = one.configs;
    const terms =
      memory?.terms.filter(({ gigabytes }) => gigabytes > 0).map(({ name, gigabytes }) => `${name} ${oneDecimal(gigabytes)}`) ?? [];
    const size =
      memory === null
        ? "memory not estimated"
        : `${oneDecimal(memory.gigabytes)} of ${gpuOf(plan.training)?.memoryGigabytes ?? 0} GB per GPU (${terms.join(" + ")})`;
    const { steps = 0, tokens = 0, hours = null } = first?.data.duration ?? {};
    return `training    ${one.name}: ${size}; ${first?.path ?? ""}: ${grouped(steps)} steps, ${grouped(tokens)} tokens, ${hoursText(hours)} h on ${gpusOf(plan.training)} ${plan.training.gpu}`;
  });
}
