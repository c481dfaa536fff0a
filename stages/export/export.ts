import type { ChatFormat } from "../../schemas/chat-format.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import { type ExportedSample, type Sample, SampleKind, type Turn } from "../../schemas/sample.ts";
import type { LeftOut } from "../../schemas/selection.ts";
import type { Memory, Workspace } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { Verdict } from "../../schemas/verdict.ts";
import { callStyles } from "../lib/call-styles/index.ts";
import { chatText, withSystem } from "../lib/chatml.ts";
import { controlTexts } from "../lib/control-tokens.ts";
import { withVerdictApplied } from "../lib/last-call.ts";
import { type Rendered, render } from "../lib/render.ts";
import { type CountTokens, countOnce, formatOf, measureSizes } from "../lib/sizes.ts";
import type { Ports } from "../stage.ts";
import { factsOf, sizeOf } from "./facts.ts";
import { gate } from "./gate.ts";
import { kinds } from "./kinds/index.ts";
import type { Kind, KindInput } from "./kinds/kind.ts";
import { layouts } from "./layouts/index.ts";
import type { ExportParams } from "./params.ts";
import { saidOf } from "./said.ts";
import { secretsLeft } from "./secrets-left.ts";

/** One trajectory as it reaches export. `memory` and `workspace` are null when a stage before them rejected it. */
export interface ExportBundle {
  readonly trajectory: Trajectory;
  readonly memory: Memory | null;
  readonly workspace: Workspace | null;
  readonly metrics: Metrics;
  readonly verdict: Verdict;
  /** Why the set-level pass leaves it out, as a whole; null: it does not. */
  readonly leftOut: LeftOut | null;
}

export type { ExportedSample };

/** What becomes of a trajectory's samples. Each one that the recipe's kinds call for is in exactly one of the three. */
export interface Exported {
  readonly samples: readonly ExportedSample[];
  /** Kept by the verdict, but left out by the recipe or refused by the last gate. */
  readonly refused: readonly { readonly kind: SampleKind; readonly id: string; readonly why: string }[];
  /** Not kept by the verdict, per kind. */
  readonly notKept: Readonly<Record<SampleKind, number>>;
}

type Made = { readonly ok: true; readonly value: ExportedSample } | { readonly ok: false; readonly id: string; readonly why: string };

/** What the world lends: exact token counts, and the exporter's own secrets in every form, which no sample may hold. */
export interface ExportPorts extends Pick<Ports, "countTokens"> {
  readonly own?: readonly string[];
  /**
   * What the model's own chat template makes of flat messages: a sample that it writes otherwise than we do is refused. Left out: the
   * built-in one, which is tested to be ours. null: it refuses them.
   */
  readonly renderChat?: (messages: readonly Pick<Turn, "role" | "content">[]) => string | null;
}

interface Counting {
  readonly countTokens: CountTokens;
  readonly renderChat?: ExportPorts["renderChat"];
  secretsIn(text: string): readonly string[];
}

const sampleId = ({ id }: Trajectory, kind: SampleKind, index: number): string => `${id}#${kind}${index}`;
const bare = ({ role, content }: Turn): Pick<Turn, "role" | "content"> => ({ role, content });

/**
 * Does the model's template write the sample as we do, and do its messages tokenize apart as they do together? `turns` is text that
 * trainers render again, and labels rest on it.
 */
function differs(
  turns: readonly Turn[],
  tokens: number,
  counting: Counting,
  renderChat: NonNullable<ExportPorts["renderChat"]>,
): string | null {
  const text = chatText(turns, formatOf(counting.countTokens));
  if (renderChat(turns.map(bare)) !== text) return "template-differs";
  return counting.countTokens(text) === tokens ? null : "tokens-differ";
}

