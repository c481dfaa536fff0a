import { expect, test } from "vitest";
import type { EndpointSettings } from "../../../pipeline/llm/endpoint.ts";
import { wireRequest } from "../../../pipeline/llm/request.ts";
import type { Completion } from "../../../schemas/completion.ts";
import { ask, settingsFor } from "./harness.ts";

const base = settingsFor("http://127.0.0.1:8000/v1");
const keyWith = (settings: Partial<EndpointSettings>, request: Partial<Completion> = {}): string =>
  wireRequest({ ...base, ...settings }, ask("hello", request)).key;

test("each thing that shapes the reply changes the key, and no two change it to the same", () => {
  const keys = [
    keyWith({}),
    keyWith({ baseUrl: "http://127.0.0.1:8001/v1" }),
    keyWith({ baseUrl: "http://127.0.0.1:8000/v2" }),
    keyWith({ model: "other" }),
    keyWith({ temperature: 0.5 }),
    keyWith({ topP: 0.9 }),
    keyWith({ seed: 1 }),
    keyWith({ seed: 2 }),
    keyWith({ extraBody: { chat_template_kwargs: { enable_thinking: false } } }),
    keyWith({ extraBody: { temperature: null } }),
    keyWith({ replyLimitField: "max_completion_tokens" }),
    keyWith({}, { maxTokens: 101 }),
    keyWith({}, { sampleIndex: 1 }),
    keyWith({}, { temperature: 0.3 }),
    keyWith({}, { messages: [{ role: "user", content: "hello " }] }),
    keyWith({}, { messages: [{ role: "system", content: "hello" }] }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

test("what does not shape the reply changes no key", () => {
  const same: Partial<EndpointSettings>[] = [
    { apiKey: null },
    { concurrency: 99 },
    { maxAttempts: 9 },
    { timeoutMs: 1 },
    { idleTimeoutMs: 1 },
    { budget: { tokens: 1, money: null, currency: "EUR" } },
    { price: { inputPerMillion: 1, outputPerMillion: 2 } },
    { baseUrl: "http://127.0.0.1:8000/v1/" },
    { baseUrl: " HTTP://127.0.0.1:8000/v1/chat/completions" },
  ];
  for (const change of same) expect(keyWith(change)).toBe(keyWith({}));
  expect(keyWith({}, { label: "other" })).toBe(keyWith({}));
});

test("the key of a fixed request is fixed: a change forgets every reply already paid for", () => {
  expect(keyWith({})).toBe("592e4f87d6ea6fe413c38d428fcc702ee132e44d6525198b888aa23ea32ff22b");
});

test("the body holds messages, model and limit whatever extraBody says, and null removes a field", () => {
  const { body } = wireRequest({ ...base, topP: 0.9, extraBody: { temperature: null, model: "no", top_k: 5 } }, ask("hello"));
  expect(body).toEqual({
    model: "fake-model",
    messages: [{ role: "user", content: "hello" }],
    max_tokens: 100,
    top_p: 0.9,
    top_k: 5,
    stream: false,
  });
});

test("each sample of a seeded request gets its own seed", () => {
  const seeds = [0, 1, 2].map((sampleIndex) => wireRequest({ ...base, seed: 7 }, ask("hello", { sampleIndex })).body["seed"]);
  expect(seeds).toEqual([7, 8, 9]);
});
