import { z } from "zod";
import type { EvaluationDigests } from "../schemas/contamination.ts";
import { Fault } from "../schemas/fault.ts";
import type { KeyMaterial } from "../schemas/manifest.ts";
import { CondenseRecipe } from "../schemas/recipe/condense.ts";
import { WindowRecipe } from "../schemas/recipe/window.ts";
import type { Recipe } from "../schemas/recipe.ts";
import { ExportParams } from "../stages/export/params.ts";
import { SelectParams } from "../stages/filter/selection/params.ts";
import type { MemorySize } from "../stages/lib/condense-input.ts";
import { requestVersion } from "../stages/lib/request-version.ts";
import { scrubVersion } from "../stages/lib/secrets/scrub-version.ts";
import type { TokenizerChoice } from "./adapters/model-tokenizer.ts";
import { type EndpointSettings, endpointFrom, hasEndpoint, normaliseBaseUrl } from "./llm/endpoint.ts";
import { exportVersion, generateVersion, outlineOf, type RowStepName, rowSteps, type StepName, selectVersion } from "./plan.ts";
import { digestOf } from "./store/digest.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The recipe with everything settled that depends on the machine: which endpoint, which condenser. */
export interface Settled {
  readonly recipe: Recipe;
  readonly endpoint: EndpointSettings;
  readonly condenser: "extractive" | "llm";
  /** Who writes the thoughts before context calls. */
  readonly thought: "template" | "llm";
  readonly tokenizer: TokenizerChoice;
  /** What trajectories are held against (recipe `evaluation`, and what comes with catgen). */
  readonly evaluation: EvaluationDigests;
}

export function settle(
  recipe: Recipe,
  env: Environment,
  tokenizer: Settled["tokenizer"],
  evaluation: EvaluationDigests = { lists: {}, indexes: {} },
): Settled {
  const endpoint = endpointFrom(recipe.llm, env);
  const { condenser: wanted, thought } = recipe.condense;
  const condenser = wanted === "auto" ? (hasEndpoint(endpoint) ? "llm" : "extractive") : wanted;
  if (thought === "llm" && condenser !== "llm")
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      "condense.thought is llm, but the built-in condenser writes the memories: set CATGEN_BASE_URL and CATGEN_MODEL (or condense.condenser: llm), or condense.thought: auto",
    );
  if (recipe.condense.judge && condenser !== "llm" && !hasEndpoint(endpoint))
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      "condense.judge is true, but there is no model to ask for a second opinion: set CATGEN_BASE_URL and CATGEN_MODEL, or condense.judge: false",
    );
  return {
    recipe,
    endpoint,
    condenser,
    thought: thought === "template" || condenser !== "llm" ? "template" : "llm",
    tokenizer,
    evaluation,
  };
}

/** Does stage 3 ask the endpoint for anything? */
export const asksModel = ({ condenser, recipe }: Settled): boolean => condenser === "llm" || recipe.condense.judge;

/** What shapes a model's replies. Key, time-outs, concurrency, retries, budget and price shape nothing. */
export const replyShape = ({
  baseUrl,
  model,
  temperature,
  topP,
  seed,
  extraBody,
  replyLimitField,
}: EndpointSettings): z.core.util.JSONType =>
  z.json().parse({
    baseUrl: baseUrl === "" ? "" : normaliseBaseUrl(baseUrl),
    model,
    temperature,
    topP,
    seed,
    extraBody,
    replyLimitField: replyLimitField ?? null,
  });

const memorySizeOf = ({ memoryBaseTokens, memoryShare, memoryCapTokens }: CondenseRecipe): MemorySize => ({
  memoryBaseTokens,
  memoryShare,
  memoryCapTokens,
});

/** What only a model that writes memories is told, and what only a model that is asked at all is: where nobody reads them, their defaults stand. */
const unread = {
  writing: CondenseRecipe.pick({ attempts: true, retryTemperature: true, candidates: true, maxFindings: true }).parse({}),
  asking: CondenseRecipe.pick({ transport: true, windowTokens: true }).parse({}),
  window: WindowRecipe.pick({ tokens: true, replyTokens: true }).parse({}),
};

function condenseParams(settled: Settled): unknown {
  const { persona, window, condense } = settled.recipe;
  const { condenser, thought, endpoint } = settled;
  const asks = asksModel(settled);
  return {
    persona,
    window: asks ? { tokens: window.tokens, replyTokens: window.replyTokens } : unread.window,
    condense: { ...condense, condenser, thought, ...(condenser === "llm" ? {} : unread.writing), ...(asks ? {} : unread.asking) },
    endpoint: asks ? replyShape(endpoint) : null,
    requestVersion,
  };
}

/** Parameters of each step: exactly what may change its rows, nothing more. */
const paramsOf: { readonly [K in StepName]: (settled: Settled) => unknown } = {
  // A live run has a key of its own, and its record is imported as any other: what shaped it does not shape the import.
  generate: ({ recipe: { generate } }) => {
    const { rollout: _, ...importing } = generate;
    return { ...importing, scrubVersion };
  },
  detect: ({ recipe: { persona, window, detect, condense } }) => ({ persona, window, detect, memory: memorySizeOf(condense) }),
  condense: condenseParams,
  stitch: () => ({}),
  measure: ({ recipe: { persona, window, condense, export: exporting }, evaluation }) => ({
    persona,
    replyTokens: window.replyTokens,
    condense: memorySizeOf(condense),
    baseTools: exporting.baseTools,
    evaluation,
  }),
  judge: ({ recipe: { filter, window } }) => {
    const { set: _, ...thresholds } = filter;
    return { filter: thresholds, windowTokens: window.tokens };
  },
  select: ({ recipe: { filter, export: exporting, run }, condenser }) => {
    const leavesOut = condenser === "extractive" && !exporting.condenseExtractive; // as export does: they are no samples then
    const kinds = [...new Set(exporting.kinds)].sort().filter((kind) => kind !== "condense" || !leavesOut);
    return { set: filter.set, kinds, seed: run.seed };
  },
  export: ({ recipe: { persona, window, condense, filter, export: exporting, run }, evaluation }) => ({
    persona,
    window,
    condense,
    filter,
    export: exporting,
    seed: run.seed,
    evaluation,
  }),
};

const countsTokens: ReadonlySet<StepName> = new Set(["detect", "condense", "measure", "export"]);

export interface StepKey {
  readonly params: unknown;
  readonly material: KeyMaterial;
  readonly stageKey: string;
}

const ownVersions = { generate: generateVersion, select: selectVersion, export: exportVersion } as const;

/** A step's parameters, parsed by its own schema, and the key made of them. */
export function stepKey(name: StepName, settled: Settled): StepKey {
  const raw = paramsOf[name](settled);
  const stage = rowSteps.includes(name as RowStepName) ? outlineOf(name as RowStepName) : null;
  const schema = name === "export" ? ExportParams : name === "select" ? SelectParams : (stage?.params ?? null);
  const params = schema === null ? raw : schema.parse(raw);
  const version = stage?.version ?? ownVersions[name as Exclude<StepName, RowStepName>];
  const material: KeyMaterial = {
    stage: name,
    version,
    tokenizer: countsTokens.has(name) ? settled.tokenizer.digest : null,
    params: z.json().parse(params),
  };
  return { params, material, stageKey: digestOf(material) };
}
