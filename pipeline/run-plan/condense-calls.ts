import type { ModelPlan } from "../../schemas/run-plan.ts";
import type { Detection } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { condense } from "../../stages/condense/condense.ts";
import { type ExpectedBlock, type ExpectedCalls, expectedBlocks } from "../../stages/condense/expected-blocks.ts";
import { CondenseParams } from "../../stages/condense/params.ts";
import type { Ports } from "../../stages/stage.ts";
import { openTokenizer } from "../adapters/model-tokenizer.ts";
import { evaluationPort } from "../contamination/load.ts";
import { asksModel, stepKey } from "../keys.ts";
import { NotCached, openCachedReplies } from "../llm/cached-replies.ts";
import { hasEndpoint } from "../llm/endpoint.ts";
import { writerOf } from "../plan.ts";
import type { Joined } from "../run/join-parts.ts";
import { sha256 } from "../store/digest.ts";
import { readManifest } from "../store/manifests.ts";
import { type MissingRows, missingRows, type Unsettled } from "./missing-rows.ts";
import { type Need, priced } from "./model-plan.ts";
import type { PlanPlace } from "./place.ts";

interface Source {
  readonly trajectory: Trajectory;
  readonly detection: Detection;
}

function sourceOf({ rows }: Joined): Source | null {
  const [trajectory, detection] = [rows.get("trajectory")?.outcome, rows.get("detection")?.outcome];
  return trajectory?.ok === true && detection?.ok === true
    ? { trajectory: trajectory.value as Trajectory, detection: detection.value as Detection } // parsed by their readers
    : null;
}

/** Labels of stage 3's calls. They go on with `<trajectory id>@<cut>`, and perhaps more; an id may hold an `@` of its own. */
const labels = { memory: "condense:", thought: "thought:", judge: "judge:" } as const;
type Kind = keyof typeof labels;
const cutIn = (label: string): number => Number(/@(\d+)[^@]*$/.exec(label)?.[1] ?? 0);

/** How far the cache goes in one record. */
interface Reached {
  /** Blocks before the first with a reply that is missing; all of them when none is. */
  readonly blocks: number;
  /** Of the next block: requests that are answered by the cache, and those known word for word that are not. */
  readonly kept: Readonly<Record<Kind, number>>;
  readonly missing: Readonly<Record<Kind, number>>;
  /** Cuts whose second opinion the cache does not have; all of them while a memory is missing, for opinions come last. */
  readonly unjudged: ReadonlySet<number>;
}

const isOf = (label: string, kind: Kind): boolean => label.startsWith(labels[kind]);
const countKinds = (found: readonly string[]): Record<Kind, number> => ({
  memory: found.filter((label) => isOf(label, "memory")).length,
  thought: found.filter((label) => isOf(label, "thought")).length,
  judge: found.filter((label) => isOf(label, "judge")).length,
});

/** The stage itself is run on the cache alone, so that it follows the chain of replies as far as it is known, however it asks. */
async function reached(
  source: Source,
  params: CondenseParams,
  complete: Ports["complete"],
  rest: Omit<Ports, "complete">,
): Promise<Reached> {
  const { points } = source.detection;
  const kept: string[] = [];
  const missing: string[] = [];
  const noting: Ports["complete"] = async (request) => {
    try {
      const reply = await complete(request);
      kept.push(request.label);
      return reply;
    } catch (error) {
      if (error instanceof NotCached) missing.push(request.label);
      throw error;
    }
  };
  try {
    await condense.run(source, params, { ...rest, complete: noting });
    return { blocks: points.length, kept: countKinds([]), missing: countKinds([]), unjudged: new Set() }; // written or rejected, without a call
  } catch (error) {
    if (!(error instanceof NotCached)) throw error;
  }
  const unwritten = missing.filter((label) => !isOf(label, "judge")).map(cutIn);
  if (unwritten.length === 0)
    return { blocks: points.length, kept: countKinds([]), missing: countKinds(missing), unjudged: new Set(missing.map(cutIn)) };
  const cut = Math.min(...unwritten);
  return {
    blocks: points.filter((point) => point.cut < cut).length,
    kept: countKinds(kept.filter((label) => cutIn(label) === cut)),
    missing: countKinds(missing),
    unjudged: new Set(points.map((point) => point.cut)),
  };
}

