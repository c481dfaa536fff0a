import { appendFile, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openReplies } from "../../../pipeline/llm/replies.ts";
import type { KeptReply } from "../../../pipeline/llm/reply-format.ts";
import { ask, bench, tempFolder } from "./harness.ts";

const keyOf = (number: number): string => number.toString(16).padStart(64, "0");
const replyOf = (text: string): KeptReply => ({ text, reasoning: null, calls: [], model: "fake-model", tokensIn: 3, tokensOut: null });

async function filledFolder(count: number): Promise<{ folder: string; path: string }> {
  const folder = await tempFolder();
  const replies = openReplies(folder, "first");
  for (let number = 0; number < count; number += 1) await replies.put(keyOf(number), replyOf(`reply ${number}`));
  await replies.close();
  return { folder, path: join(folder, "first.jsonl") };
}

test("a paid reply is never paid twice, even when the process dies right after it arrived", async () => {
  const { server, open } = await bench();
  const first = await open();
  const reply = await first.complete(ask("hello")); // and never closed
  const second = await open();
  expect(await second.complete(ask("hello"))).toEqual({ ...reply, cached: true });
  await Promise.all([first.close(), second.close()]);
  expect(server.requests).toHaveLength(1);
});

test("any text comes back as it was, within one process and from the next", async () => {
  const folder = await tempFolder();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), fc.nat(), async (texts, base) => {
      const writer = openReplies(folder, `writer-${Math.random()}`);
      await Promise.all(texts.map((text, at) => writer.put(keyOf(base * 10 + at), replyOf(text))));
      const reader = openReplies(folder, "reader");
      for (const [at, text] of texts.entries()) {
        expect((await writer.get(keyOf(base * 10 + at)))?.text).toBe(text);
        expect(await reader.get(keyOf(base * 10 + at))).not.toBeNull();
      }
      await writer.close();
    }),
    { numRuns: 15 },
  );
});

test("lone surrogates and lines longer than a read block survive", async () => {
  const folder = await tempFolder();
  const texts = ["\ud800 alone", "x".repeat(3 << 20), "\u2028\n\r\0 ä 🐈"];
  const writer = openReplies(folder, "writer");
  await Promise.all(texts.map((text, at) => writer.put(keyOf(at), replyOf(text))));
  await writer.close();
  const reader = openReplies(folder, "reader");
  for (const [at, text] of texts.entries()) expect((await reader.get(keyOf(at)))?.text).toBe(text);
});

test("wherever the last line is torn, the lines before it are read", async () => {
  const { path, folder } = await filledFolder(3);
  const whole = await readFile(path);
  const lastLine = whole.lastIndexOf(10, whole.length - 2) + 1;
  for (let size = lastLine; size < whole.length; size += 7) {
    await writeFile(path, whole.subarray(0, size));
    const replies = openReplies(folder, "second");
    expect((await replies.get(keyOf(1)))?.text).toBe("reply 1");
    expect(await replies.get(keyOf(2))).toBeNull();
  }
});

test("a byte that changed on disk makes that reply unknown and no other", async () => {
  const { path, folder } = await filledFolder(3);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace("reply 1", "reply X"));
  const replies = openReplies(folder, "second");
  expect(await replies.get(keyOf(1))).toBeNull();
  expect((await replies.get(keyOf(0)))?.text).toBe("reply 0");
  expect((await replies.get(keyOf(2)))?.text).toBe("reply 2");
});

test("a damaged copy does not hide a whole one, whichever file comes first", async () => {
  const { path, folder } = await filledFolder(1);
  const text = await readFile(path, "utf8");
  await writeFile(join(folder, "a.jsonl"), text.replace("reply 0", "reply X"));
  await writeFile(join(folder, "z.jsonl"), text.replace("reply 0", "reply Y"));
  expect((await openReplies(folder, "second").get(keyOf(0)))?.text).toBe("reply 0");
});

test("lines that are no replies are passed over", async () => {
  const { path, folder } = await filledFolder(1);
  await appendFile(path, `\nnonsense\n{"key":"short"}\n{"key":"${keyOf(9)}"}\n`);
  const replies = openReplies(folder, "second");
  expect((await replies.get(keyOf(0)))?.text).toBe("reply 0");
  expect(await replies.get(keyOf(9))).toBeNull();
});

test("two writers share a folder without sharing a file", async () => {
  const folder = await tempFolder();
  const [one, two] = [openReplies(folder, "one"), openReplies(folder, "two")];
  await Promise.all([one.put(keyOf(1), replyOf("one")), two.put(keyOf(2), replyOf("two"))]);
  await Promise.all([one.close(), two.close()]);
  expect((await readdir(folder)).sort()).toEqual(["one.jsonl", "two.jsonl"]);
  const reader = openReplies(folder, "reader");
  expect([(await reader.get(keyOf(1)))?.text, (await reader.get(keyOf(2)))?.text]).toEqual(["one", "two"]);
});

test("a cache that is emptied while in use means misses, not faults", async () => {
  const { path, folder } = await filledFolder(1);
  const replies = openReplies(folder, "second");
  expect(await replies.get(keyOf(0))).not.toBeNull();
  await truncate(path, 0);
  expect(await replies.get(keyOf(0))).toBeNull();
});
