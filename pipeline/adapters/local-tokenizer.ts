import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { TokenizerLoader } from "@lenml/tokenizers";
import { z } from "zod";
import { Fault } from "../../schemas/fault.ts";
import type { TokenizerRecipe } from "../../schemas/recipe/tokenizer.ts";
import { BytePairEncoder } from "./byte-pair/encoder.ts";
import type { TemplateTokens } from "./chat-renderer.ts";

const AddedToken = z.object({
  content: z.string(),
  id: z.int(),
  single_word: z.boolean().default(false),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
});
const TokenizerFile = z.looseObject({
  added_tokens: z.array(AddedToken).default([]),
  normalizer: z.unknown(),
  pre_tokenizer: z.unknown(),
  model: z.looseObject({ type: z.string().optional(), ignore_merges: z.boolean().optional() }),
});
type TokenizerFile = z.infer<typeof TokenizerFile>;

const Named = z.union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)]).nullish();
const ConfigFile = z.looseObject({
  chat_template: z.union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))]).nullish(),
  bos_token: Named,
  eos_token: Named,
});

/** What a model's folder says of its tokenizer. */
export interface LocalTokenizer {
  readonly file: TokenizerFile;
  readonly config: z.infer<typeof ConfigFile>;
  readonly template: string;
  readonly tokens: TemplateTokens;
  readonly controlTexts: readonly string[];
  /** Of both files' text: what counts and texts depend on. Not of where they lie. */
  readonly digest: string;
  /** For messages. */
  readonly where: string;
}

const invalid = (message: string, cause?: unknown): Fault => new Fault("RECIPE_INVALID", "stop", message, { cause });

function textAt(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault("INPUT_MISSING", "stop", `expected ${what} at ${path}, could not read it; set tokenizer.folder to a model's folder`, {
      cause,
    });
  }
}

function textIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null; // optional files: what is missing in the end is told by name
  }
}

function parsed<T>(schema: z.ZodType<T>, text: string, path: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `${cause.issues[0]?.path.join(".")}: ${cause.issues[0]?.message}` : String(cause);
    throw invalid(
      `expected a Hugging Face tokenizer file at ${path}, got something else (${why}); download the model's folder again`,
      cause,
    );
  }
}

/** The template named `default` where there are several, as transformers takes it. */
function templateIn({ chat_template: own }: z.infer<typeof ConfigFile>): string | null {
  if (typeof own === "string" || own == null) return own ?? null;
  return own.find(({ name }) => name === "default")?.template ?? null;
}

/** Reads a model's folder. Paths are taken from the working directory. */
export function readLocalTokenizer(recipe: TokenizerRecipe & { readonly folder: string }): LocalTokenizer {
  const folder = resolve(recipe.folder);
  const path = join(folder, "tokenizer.json");
  const text = textAt(path, "tokenizer.json");
  const file = parsed(TokenizerFile, text, path);
  const configPath = join(folder, "tokenizer_config.json");
  const configText = textIfThere(configPath) ?? "{}";
  const config = parsed(ConfigFile, configText, configPath);
  const template =
    recipe.template === null
      ? (textIfThere(join(folder, "chat_template.jinja")) ?? templateIn(config))
      : textAt(resolve(recipe.template), "a chat template");
  if (template === null)
    throw invalid(
      `expected a chat template in ${folder} (chat_template of tokenizer_config.json, or chat_template.jinja), found none: is it a base model? Name a file with tokenizer.template`,
    );
  const tokens = { bos: config.bos_token ?? "", eos: config.eos_token ?? "" };
  const digest = createHash("sha256")
    .update(JSON.stringify([text, template, tokens]))
    .digest("hex");
  return { file, config, template, tokens, controlTexts: file.added_tokens.map(({ content }) => content), digest, where: folder };
}

/** The pattern of Qwen2, 2.5 and 3. */
const qwenPattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
/** Llama 3's, which takes digits by three. */
const llamaPattern = qwenPattern.replace("|\\p{N}|", "|\\p{N}{1,3}|");
const preTokenizer = (pattern: string) =>
  z.object({
    type: z.literal("Sequence"),
    pretokenizers: z.tuple([
      z.object({ type: z.literal("Split"), pattern: z.object({ Regex: z.literal(pattern) }), behavior: z.literal("Isolated") }),
      z.object({ type: z.literal("ByteLevel"), add_prefix_space: z.literal(false), use_regex: z.literal(false) }),
    ]),
  });
const families = {
  qwen: { preTokenizer: preTokenizer(qwenPattern), normalizer: z.object({ type: z.literal("NFC") }), takesWhole: false },
  llama: { preTokenizer: preTokenizer(llamaPattern), normalizer: z.null(), takesWhole: true },
} as const;
const BytePairFile = z.object({
  type: z.literal("BPE"),
  vocab: z.record(z.string(), z.int()),
  merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
  ignore_merges: z.boolean().default(false),
});

/** Our own encoder where it knows the family and the file keeps to its habits; null elsewhere. */
function ownEncoder(file: TokenizerFile): BytePairEncoder | null {
  const model = BytePairFile.safeParse(file.model).data;
  if (model === undefined || file.added_tokens.some(({ single_word, lstrip, rstrip }) => single_word || lstrip || rstrip)) return null;
  const family = Object.entries(families).find(
    ([, { preTokenizer: pieces, normalizer, takesWhole }]) =>
      takesWhole === model.ignore_merges &&
      pieces.safeParse(file.pre_tokenizer).success &&
      normalizer.safeParse(file.normalizer ?? null).success,
  )?.[0];
  if (family === undefined) return null;
  const { vocab, merges } = model;
  try {
    return new BytePairEncoder({ vocab, merges, controlTokens: file.added_tokens, likeLlama: family === "llama" });
  } catch {
    return null; // merges in an order of their own: the general tokenizer takes any
  }
}

export interface Encoding {
  count(text: string): number;
  encode(text: string): ArrayLike<number>;
}

/**
 * Our own encoder for the Qwen and Llama 3 families; `@lenml/tokenizers` for all others, exact, too, but several times slower, and its time
 * grows with the square of a word without white space (10 s for 200,000 letters).
 */
export function encodingOf({ file, config, where }: LocalTokenizer): Encoding {
  const own = ownEncoder(file);
  if (own !== null) return { count: (text) => own.count(text), encode: (text) => own.encode(text) };
  try {
    const general = TokenizerLoader.fromPreTrained({ tokenizerJSON: file as never, tokenizerConfig: config as never });
    const encode = (text: string): number[] => general.encode(text, { add_special_tokens: false });
    return { count: (text) => (text === "" ? 0 : encode(text).length), encode: (text) => (text === "" ? [] : encode(text)) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw invalid(
      `expected in ${where} a tokenizer of a known kind (BPE, Unigram, WordPiece), got ${file.model.type ?? "one that names none"} (${why}); convert it to a Hugging Face fast tokenizer`,
      cause,
    );
  }
}
