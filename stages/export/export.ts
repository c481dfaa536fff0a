import { z } from "zod";
import { EvaluationDigests } from "../../schemas/contamination.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import { ExportRecipe } from "../../schemas/recipe/export.ts";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { RunRecipe } from "../../schemas/recipe/run.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";
import { type ExportedSample, type Sample, SampleKind } from "../../schemas/sample.ts";
import type { LeftOut } from "../../schemas/selection.ts";
import type { Memory, Workspace } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { Verdict } from "../../schemas/verdict.ts";
import { callStyles } from "../lib/call-styles/index.ts";
import { withSystem } from "../lib/chatml.ts";
import { withVerdictApplied } from "../lib/last-call.ts";
import { type Rendered, render } from "../lib/render.ts";
import { type CountTokens, measureSizes } from "../lib/sizes.ts";
import type { Ports } from "../stage.ts";
import { factsOf, sizeOf } from "./facts.ts";
import { gate } from "./gate.ts";
import { kinds } from "./kinds/index.ts";
import type { Kind, KindInput } from "./kinds/kind.ts";
import { layouts } from "./layouts/index.ts";
import { saidOf } from "./said.ts";
import { secretsLeft } from "./secrets-left.ts";

/** Everything that shapes the exported folder. `filter`: what the verdicts were made with, for the card alone; null: not stated there. */
export const ExportParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe,
  condense: CondenseRecipe.pick({ memoryBaseTokens: true, memoryShare: true, memoryCapTokens: true }).strip(),
  filter: FilterRecipe.nullable().default(null),
  export: ExportRecipe,
  seed: RunRecipe.shape.seed,
  /** What the trajectories were held against, for the card alone. */
  evaluation: EvaluationDigests.default({ lists: {}, indexes: {} }),
});
export type ExportParams = z.infer<typeof ExportParams>;

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

/** Counts each text once: a trajectory's samples repeat most of each other's messages. */
function remembered(count: CountTokens): CountTokens {
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}

type Made = { readonly ok: true; readonly value: ExportedSample } | { readonly ok: false; readonly id: string; readonly why: string };

/** What the world lends: exact token counts, and the exporter's own secrets in every form, which no sample may hold. */
export interface ExportPorts extends Pick<Ports, "countTokens"> {
  readonly own?: readonly string[];
}

interface Counting {
  readonly countTokens: CountTokens;
  secretsIn(text: string): readonly string[];
}

const sampleId = ({ id }: Trajectory, kind: SampleKind, index: number): string => `${id}#${kind}${index}`;

/** Sample `index` of a kind, through the last gate. */
function make(kind: SampleKind, index: number, count: number, input: KindInput, params: ExportParams, counting: Counting): Made {
  const { trajectory, memory, rendered } = input;
  const id = sampleId(trajectory, kind, index);
  const draft = kinds[kind].draft(input, index, params);
  if (!draft.ok) return { ok: false, id, why: draft.why };
  const sample: Sample = { id, trajectory: trajectory.id, kind, index, count, turns: withSystem(draft.value.turns) };
  const size = sizeOf(sample.turns, params.window.replyTokens, counting.countTokens);
  const facts = factsOf(trajectory, memory, draft.value, size, params.persona);
  const columns = [id, facts.instance, facts.source, facts.licence, facts.toolsJson, facts.metaJson].filter((text) => text !== null);
  const secretTypes = [...sample.turns.map(({ content }) => content), ...columns].flatMap((text) => counting.secretsIn(text));
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
  const countTokens = remembered(ports.countTokens);
  const counting: Counting = { countTokens, secretsIn: secretsLeft(ports.own ?? [], params.export.allowSecretTypes) };
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

function prepared(bundle: ExportBundle, params: ExportParams, count: CountTokens): KindInput {
  const rendering = render(bundle.trajectory, params.persona);
  if (!rendering.ok) throw new Error(`${bundle.trajectory.id} is kept but cannot be rendered: ${rendering.reasons.join(" ")}`);
  const rendered: Rendered = rendering.value;
  return { ...bundle, rendered, sizes: measureSizes(rendered, count) };
}
