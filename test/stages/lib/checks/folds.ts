import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { planInputs } from "../../../../pipeline/import/plan.ts";
import { readUnit } from "../../../../pipeline/import/read.ts";
import { DetectRecipe } from "../../../../schemas/recipe/detect.ts";
import { PersonaRecipe } from "../../../../schemas/recipe/persona.ts";
import { WindowRecipe } from "../../../../schemas/recipe/window.ts";
import { Recipe } from "../../../../schemas/recipe.ts";
import type { Trajectory } from "../../../../schemas/trajectory.ts";
import { condense } from "../../../../stages/condense/condense.ts";
import { detect } from "../../../../stages/detect/detect.ts";
import type { CheckView } from "../../../../stages/lib/checks/check.ts";
import { noEvaluationSets } from "../../../../stages/lib/contamination/contamination.ts";
import { type RenderedStep, render } from "../../../../stages/lib/render.ts";
import { requestVersion } from "../../../../stages/lib/request-version.ts";
import type { Ports } from "../../../../stages/stage.ts";
import { noPlacement } from "../../../fakes/no-placement.ts";

/** Real folds with a memory each, by who wrote the memory: what the checks are proved on. */

const repository = join(import.meta.dirname, "../../../..");
export const trajectoriesFolder = join(repository, "../shared/trajectories");
export const haveTrajectories = existsSync(trajectoriesFolder);

export interface Fold {
  /** `<trajectory id>@<cut>`. */
  readonly name: string;
  readonly origin: "extractive" | "openhands-v1" | "paraphrased";
  readonly view: CheckView;
  /** Number of the file among the memories in a writer's words, from 100 on for `fresh`; null for other origins. */
  readonly file: number | null;
}

/** Every fourth character is a token, about: cuts and sizes need not be exact here. */
const ports: Ports = {
  complete: () => Promise.reject(new Error("no model is asked")),
  countTokens: (text) => Math.ceil(text.length / 4),
  digest: (text) => createHash("sha256").update(text).digest("hex"),
  evaluationSets: async () => noEvaluationSets,
};

let loading: Promise<Trajectory[]> | null = null;
export function trajectories(): Promise<Trajectory[]> {
  loading ??= (async () => {
    const found: Trajectory[] = [];
    for (const unit of await planInputs([trajectoriesFolder]))
      for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256_000_000 }))
        if (event.kind === "run") found.push(event.trajectory);
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  })();
  return loading;
}

interface Shown {
  readonly persona: PersonaRecipe;
  readonly prompt: string;
  readonly steps: readonly RenderedStep[];
}

type Persona = PersonaRecipe["name"];

/** The run as the first of these personas that can shows it; null where none can. */
export function shown(trajectory: Trajectory, names: readonly Persona[] = ["paper", "keep"]): Shown | null {
  for (const name of names) {
    const persona = PersonaRecipe.parse({ name, controlTokens: "escape" });
    const rendering = render(trajectory, persona);
    if (rendering.ok) return { persona, prompt: rendering.value.prompt, steps: rendering.value.steps };
  }
  return null;
}

export interface Placed {
  readonly cut: number;
  readonly keptFrom: number;
  readonly memory: string;
}

/** The views of a chain of memories over one run. */
export function viewsOf(run: Pick<Shown, "prompt" | "steps">, chain: readonly Placed[]): CheckView[] {
  return chain.map(({ cut, keptFrom, memory }, index) => ({
    task: run.prompt,
    previousMemory: chain[index - 1]?.memory ?? null,
    fold: run.steps.slice(chain[index - 1]?.keptFrom ?? 0, keptFrom),
    recent: run.steps.slice(keptFrom, cut),
    later: run.steps.slice(cut),
    memory,
  }));
}

const keepSteps = WindowRecipe.parse({}).keepSteps;

/** Cuts that detect chooses in a window of 16,384 tokens (few public runs outgrow 65,536); every 10 steps where it finds none. */
async function cutsOf(trajectory: Trajectory, run: Shown): Promise<number[]> {
  const { memoryBaseTokens, memoryShare } = Recipe.parse({}).condense;
  const found = await detect.run(
    { trajectory },
    detect.params.parse({
      persona: run.persona,
      window: WindowRecipe.parse({ tokens: 16_384, replyTokens: 1_024 }),
      detect: DetectRecipe.parse({}),
      memory: { memoryBaseTokens, memoryShare, memoryCapTokens: 2_048 },
    }),
    ports,
  );
  const chosen = found.ok ? found.value.points.map(({ cut }) => cut) : [];
  if (chosen.length > 0) return chosen;
  const last = run.steps.length - 1;
  return Array.from({ length: Math.floor(last / 10) }, (_, index) => 10 * (index + 1)).filter((cut) => cut < run.steps.length);
}

