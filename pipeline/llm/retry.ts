import { setTimeout as timer } from "node:timers/promises";

/** What the client asks of the world besides the endpoint; tests give fakes. */
export interface World {
  /** Epoch milliseconds. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const realWorld: World = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => timer(ms, undefined, { signal }).catch(() => undefined), // woken early: whoever sleeps looks at the signal
};

const firstBackoffMs = 1_000;
const maxBackoffMs = 60_000;
/** A server that asks for more is asked again after this long. */
export const maxRetryAfterMs = 600_000;

/** Pause after attempt 1, 2, ...: doubles from 1 s to 60 s, drawn from the whole range so that workers do not retry in step. */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}

/** What `retry-after-ms` or `retry-after` (seconds or HTTP date) asks for; null when absent, past or unreadable. */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  const plain = headers.get("retry-after") ?? "";
  const asked = Number.isNaN(exact) ? secondsOrDate(plain, now) : exact;
  return Number.isFinite(asked) && asked > 0 ? Math.min(asked, maxRetryAfterMs) : null;
}

function secondsOrDate(text: string, now: number): number {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
}
