import { backoffMs, retryAfterMs, type World } from "../llm/retry.ts";

export interface RetryOptions {
  readonly world: World;
  readonly signal: AbortSignal;
  /** Bytes of uploads as they leave; negative where an upload has to begin anew. */
  readonly onBytes: (bytes: number) => void;
  /** Told before each pause. */
  readonly say: (line: string) => void;
  readonly attempts?: number;
  /** Nothing goes out and nothing comes in for so long: the connection is taken for dead. */
  readonly idleMs?: number;
}

/** With pauses of up to a minute each this is a good quarter of an hour: longer than a restart of the hub, short enough to notice. */
const defaultAttempts = 20;

/** As long as the platform itself waits for the head of an answer. While a body goes out it does not count at all. */
const defaultIdleMs = 300_000;

/** 408 and 425 ask for another try by their meaning, 429 for a later one; 5xx but 501 and 505 are breakages that pass. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** A file on its way, counted as it is read. What sends it asks for `size` and `stream` alone, so that it is never held whole. */
function counted(file: Blob, onBytes: (bytes: number) => void): Blob {
  const counting = (): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> =>
    new TransformStream({
      transform(chunk, controller) {
        onBytes(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
  return Object.defineProperties(new Blob([]), {
    size: { get: () => file.size },
    stream: { value: () => file.stream().pipeThrough(counting()) },
  });
}

/** When the hub says to come again: `retry-after`, else the `t=` (seconds until the quota is new) of its `ratelimit` header. */
function askedMs(headers: Headers, now: number): number | null {
  const asked = retryAfterMs(headers, now);
  if (asked !== null) return asked;
  const seconds = /(?:^|[;,\s])t=(\d{1,6})/.exec(headers.get("ratelimit") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

const whyBroken = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return `${cause instanceof Error ? cause.message : String(cause)}${code}`;
};

type Tried = { readonly answer: Response } | { readonly broke: unknown };

/** One try. What is counted of it stays counted only where it was answered well. */
async function once(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  onBytes: (bytes: number) => void,
  idleMs: number,
): Promise<Tried> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(new Error(`nothing moved for ${idleMs / 1000} s`)), idleMs);
  let sent = 0;
  let open = true; // what is read ahead of a broken connection comes late, and was never sent
  const count = (bytes: number): void => {
    if (!open) return;
    timer.refresh();
    sent += bytes;
    onBytes(bytes);
  };
  const body = init.method === "PUT" && init.body instanceof Blob ? { body: counted(init.body, count) } : {};
  const signal = init.signal == null ? idle.signal : AbortSignal.any([init.signal, idle.signal]);
  try {
    const answer = await fetch(input, { ...init, ...body, signal });
    if (!answer.ok) onBytes(-sent);
    return { answer };
  } catch (broke) {
    onBytes(-sent);
    return { broke };
  } finally {
    open = false;
    clearTimeout(timer);
  }
}

/** `fetch` that asks again after what may pass. The last answer is returned, the last breakage thrown, as they came. */
export function retryingFetch({
  world,
  signal,
  onBytes,
  say,
  attempts = defaultAttempts,
  idleMs = defaultIdleMs,
}: RetryOptions): typeof fetch {
  return async (input, init) => {
    for (let attempt = 1; ; attempt += 1) {
      const tried = await once(input, init ?? {}, onBytes, idleMs);
      const passes = "broke" in tried ? !signal.aborted && init?.signal?.aborted !== true : passing.has(tried.answer.status);
      if (!passes || attempt >= attempts) {
        if ("broke" in tried) throw tried.broke;
        return tried.answer;
      }
      const asked = "broke" in tried ? null : askedMs(tried.answer.headers, world.now());
      const waitMs = asked ?? backoffMs(attempt, world.random);
      const why = "broke" in tried ? whyBroken(tried.broke) : `status ${tried.answer.status}`;
      if ("answer" in tried) await tried.answer.body?.cancel();
      say(`hub: ${why}; trying again in ${(waitMs / 1000).toFixed(1)} s (attempt ${attempt} of ${attempts})`);
      await world.sleep(waitMs, signal);
      signal.throwIfAborted();
    }
  };
}
