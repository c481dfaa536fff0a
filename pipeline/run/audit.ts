import { auditSteps } from "../../schemas/audit.ts";
import type { KeyMaterial } from "../../schemas/manifest.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { type AuditRecord, isKept, withheldReason } from "../../stages/export/audit.ts";
import type { AuditRequest } from "../export/request.ts";
import { asksModel, type Settled, settle, stepKey } from "../keys.ts";
import { digestOf } from "../store/digest.ts";
import { readFreshBundles } from "./bundles.ts";
import type { RunContext } from "./context.ts";

/** Stands for the endpoint, whose address stays at home: no host can have this name (RFC 2606). */
const nobodysAddress = "https://endpoint.invalid/v1";

/** Of an endpoint only what shapes replies; how it is reached, waited for and paid stays at home. */
function publishedLlm({ recipe, endpoint }: Settled): Recipe["llm"] {
  const { apiKeyVariable, stream, concurrency, maxAttempts, timeoutMs, idleTimeoutMs, askAbove, budget, price } = Recipe.parse({}).llm;
  const home = { apiKeyVariable, stream, concurrency, maxAttempts, timeoutMs, idleTimeoutMs, askAbove, budget, price };
  return { ...recipe.llm, ...home, baseUrl: nobodysAddress, model: endpoint.model };
}

/**
 * The recipe as it goes outside: all that shapes rows, settled, and nothing of the machine (paths, the endpoint, approvals). The number of
 * shards is the order of the rows, so it goes along.
 */
export function publishedRecipe(settled: Settled, shards: number): Recipe {
  const { recipe, condenser, thought } = settled;
  const none = Recipe.parse({});
  return {
    ...recipe,
    run: { ...recipe.run, shards },
    tokenizer: none.tokenizer,
    generate: { ...recipe.generate, rollout: none.generate.rollout },
    condense: { ...recipe.condense, condenser, thought },
    evaluation: none.evaluation,
    publish: none.publish,
    llm: asksModel(settled) ? publishedLlm(settled) : none.llm,
  };
}

/** Bumped when other files are made of the same rows. */
const filesVersion = 3;

/** What of the thresholds shapes the files besides what is kept. */
const contaminationLimits = ({ filter }: Recipe): object => {
  const { allowEvaluationInstances, allowEvaluationRepositories, maxEvaluationTextShare, maxEvaluationPatchShare, actions } = filter;
  return { allowEvaluationInstances, allowEvaluationRepositories, maxEvaluationTextShare, maxEvaluationPatchShare, actions };
};

async function* auditRecords(context: Pick<RunContext, "run" | "settled">): AsyncGenerator<AuditRecord> {
  for await (const bundle of readFreshBundles(context)) {
    const { trajectory, detection, memory, workspace, metrics, verdict, selection } = bundle;
    if (trajectory?.outcome.ok !== true) continue;
    const leftOut = selection?.outcome.ok === true ? selection.outcome.value.leftOut : null;
    const judged = verdict?.outcome.ok === true ? verdict.outcome.value : null;
    const kept = judged !== null && isKept(judged, leftOut);
    const withheld = withheldReason(kept, metrics?.outcome.ok === true ? metrics.outcome.value : null, judged);
    yield { trajectory: trajectory.outcome.value, parts: { detection, memory, workspace, metrics }, kept, withheld };
  }
}

/** What the audit of a run's dataset is made of. `key`: that of all samples, and so of the trajectories that are kept. */
export function auditRequest(context: Pick<RunContext, "run" | "settled">, key: string, detection: string): AuditRequest {
  const { run, settled } = context;
  const recipe = publishedRecipe(settled, run.shards);
  const outside = settle(recipe, {}, settled.tokenizer, settled.evaluation);
  const [detect, condense, measure] = auditSteps.map((name) => stepKey(name, outside).material) as [KeyMaterial, KeyMaterial, KeyMaterial];
  const wanted = settled.recipe.export.audit;
  const made = digestOf({ version: filesVersion, wanted, key, detection, limits: contaminationLimits(settled.recipe) });
  return { records: () => auditRecords(context), recipe, steps: { detect, condense, measure }, key: made };
}
