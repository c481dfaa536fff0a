import fc from "fast-check";
import { expect, test } from "vitest";
import { createLimit } from "../../../pipeline/llm/admission.ts";
import { ask, bench } from "./harness.ts";

test("places double with every round of good replies, and never pass what is allowed", () => {
  const limit = createLimit(256);
  expect(limit.now()).toBe(128);
  for (const expected of [256, 256]) {
    const round = limit.now();
    for (let reply = 0; reply < round; reply += 1) limit.answered();
    expect(limit.now()).toBe(expected);
  }
});

test("'too many' halves the places once for all attempts of that moment; afterwards a round adds one", () => {
  const limit = createLimit(64);
  const before = limit.ticket();
  for (let attempt = 0; attempt < 40; attempt += 1) limit.overloaded(before);
  expect(limit.now()).toBe(32);
  limit.overloaded(limit.ticket());
  expect(limit.now()).toBe(16);
  for (let reply = 0; reply < 17; reply += 1) limit.answered();
  expect(limit.now()).toBe(17);
});

test("whatever comes, there is at least one place and never more than allowed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.boolean(), { maxLength: 500 }), (most, good) => {
      const limit = createLimit(most);
      for (const one of good) {
        if (one) limit.answered();
        else limit.overloaded(limit.ticket());
        expect(limit.now()).toBeGreaterThanOrEqual(1);
        expect(limit.now()).toBeLessThanOrEqual(most);
      }
    }),
    { seed: 31 },
  );
});

test("an endpoint that bears only a few calls at a time is soon asked only a few at a time, and everything is answered", async () => {
  const bears = 5;
  let inFlight = 0;
  let told = 0;
  const { open, server } = await bench({
    delayMs: 5,
    fault: () => {
      inFlight += 1;
      setTimeout(() => {
        inFlight -= 1;
      }, 4);
      if (inFlight <= bears) return null;
      told += 1;
      return { kind: "status", status: 429 };
    },
  });
  const backbone = await open({ concurrency: 40, maxAttempts: 100 });
  await Promise.all(Array.from({ length: 200 }, (_, index) => backbone.complete(ask(`call ${index}`))));
  expect(backbone.placesNow()).toBeLessThan(20);
  await backbone.close();
  expect(server.requests).toHaveLength(200 + told);
  expect(told).toBeLessThan(200); // without the limit, nearly every attempt of 40 at once would be told so
});
