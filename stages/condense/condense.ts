import type { Block, Detection, InsertionPoint } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { type CondenseInput, condenseInput } from "../lib/condense-input.ts";
import { type Rendered, render } from "../lib/render.ts";
import { measureSizes } from "../lib/sizes.ts";
import { type Outcome, ok, type Ports, rejected, type Stage } from "../stage.ts";
import { secondOpinion } from "./ask/second-opinion.ts";
import { allSettled } from "./ask/settled.ts";
import { condensers } from "./condensers/index.ts";
import { condenseOutline } from "./outline.ts";
import type { CondenseParams } from "./params.ts";
import { pickOf, type ThoughtView } from "./thought.ts";

/** Steps before the cut that a thought is made from. Our choice: enough to see what has just been settled. */
const lastSteps = 3;

/** What the thought at a point may be made from. */
export const thoughtSources = (rendered: Rendered, point: InsertionPoint, detection: Detection): Omit<ThoughtView, "pick"> => ({
  cut: point.cut,
  reason: point.reason,
  signals: detection.candidates.find((candidate) => candidate.cut === point.cut)?.signals ?? [],
  lastSteps: rendered.steps.slice(Math.max(0, point.cut - lastSteps), point.cut),
});

interface Made {
  readonly block: Omit<Block, "judged">;
  readonly input: CondenseInput;
  readonly label: string;
}

async function writeBlocks(trajectory: Trajectory, detection: Detection, params: CondenseParams, ports: Ports): Promise<Outcome<Made[]>> {
  const rendering = render(trajectory, params.persona);
  if (!rendering.ok) return rejected(rendering.reasons.join(" "));
  const sizes = measureSizes(rendering.value, ports.countTokens);
  const made: Made[] = [];
  for (const point of detection.points) {
    const label = `${trajectory.id}@${point.cut}`;
    const input = condenseInput(rendering.value, sizes, point, made.at(-1)?.block ?? null, params.condense);
    const thought = { ...thoughtSources(rendering.value, point, detection), pick: pickOf(label, ports) };
    const written = await condensers[params.condense.condenser]({ input, label, params, thought }, ports);
    if (!written.ok) return written;
    made.push({ block: { cut: point.cut, keptFrom: point.keptFrom, ...written.value }, input, label });
  }
  return ok(made);
}

/** Second opinions come last and side by side: nothing waits for them, and none is paid for where a later memory rejects the trajectory. */
const judgedBlocks = (made: readonly Made[], params: CondenseParams, ports: Ports): Promise<Block[]> =>
  allSettled(
    made.map(async ({ block, input, label }) => ({
      ...block,
      judged: params.condense.judge ? await secondOpinion({ input, memory: block.memory, label }, params, ports) : null,
    })),
  );

/** Stage 3: writes a memory for every insertion point, each from the one before it and its fold alone. */
export const condense: Stage<"trajectory" | "detection", never, "memory", CondenseParams> = {
  ...condenseOutline,
  run: async ({ trajectory, detection }, params, ports) => {
    const made = await writeBlocks(trajectory, detection, params, ports);
    return made.ok ? ok({ blocks: await judgedBlocks(made.value, params, ports) }) : made;
  },
};