/** Memories of the built-in condenser over every real run. */
export async function extractiveFolds(): Promise<Fold[]> {
  const folds: Fold[] = [];
  for (const trajectory of await trajectories()) {
    const run = shown(trajectory);
    if (run === null) continue;
    const cuts = (await cutsOf(trajectory, run)).filter((cut, index, all) => cut - keepSteps > (all[index - 1] ?? keepSteps) - keepSteps);
    const points = cuts.map((cut) => ({ cut, keptFrom: cut - keepSteps, reason: "signals" as const }));
    if (points.length === 0) continue;
    const written = await condense.run(
      { trajectory, detection: { candidates: [], points, placement: noPlacement } },
      condense.params.parse({
        persona: run.persona,
        window: { tokens: 10_000_000, replyTokens: 4_096 },
        condense: { ...Recipe.parse({}).condense, condenser: "extractive", thought: "template" },
        endpoint: null,
        requestVersion,
      }),
      ports,
    );
    if (!written.ok) continue;
    const chain: readonly Placed[] = written.value.blocks;
    for (const [index, view] of viewsOf(run, chain).entries())
      folds.push({ name: `${trajectory.id}@${chain[index]?.cut}`, origin: "extractive", view, file: null });
  }
  return folds;
}

interface V1Event {
  readonly kind: string;
  readonly id: string;
  readonly source: string;
  readonly summary?: string;
  readonly forgotten_event_ids?: readonly string[];
  readonly llm_response_id?: string | null;
}

/** Which step each event belongs to: events of one reply are one step, and agent messages are steps, too. */
function stepOfEvents(events: readonly V1Event[]): Map<string, number> {
  const steps = new Map<string, number>();
  let step = -1;
  let response: string | null = null;
  for (const event of events) {
    if (event.kind === "ActionEvent") {
      if (event.llm_response_id === undefined || event.llm_response_id === null || event.llm_response_id !== response) step += 1;
      response = event.llm_response_id ?? null;
    } else if (event.kind === "MessageEvent") {
      if (event.source === "agent") step += 1;
      response = null;
    }
    if (step >= 0) steps.set(event.id, step);
  }
  return steps;
}

/** The condensations that OpenHands V1 wrote in its own runs: what was forgotten is the fold, what was kept behind it the recent steps. */
export async function condensedFolds(): Promise<Fold[]> {
  const folds: Fold[] = [];
  for (const trajectory of await trajectories()) {
    if (trajectory.origin.dialect !== "openhands-v1-events" || !trajectory.origin.file.endsWith(".jsonl")) continue;
    const file = [trajectory.origin.file, join("openhands-v1-events", trajectory.origin.file.split("/").at(-1) ?? "")]
      .map((name) => join(trajectoriesFolder, name))
      .find((name) => existsSync(name));
    const run = shown(trajectory, ["keep"]);
    if (run === null || file === undefined) continue;
    const events = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => {
        const event = JSON.parse(line) as V1Event | { history?: V1Event[] };
        return "kind" in event ? [event] : [];
      });
    const stepOf = stepOfEvents(events);
    const chain = events.flatMap((event, index): Placed[] => {
      if (event.kind !== "Condensation") return [];
      const forgotten = (event.forgotten_event_ids ?? []).flatMap((id) => stepOf.get(id) ?? []);
      const before = events.slice(0, index).flatMap((one) => stepOf.get(one.id) ?? []);
      const keptFrom = Math.max(...forgotten) + 1;
      return [{ cut: Math.max(keptFrom, ...before.map((step) => step + 1)), keptFrom, memory: event.summary ?? "" }];
    });
    for (const [index, view] of viewsOf(run, chain).entries())
      folds.push({ name: `${trajectory.id}@${chain[index]?.cut}`, origin: "openhands-v1", view, file: null });
  }
  return folds;
}

/** `fresh`: written when the checks were done, on other cuts, and looked at once. */
export type Writing = "paraphrased" | "fresh";
const fileOf = (writing: Writing): string => join(repository, `test/fixtures/memories/${writing}.jsonl`);

export interface Paraphrased extends Placed {
  readonly file: number;
  readonly id: string;
}

/** Memories that a writer told in own words, see `test/fixtures/memories/README.md`. */
export async function paraphrasedFolds(writing: Writing = "paraphrased"): Promise<Fold[]> {
  const rows = readFileSync(fileOf(writing), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Paraphrased);
  const byId = new Map((await trajectories()).map((trajectory) => [trajectory.id, trajectory]));
  return rows.flatMap((row) => {
    const trajectory = byId.get(row.id);
    // The writer read the source's own prompt, so Q is that one.
    const run = trajectory === undefined ? null : shown(trajectory, ["keep"]);
    if (run === null) return [];
    return viewsOf(run, [row]).map((view): Fold => ({ name: `${row.id}@${row.cut}`, origin: "paraphrased", view, file: row.file }));
  });
}
