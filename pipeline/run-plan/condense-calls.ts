import type { ModelPlan } from "../../schemas/run-plan.ts";
import type { Detection } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { CondenseParams, condense } from "../../stages/condense/condense.ts";
import { callsPerBlock, type ExpectedBlock, expectedBlocks, mostCallsPerBlock } from "../../stages/condense/expected-blocks.ts";
import type { Ports } from "../../stages/stage.ts";
import { loadTokenizer } from "../adapters/tokenizer.ts";
import { stepKey } from "../keys.ts";
import { NotCached, openCachedReplies } from "../llm/cached-replies.ts";
import { hasEndpoint } from "../llm/endpoint.ts";
import { writerOf } from "../plan.ts";
import type { Joined } from "../run/join-parts.ts";
import { sha256 } from "../store/digest.ts";
import { readManifest } from "../store/manifests.ts";
import { type MissingRows, missingRows, type Unsettled } from "./missing-rows.ts";
import { type Need, priced } from "./model-plan.ts";
import type { PlanPlace } from "./place.ts";

interface Record {
  readonly trajectory: Trajectory;
  readonly detection: Detection;
}

function recordOf({ rows }: Joined): Record | null {
  const [trajectory, detection] = [rows.get("trajectory")?.outcome, rows.get("detection")?.outcome];
  return trajectory?.ok === true && detection?.ok === true
    ? { trajectory: trajectory.value as Trajectory, detection: detection.value as Detection } // parsed by their readers
    : null;
}

/** Labels say `<stage>:<trajectory id>@<cut>`, and perhaps more. */
const cutIn = (label: string): number => Number(/@(\d+)/.exec(label)?.[1] ?? 0);

/**
 * Blocks that cost nothing: the stage itself is run on the cache alone, so that it follows the chain of replies as far as it is known,
 * however it asks. Returns the index of the first block with a reply that is missing; the number of blocks when none is.
 */
async function cachedBlocks(record: Record, params: CondenseParams, ports: Ports): Promise<number> {
  const { points } = record.detection;
  try {
    await condense.run(record, params, ports);
    return points.length; // written or rejected, without a call
  } catch (error) {
    if (!(error instanceof NotCached)) throw error;
    return points.filter(({ cut }) => cut < cutIn(error.label)).length;
  }
}

/** Adds up what the blocks of many records need. */
class CondenseNeed {
  private readonly sums = { missing: 0, cached: 0, certain: 0, prompt: { expected: 0, atMost: 0 }, reply: { expected: 0, atMost: 0 } };
  private readonly recipe: CondenseParams["condense"];

  constructor(recipe: CondenseParams["condense"]) {
    this.recipe = recipe;
  }

  add(blocks: readonly ExpectedBlock[], cached: number): void {
    const { sums, recipe } = this;
    sums.missing += blocks.length;
    sums.cached += Math.min(cached, blocks.length);
    if (cached < blocks.length) sums.certain += 1;
    for (const { prompt, reply } of blocks.slice(cached)) {
      sums.prompt.expected += callsPerBlock(recipe) * prompt.expected;
      sums.prompt.atMost += mostCallsPerBlock(recipe) * prompt.atMost;
      sums.reply.expected += callsPerBlock(recipe) * reply.expected;
      sums.reply.atMost += mostCallsPerBlock(recipe) * reply.atMost;
    }
  }

  need(unknownRows: number, concurrency: number): Need {
    const { missing, cached, certain, prompt, reply } = this.sums;
    const asked = missing - cached;
    return {
      units: { of: "block", missing, cached, unknownRows },
      calls: { certain, expected: asked * callsPerBlock(this.recipe), atMost: asked * mostCallsPerBlock(this.recipe) },
      promptTokens: prompt,
      replyTokens: reply,
      concurrency,
      assumptions: [
        "every memory has its target size m(a); reasoning that a model writes beside it is not counted",
        "tokens as our tokenizer counts them",
      ],
    };
  }
}

async function recordsIn({ run }: PlanPlace, shards: readonly number[]): Promise<number> {
  let records = 0;
  for (const shard of shards) records += (await readManifest(run, writerOf("detection").step, shard))?.output.rows ?? 0;
  return records;
}

/** Stage 3: rows that are missing, and what the model would be asked for them. Streams: one record in memory at a time. */
export async function planCondense(
  place: PlanPlace,
  shards: readonly number[],
  unsettled: Unsettled,
): Promise<{ rows: MissingRows; model: ModelPlan | null }> {
  const { settled } = place;
  if (settled.condenser !== "llm") return { rows: await missingRows(place, "condense", shards, unsettled), model: null };
  const params = CondenseParams.parse(stepKey("condense", settled).params);
  const countTokens = (text: string): number => loadTokenizer(settled.tokenizer.name).count(text);
  const complete = hasEndpoint(settled.endpoint) ? await openCachedReplies(settled.endpoint, place.cacheFolder) : null;
  const sum = new CondenseNeed(params.condense);
  place.progress.start("plan 3-condense", await recordsIn(place, shards));
  const rows = await missingRows(place, "condense", shards, unsettled, async (joined) => {
    const record = recordOf(joined);
    place.progress.step();
    if (record === null || record.detection.points.length === 0) return;
    const blocks = expectedBlocks(record.trajectory, record.detection, params, countTokens);
    if (blocks === null) return;
    const cached = complete === null ? 0 : await cachedBlocks(record, params, { complete, countTokens, digest: sha256 });
    sum.add(blocks, cached);
  }).finally(() => place.progress.end());
  if (rows.toMake === null || rows.toMake === 0) return { rows, model: null };
  return { rows, model: await priced(place, "condense:", sum.need(rows.waiting, settled.endpoint.concurrency)) };
}
