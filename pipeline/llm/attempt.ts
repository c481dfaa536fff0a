import type { FaultCode, Remedy } from "../../schemas/fault.ts";
import type { CallOutcome } from "./ledger.ts";
import { type KeptReply, readReply, type Usage } from "./reply-format.ts";
import { retryAfterMs, type World } from "./retry.ts";
import type { Transport, WireFailure, WireReply } from "./transport.ts";

export type FailedOutcome = Exclude<CallOutcome, "answered" | "cached">;

/** How one attempt ended. */
export type Attempt = {
  readonly status: number | null;
  readonly usage: Usage;
  /** Asked for by the server, ms; null when it did not. */
  readonly retryAfterMs: number | null;
} & (
  | { readonly outcome: "answered"; readonly reply: KeptReply }
  /** `detail` is others' text: redact it before it goes anywhere. */
  | { readonly outcome: FailedOutcome; readonly detail: string }
);

interface Consequence {
  /** Another attempt may go better. */
  readonly again: boolean;
  /** Says something about the way to the endpoint, not about this request. */
  readonly transport: boolean;
  /** The endpoint may have worked, so it may bill. */
  readonly mayBill: boolean;
  /** When no attempt is left. */
  readonly code: FaultCode;
  readonly remedy: Remedy;
}

const wayBroken = { again: true, transport: true, code: "ENDPOINT_UNREACHABLE", remedy: "retry" } as const;
const replyUnusable = { again: true, transport: false, mayBill: true, code: "REPLY_INVALID", remedy: "skip" } as const;
const final = { again: false, transport: false, mayBill: false } as const;

export const consequences: Readonly<Record<FailedOutcome, Consequence>> = {
  unreachable: { ...wayBroken, mayBill: false },
  "broken-off": { ...wayBroken, mayBill: true },
  "timed-out": { ...wayBroken, mayBill: true },
  "rate-limited": { ...wayBroken, mayBill: false },
  unavailable: { ...wayBroken, mayBill: false },
  aborted: { ...final, again: true, mayBill: true, code: "DRAINED", remedy: "stop" }, // "again" is then refused with why it was cut off
  unauthorised: { ...final, code: "ENDPOINT_AUTH", remedy: "stop" },
  "no-quota": { ...final, code: "BUDGET_SPENT", remedy: "stop" },
  refused: { ...final, code: "REQUEST_REFUSED", remedy: "skip" },
  "not-a-completion": replyUnusable,
  truncated: replyUnusable,
  filtered: replyUnusable,
  "too-large": replyUnusable,
  "wrong-model": replyUnusable,
};

/** Sends once, within `timeoutMs`. `hardSignal` cuts it short. */
export async function attemptOnce(
  transport: Transport,
  body: Readonly<Record<string, unknown>>,
  {
    timeoutMs,
    hardSignal,
    world,
    structured,
  }: {
    timeoutMs: number;
    hardSignal: AbortSignal;
    world: World /** The body asks for an object, which not every endpoint can give. */;
    structured: boolean;
  },
): Promise<Attempt> {
  const controller = new AbortController(); // one per attempt: the client never takes its listener off again
  const abort = (): void => controller.abort();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort();
  }, timeoutMs);
  hardSignal.addEventListener("abort", abort, { once: true });
  if (hardSignal.aborted) abort();
  try {
    const reply = await transport.send(body, controller.signal);
    if (reply.kind === "failed" && timedOut) return failed("timed-out", `no complete reply within ${timeoutMs} ms`);
    return attemptOf(reply, body, world.now(), structured);
  } finally {
    clearTimeout(timer);
    hardSignal.removeEventListener("abort", abort);
  }
}

/** What came, read: by the wire, or out of a file of batch results. */
export function attemptOf(wire: WireReply, body: Readonly<Record<string, unknown>>, now: number, structured: boolean): Attempt {
  if (wire.kind === "failed") return failed(wireOutcomes[wire.failure], wire.detail);
  if (wire.kind === "refused") {
    const outcome = outcomeOfStatus(wire.status, wire.code, structured);
    return { outcome, status: wire.status, usage: noUsage, retryAfterMs: retryAfterMs(wire.headers, now), detail: wire.detail };
  }
  const { kind, ...read } = readReply(wire.text, String(body["model"]), body["tools"] !== undefined);
  return { outcome: kind, status: wire.status, retryAfterMs: null, ...read } as Attempt;
}

const noUsage: Usage = { tokensIn: null, tokensOut: null };
const failed = (outcome: FailedOutcome, detail: string): Attempt => ({ outcome, status: null, usage: noUsage, retryAfterMs: null, detail });

const wireOutcomes: Readonly<Record<WireFailure, FailedOutcome>> = {
  unreachable: "unreachable",
  "broken-off": "broken-off",
  stalled: "timed-out",
  "too-large": "too-large",
  aborted: "aborted",
};

/**
 * 4xx that are about key, path or model name (redirects too) stop the run; the rest of 4xx is about this request. So is 404 where an
 * object is asked for: gateways answer it when none of their models can (OpenRouter, "No endpoints found that support tool use").
 */
function outcomeOfStatus(status: number, code: string | null, structured: boolean): FailedOutcome {
  if (status === 402 || code === "insufficient_quota") return "no-quota";
  if (status === 429) return "rate-limited";
  if ([408, 409, 425].includes(status) || status >= 500) return "unavailable";
  if (status === 404 && structured) return "refused";
  if (status < 400 || [401, 403, 404, 405].includes(status)) return "unauthorised";
  return "refused";
}
