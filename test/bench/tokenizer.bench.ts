/**
 * Speed of our token counting against Hugging Face's `tokenizers`, on one thread over the texts of real trajectories:
 *
 *     npx tsx test/bench/tokenizer.bench.ts [folder of JSON files] [million characters]
 *
 * Passes alternate, and each begins with a new encoder, so that no cache is warm.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Tokenizer } from "tokenizers";
import { createTokenizer } from "../../pipeline/adapters/tokenizer.ts";
import { fixed, guard, machine, median, print, vocabulary } from "./lib.ts";

const passes = 5;
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../shared/trajectories"));
const characterLimit = Number(process.argv[3] ?? 8) * 1e6;

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
  const reference = Tokenizer.fromFile(vocabulary());
  runs.reference.push(
    await timed(async () => {
      let tokens = 0;
      for (const text of texts) tokens += (await reference.encode(text)).getLength();
      return tokens;
    }),
  );
}

console.log(`${machine()}\n${texts.length} texts, ${fixed(megabytes)} MB, one thread, median of ${passes}\n`);
const rate = (who: keyof typeof runs): number => megabytes / median(runs[who].map((result) => result.seconds));
const row = (label: string, who: keyof typeof runs): (string | number)[] => [label, fixed(rate(who)), runs[who][0]?.tokens ?? 0];
print(["", "MB/s", "tokens"], [row("catgen: count", "ours"), row("Hugging Face tokenizers (Rust): encode", "reference")]);
console.log();
if (runs.ours[0]?.tokens !== runs.reference[0]?.tokens) throw new Error("the two count different tokens");
guard("token counting against Hugging Face tokenizers, one thread", rate("ours") / rate("reference"), 10);
