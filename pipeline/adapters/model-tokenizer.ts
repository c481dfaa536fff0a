import { basename, resolve } from "node:path";
import type { ChatFormat, CountTokens } from "../../schemas/chat-format.ts";
import { Fault } from "../../schemas/fault.ts";
import type { TokenizerRecipe } from "../../schemas/recipe/tokenizer.ts";
import { chatFormatOf, chatRenderer, type RenderChat } from "./chat-renderer.ts";
import { chatTemplate } from "./chat-template.ts";
import { encodingOf, readLocalTokenizer } from "./local-tokenizer.ts";
import { loadTokenizer, tokenizerDigest } from "./tokenizer.ts";

/** Which tokenizer and template a run counts with; plain data, so that worker threads can open it, too. */
export interface TokenizerChoice {
  readonly name: string;
  /** Of all that counts depend on. Counts with the same digest can be compared. */
  readonly digest: string;
  /** null: the built-in one. */
  readonly local: (TokenizerRecipe & { readonly folder: string }) | null;
}

export interface ModelTokenizer {
  readonly countTokens: CountTokens;
  encode(text: string): ArrayLike<number>;
  /** null: the built-in one, whose text ours is. */
  readonly renderChat: RenderChat | null;
  template(): Promise<string>;
}

const builtIn = "qwen2.5";

const isLocal = (recipe: TokenizerRecipe): recipe is TokenizerRecipe & { readonly folder: string } => recipe.folder !== null;

/** Says by name what is wrong with a folder before anything is made with it. */
export function chooseTokenizer(recipe: TokenizerRecipe): TokenizerChoice {
  if (isLocal(recipe)) return { name: basename(resolve(recipe.folder)), digest: opened(recipe).digest, local: recipe };
  if (recipe.template === null) return { name: builtIn, digest: tokenizerDigest(builtIn), local: null };
  throw new Fault(
    "RECIPE_INVALID",
    "stop",
    "expected tokenizer.folder beside tokenizer.template, got null; set it to the folder with the model's tokenizer.json",
  );
}

interface Opened {
  readonly digest: string;
  readonly tokenizer: ModelTokenizer;
}

function openLocal(recipe: TokenizerRecipe & { readonly folder: string }): Opened {
  const read = readLocalTokenizer(recipe);
  const render = chatRenderer(read.template, read.tokens, read.where);
  const chat: ChatFormat = chatFormatOf(render, read.controlTexts, read.where);
  let loaded: ReturnType<typeof encodingOf> | null = null;
  const encoding = (): ReturnType<typeof encodingOf> => {
    loaded ??= encodingOf(read); // seconds for a large vocabulary, and keys need none of it
    return loaded;
  };
  const countTokens = Object.assign((text: string): number => encoding().count(text), { chat });
  const tokenizer = {
    countTokens,
    encode: (text: string) => encoding().encode(text),
    renderChat: render,
    template: async () => read.template,
  };
  return { digest: read.digest, tokenizer };
}

const known = new Map<string, Opened>();

function opened(local: NonNullable<TokenizerChoice["local"]>): Opened {
  const key = JSON.stringify([local.folder, local.template]);
  const found = known.get(key) ?? openLocal(local);
  known.set(key, found);
  return found;
}

/** The thread's one tokenizer of that choice; vocabularies are loaded at the first count. */
export function openTokenizer({ local }: TokenizerChoice): ModelTokenizer {
  if (local !== null) return opened(local).tokenizer;
  return {
    countTokens: (text) => loadTokenizer(builtIn).count(text),
    encode: (text) => loadTokenizer(builtIn).encode(text),
    renderChat: null,
    template: () => chatTemplate(builtIn),
  };
}
