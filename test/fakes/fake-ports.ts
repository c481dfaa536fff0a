import { createHash } from "node:crypto";
import { loadTokenizer } from "../../pipeline/adapters/tokenizer.ts";
import type { Completion, Reply } from "../../schemas/completion.ts";
import { Fault } from "../../schemas/fault.ts";
import { noEvaluationSets } from "../../stages/lib/contamination/contamination.ts";
import type { Ports } from "../../stages/stage.ts";

/** The tokenizer of the model, for tests in which a token more or less matters. */
export const exactTokens = (text: string): number => loadTokenizer("qwen2.5").count(text);

/** Its ids. */
export const exactIds = (text: string): Int32Array => loadTokenizer("qwen2.5").encode(text);

/** Four characters a token: for tests in which only the order of magnitude matters. */
export const roughTokens = (text: string): number => Math.ceil(text.length / 4);

export const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

/** What the backbone says: its text, or more of a reply; an error is thrown. */
export type Said = string | Error | Partial<Reply>;
/** What it says in order. A function sees the request and how many came before. */
export type Script = readonly Said[] | ((request: Completion, index: number) => Said);

export interface FakePorts extends Ports {
  /** Every request so far, in order. */
  readonly requests: readonly Completion[];
}

/** A small world: scripted replies, real digests, tokens by `countTokens`. Asking for more replies than are scripted is a `Fault`. */
export function fakePorts(script: Script = [], countTokens: Ports["countTokens"] = roughTokens): FakePorts {
  const requests: Completion[] = [];
  const next = (request: Completion): Said | undefined =>
    typeof script === "function" ? script(request, requests.length) : script[requests.length];
  return {
    requests,
    countTokens,
    digest: sha256,
    evaluationSets: async () => noEvaluationSets,
    complete: async (request) => {
      const said = next(request);
      requests.push(request);
      if (said === undefined)
        throw new Fault("ENDPOINT_UNREACHABLE", "retry", `no reply is scripted for request ${requests.length} (${request.label})`);
      if (said instanceof Error) throw said;
      const reply = typeof said === "string" ? { text: said } : said;
      return { text: "", reasoning: null, calls: [], model: "scripted", tokensIn: null, tokensOut: null, cached: false, ...reply };
    },
  };
}
