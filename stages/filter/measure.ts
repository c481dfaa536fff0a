import type { BlockMetrics, Metrics, SampleMetrics, SetMetrics, TrajectoryMetrics } from "../../schemas/metrics.ts";
import type { Turn } from "../../schemas/sample.ts";
import type { Block, Memory, Workspace } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { withSystem } from "../lib/chatml.ts";
import type { CheckView } from "../lib/checks/check.ts";
import { checkMemory } from "../lib/checks/index.ts";
import { contaminationOf } from "../lib/contamination/contamination.ts";
import { blockTexts, type Rendered, render } from "../lib/render.ts";
import { baseTurns, condensationTurns, segmentTurns } from "../lib/samples.ts";
import {
  type CountTokens,
  countOnce,
  formatOf,
  measureSizes,
  messageTokens,
  openingTokens,
  replyTokens,
  type Sizes,
} from "../lib/sizes.ts";
import { ok, type Stage } from "../stage.ts";
import { type MeasureParams, measureOutline } from "./measure-outline.ts";
import { applyMeasures, measures } from "./measures/index.ts";
import type { Seen, SizedSample } from "./measures/measure.ts";

/** Counts every message of a sample. */
export function sized(turns: readonly Turn[], reserveTokens: number, count: CountTokens): SizedSample {
  const sizedTurns = withSystem(turns, formatOf(count)).map((turn) => {
    const tokens = messageTokens(turn, count);
    return { role: turn.role, train: turn.train, tokens, replyTokens: turn.role === "assistant" ? replyTokens(tokens, count) : 0 };
  });
  return { turns: sizedTurns, openingTokens: openingTokens(count), reserveTokens };
}

/** Counts of whole messages add up, so the last two segments as one need no counting: what comes before the last call, then what is trained after it. */
export function mergedLast(segments: readonly SizedSample[]): SizedSample | null {
  const [before, last] = segments.slice(-2);
  if (before === undefined || last === undefined) return null;
  return { ...before, turns: [...before.turns.slice(0, -1), ...last.turns.slice(last.turns.findIndex((turn) => turn.train))] };
}

const setMetrics = (trajectory: Trajectory): SetMetrics => applyMeasures<Trajectory, SetMetrics>(measures.set, trajectory);
const sampleMetrics = (sample: SizedSample): SampleMetrics => applyMeasures<SizedSample, SampleMetrics>(measures.samples, sample);

/** What the checks see of block `index`: this time the steps after its cut, too. */
const viewOf = ({ prompt, steps }: Rendered, blocks: readonly Block[], { cut, keptFrom, memory }: Block, index: number): CheckView => ({
  task: prompt,
  previousMemory: blocks[index - 1]?.memory ?? null,
  fold: steps.slice(blocks[index - 1]?.keptFrom ?? 0, keptFrom),
  recent: steps.slice(keptFrom, cut),
  later: steps.slice(cut),
  memory,
});

function blockMetrics(rendered: Rendered, sizes: Sizes, { blocks }: Memory, params: MeasureParams, count: CountTokens): BlockMetrics[] {
  const tokens = blocks.map((block) => {
    const texts = blockTexts(block, params.persona);
    return messageTokens({ role: "assistant", content: texts.call }, count) + messageTokens({ role: "user", content: texts.result }, count);
  });
  return blocks.map((block, index) => {
    const view = viewOf(rendered, blocks, block, index);
    return applyMeasures(measures.blocks, {
      block,
      previous: blocks[index - 1] ?? null,
      sizes,
      blockTokens: tokens[index] ?? 0,
      previousTokens: tokens[index - 1] ?? 0,
      memoryTokens: count(block.memory),
      view,
      results: checkMemory(view),
    });
  });
}

interface Parts {
  readonly memory: Memory;
  readonly workspace: Workspace;
}

function measureRendered(rendered: Rendered, parts: Parts | null, seen: Seen, params: MeasureParams, count: CountTokens): Metrics {
  const size = (turns: readonly Turn[]): SizedSample => sized(turns, params.replyTokens, count);
  const base = size(baseTurns(rendered, params.baseTools));
  const trajectory = (segments: readonly SizedSample[] | null): TrajectoryMetrics =>
    applyMeasures<Seen, TrajectoryMetrics>(measures.trajectory, { ...seen, rendered, base, segments });
  if (parts === null)
    return {
      trajectory: trajectory(null),
      blocks: [],
      segments: [],
      condensations: [],
      base: sampleMetrics(base),
      dropLast: null,
      set: setMetrics(seen.trajectory),
    };
  const { memory, workspace } = parts;
  const sizes = measureSizes(rendered, count);
  const segments = workspace.segments.map((segment) => size(segmentTurns(rendered, memory.blocks, segment, params.persona)));
  const condensations = workspace.condensations.map((one) => size(condensationTurns(rendered, sizes, memory.blocks, one, params.condense)));
  const merged = mergedLast(segments);
  return {
    trajectory: trajectory(segments),
    blocks: blockMetrics(rendered, sizes, memory, params, count),
    segments: segments.map(sampleMetrics),
    condensations: condensations.map(sampleMetrics),
    base: sampleMetrics(base),
    dropLast: merged === null ? null : sampleMetrics(merged),
    set: setMetrics(seen.trajectory),
  };
}

/** Stage 5a: measures everything that judging and statistics need, by the same renderer as export. A trajectory that an earlier stage
 * rejected is measured without segments, since its `base` sample may still be wanted. */
export const measure: Stage<"trajectory", "memory" | "workspace", "metrics", MeasureParams> = {
  ...measureOutline,
  run: async ({ trajectory, memory, workspace }, params, ports) => {
    const rendering = render(trajectory, params.persona);
    const rejectedBy = workspace.ok ? null : workspace.why;
    const seen: Seen = {
      trajectory,
      reasons: rendering.ok ? [] : rendering.reasons,
      rendered: null,
      base: null,
      segments: null,
      rejectedBy,
      contamination: contaminationOf(trajectory, await ports.evaluationSets(), (text) => ports.digest(text)),
    };
    if (!rendering.ok)
      return ok({
        trajectory: applyMeasures<Seen, TrajectoryMetrics>(measures.trajectory, seen),
        blocks: [],
        segments: [],
        condensations: [],
        base: null,
        dropLast: null,
        set: setMetrics(trajectory),
      });
    const parts = memory.ok && workspace.ok ? { memory: memory.value, workspace: workspace.value } : null;
    return ok(measureRendered(rendering.value, parts, seen, params, countOnce(ports.countTokens)));
  },
};