/** The backbone of a place where no reply was ever kept. */
const nothingCached: Ports["complete"] = ({ label }) => Promise.reject(new NotCached(label));

/** What is left of the calls of the block that the cache has in part. */
const shareLeft = (expected: number, kept: number, missing: number): number =>
  expected === 0 ? 0 : Math.min(1, Math.max(missing, expected - kept) / expected);

/** Adds up what the blocks of many records need. */
class CondenseNeed {
  private readonly units = { missing: 0, cached: 0, certain: 0 };
  private readonly calls = { expected: 0, atMost: 0 };
  private readonly prompt = { expected: 0, atMost: 0 };
  private readonly reply = { expected: 0, atMost: 0 };

  add(blocks: readonly ExpectedBlock[], known: Reached): void {
    this.units.missing += blocks.length;
    const unjudged = blocks.filter(({ cut, judge }) => judge.calls.atMost > 0 && known.unjudged.has(cut));
    this.units.cached += blocks.slice(0, known.blocks).filter((block) => !unjudged.includes(block)).length;
    this.units.certain += known.missing.memory + known.missing.thought + known.missing.judge;
    for (const { judge } of unjudged) this.addCalls(judge, 1);
    for (const [index, block] of blocks.slice(known.blocks).entries())
      for (const kind of ["memory", "thought"] as const) {
        const expected = block[kind].calls.expected;
        this.addCalls(block[kind], index === 0 ? shareLeft(expected, known.kept[kind], known.missing[kind]) : 1);
      }
  }

  private addCalls({ calls, prompt, reply }: ExpectedCalls, share: number): void {
    this.calls.expected += Math.round(share * calls.expected);
    this.calls.atMost += calls.atMost;
    this.prompt.expected += share * prompt.expected;
    this.prompt.atMost += prompt.atMost;
    this.reply.expected += share * reply.expected;
    this.reply.atMost += reply.atMost;
  }

  need(unknownRows: number, concurrency: number, judge: boolean): Need {
    const { missing, cached, certain } = this.units;
    return {
      units: { of: "block", missing, cached, unknownRows },
      calls: { certain, ...this.calls },
      promptTokens: this.prompt,
      replyTokens: this.reply,
      concurrency,
      assumptions: [
        "every memory has its target size m(a); reasoning that a model writes beside it is not counted",
        "a further attempt is asked like the first: the words about what was wrong are not counted",
        ...(judge ? ["a second opinion names one thing; where the request does not fit the window there is none"] : []),
        "tokens as our tokenizer counts them, with room for a JSON schema",
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
  if (!asksModel(settled)) return { rows: await missingRows(place, "condense", shards, unsettled), model: null };
  const params = CondenseParams.parse(stepKey("condense", settled).params);
  const { countTokens } = await openTokenizer(settled.tokenizer);
  const complete = (hasEndpoint(settled.endpoint) ? await openCachedReplies(settled.endpoint, place.cacheFolder) : null) ?? nothingCached;
  const sum = new CondenseNeed();
  place.progress.start("plan 3-condense", await recordsIn(place, shards));
  const rows = await missingRows(place, "condense", shards, unsettled, async (joined) => {
    const record = sourceOf(joined);
    place.progress.step();
    if (record === null || record.detection.points.length === 0) return;
    const blocks = expectedBlocks(record.trajectory, record.detection, params, countTokens);
    if (blocks === null) return;
    sum.add(blocks, await reached(record, params, complete, { countTokens, digest: sha256, evaluationSets: evaluationPort(settled) }));
  }).finally(() => place.progress.end());
  if (rows.toMake === null || rows.toMake === 0) return { rows, model: null };
  return {
    rows,
    model: await priced(place, Object.values(labels), sum.need(rows.waiting, settled.endpoint.concurrency, params.condense.judge)),
  };
}