/** Sample `index` of a kind, through the last gate. */
function make(kind: SampleKind, index: number, count: number, input: KindInput, params: ExportParams, counting: Counting): Made {
  const { trajectory, memory, rendered } = input;
  const id = sampleId(trajectory, kind, index);
  const draft = kinds[kind].draft(input, index, params);
  if (!draft.ok) return { ok: false, id, why: draft.why };
  const sample: Sample = {
    id,
    trajectory: trajectory.id,
    kind,
    index,
    count,
    turns: withSystem(draft.value.turns, formatOf(counting.countTokens)),
  };
  const size = sizeOf(sample.turns, params.window.replyTokens, counting.countTokens);
  const facts = factsOf(trajectory, memory, draft.value, size, params.persona);
  const columns = [id, facts.instance, facts.source, facts.licence, facts.toolsJson, facts.metaJson].filter((text) => text !== null);
  const secretTypes = [...sample.turns.map(({ content }) => content), ...columns].flatMap((text) => counting.secretsIn(text));
  const templateProblem = counting.renderChat === undefined ? null : differs(sample.turns, size.tokens, counting, counting.renderChat);
  if (templateProblem !== null) return { ok: false, id, why: templateProblem };
  const why = gate({ sample, controlTexts: rendered.controlTexts, ...size, windowTokens: params.window.tokens, secretTypes });
  if (why !== null) return { ok: false, id, why };
  const isStructured = params.export.layouts.some((name) => layouts[name].structured);
  const said = isStructured ? saidOf(sample.turns, draft.value, input, callStyles[params.persona.callStyle]) : null;
  return { ok: true, value: { sample, facts, said } };
}

export const noneOfAnyKind = (): Record<SampleKind, number> =>
  Object.fromEntries(SampleKind.options.map((kind) => [kind, 0])) as Record<SampleKind, number>;

/** All samples of one trajectory that its verdict keeps, rendered by the same renderer that measured them. */
export function exportTrajectory(judged: ExportBundle, params: ExportParams, ports: ExportPorts): Exported {
  const bundle = withVerdictApplied(judged);
  const countTokens = countOnce(ports.countTokens);
  const counting: Counting = {
    countTokens,
    renderChat: ports.renderChat,
    secretsIn: secretsLeft(ports.own ?? [], params.export.allowSecretTypes),
  };
  const samples: ExportedSample[] = [];
  const refused: { kind: SampleKind; id: string; why: string }[] = [];
  const notKept = noneOfAnyKind();
  let input: KindInput | null = null;
  for (const name of new Set(params.export.kinds)) {
    const decisions = (kinds[name] satisfies Kind).decisions(bundle);
    for (const [index, decision] of decisions.entries()) {
      if (!decision.keep) {
        notKept[name] += 1;
        continue;
      }
      if (bundle.leftOut !== null) {
        refused.push({ kind: name, id: sampleId(bundle.trajectory, name, index), why: `set:${bundle.leftOut.rule}` });
        continue;
      }
      input ??= prepared(bundle, params, countTokens);
      const made = make(name, index, decisions.length, input, params, counting);
      if (made.ok) samples.push(made.value);
      else refused.push({ kind: name, id: made.id, why: made.why });
    }
  }
  return { samples, refused, notKept };
}

/**
 * Places where the data's text would become a control token of a tokenizer that is not built in: the renderer knows those of Qwen2.5 alone.
 * What the call style writes is not looked at.
 */
function foreignControls(rendered: Rendered, { memory }: ExportBundle, { controlTexts: own }: ChatFormat): number {
  const foreign = own.filter((text) => !(controlTexts as readonly string[]).includes(text));
  if (foreign.length === 0) return 0;
  const { prompts, prompt, steps, tools } = rendered;
  const texts = [
    prompts.asked ?? "",
    prompts.base ?? "",
    prompt,
    ...tools,
    ...(memory?.blocks.flatMap((block) => [block.thought, block.memory]) ?? []),
  ];
  for (const { thought, calls, feedback } of steps)
    texts.push(thought, ...feedback, ...calls.flatMap((call) => [call.name, call.arguments, call.result ?? ""]));
  return texts.filter((text) => foreign.some((control) => text.includes(control))).length;
}

function prepared(bundle: ExportBundle, params: ExportParams, count: CountTokens): KindInput {
  const rendering = render(bundle.trajectory, params.persona);
  if (!rendering.ok) throw new Error(`${bundle.trajectory.id} is kept but cannot be rendered: ${rendering.reasons.join(" ")}`);
  const rendered: Rendered = {
    ...rendering.value,
    controlTexts: rendering.value.controlTexts + foreignControls(rendering.value, bundle, formatOf(count)),
  };
  return { ...bundle, rendered, sizes: measureSizes(rendered, count) };
}
