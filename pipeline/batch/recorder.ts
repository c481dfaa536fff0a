import { Completion, type Reply } from "../../schemas/completion.ts";
import { Fault } from "../../schemas/fault.ts";
import { costOf } from "../llm/budget.ts";
import { estimatedTokens } from "../llm/client.ts";
import type { EndpointSettings } from "../llm/endpoint.ts";
import { hider, withoutOwn } from "../llm/hide-own.ts";
import type { Ledger } from "../llm/ledger.ts";
import { type Memo, negotiated } from "../llm/negotiate.ts";
import type { Replies } from "../llm/replies.ts";
import { completionsPath, type WireRequest } from "../llm/request.ts";
import { ownSecrets } from "../secrets/own.ts";
import { batchId, type WaveDraft, type Waves } from "./waves.ts";

/** Answers from the reply cache; what is not there is written down for an offline batch, and the record waits for its results. */
export interface Recorder {
  complete(request: Completion): Promise<Reply>;
  readonly written: { requests: number; bytes: number; tokensIn: number; mostTokensOut: number };
}

export interface RecorderParts {
  readonly settings: EndpointSettings;
  readonly replies: Replies;
  readonly ledger: Ledger;
  readonly memo: Memo;
  readonly waves: Waves;
  readonly draft: WaveDraft;
  countTokens(text: string): number;
}

/** The line of OpenAI's Batch API and `vllm run-batch`. A batch is never streamed, and OpenAI refuses the field. */
function lineOf(id: string, wire: WireRequest): string {
  const { stream: _, stream_options: __, ...body } = wire.body as Record<string, unknown>;
  return JSON.stringify({ custom_id: id, method: "POST", url: `/v1${completionsPath}`, body });
}

export function createRecorder(parts: RecorderParts): Recorder {
  const { settings, replies, memo, waves, draft } = parts;
  const written = { requests: 0, bytes: 0, tokensIn: 0, mostTokensOut: 0 };
  const asked = new Set<string>();

  function checkBudget(tokensIn: number, tokensOut: number): void {
    const { tokens, money } = settings.budget;
    const spent = parts.ledger.totals();
    const all = { tokensIn: written.tokensIn + tokensIn, tokensOut: written.mostTokensOut + tokensOut };
    const cost = (spent.cost?.amount ?? 0) + (costOf(settings, all.tokensIn, all.tokensOut)?.amount ?? 0);
    const over =
      tokens !== null && spent.tokensIn + spent.tokensOut + all.tokensIn + all.tokensOut > tokens
        ? `${spent.tokensIn + spent.tokensOut} of ${tokens} tokens are spent and this wave may take more than the rest`
        : money !== null && cost > money
          ? `this wave may bring the cost to ${cost.toFixed(4)} of ${money} ${settings.budget.currency}`
          : null;
    if (over !== null)
      throw new Fault("BUDGET_SPENT", "stop", `${over}; no file was written. Raise llm.budget, or take fewer records (--shards)`);
  }

  async function record(wire: WireRequest): Promise<void> {
    if (asked.has(wire.key)) return;
    asked.add(wire.key);
    const id = batchId(draft.wave, wire.key);
    const promptTokens = estimatedTokens(wire, parts.countTokens);
    checkBudget(promptTokens, wire.request.maxTokens);
    const line = lineOf(id, wire);
    written.requests += 1;
    written.bytes += Buffer.byteLength(line) + 1;
    written.tokensIn += promptTokens;
    written.mostTokensOut += wire.request.maxTokens;
    const withTools = wire.body["tools"] !== undefined;
    const { label } = wire.request;
    const structured = wire.request.structure != null;
    const { transport } = wire;
    await draft.add({ id, key: wire.key, label, model: settings.model, transport, structured, withTools, promptTokens }, line);
  }

  async function answer(wire: WireRequest): Promise<Reply> {
    const known = await replies.get(wire.key);
    if (known !== null) return { ...known, cached: true };
    if (waves.refused.has(wire.key))
      throw new Fault("REQUEST_REFUSED", "skip", `the server refused the request for ${wire.request.label} in an earlier batch`);
    await record(wire);
    throw new Fault(
      "BATCH_WAITING",
      "skip",
      `${wire.request.label} waits for the results of a batch file; read them with: catgen batch read`,
    );
  }
  const complete = negotiated({ settings, memo, trustMemo: true, kept: (wire) => replies.get(wire.key), answer });
  const hide = hider(ownSecrets(settings.apiKey));
  return { complete: (request) => complete(withoutOwn(Completion.parse(request), hide)), written };
}
