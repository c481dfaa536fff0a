import type { ChatFormat, CountTokens } from "../../schemas/chat-format.ts";
import type { TokenizerRecipe } from "../../schemas/recipe/tokenizer.ts";
import { chatFormatOf, chatRenderer, type RenderChat } from "./chat-renderer.ts";
import { encodingOf, readLocalTokenizer } from "./local-tokenizer.ts";

export type LocalRecipe = TokenizerRecipe & { readonly folder: string };

export interface ModelTokenizer {
  readonly countTokens: CountTokens;
  encode(text: string): ArrayLike<number>;
  /** null: the built-in one, whose text ours is. */
  readonly renderChat: RenderChat | null;
  template(): Promise<string>;
}

export interface LocalModel {
  readonly digest: string;
  readonly tokenizer: ModelTokenizer;
}

function readModel(recipe: LocalRecipe): LocalModel {
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

const known = new Map<string, LocalModel>();

/** The thread's one of that folder and template. */
export function openLocalModel(local: LocalRecipe): LocalModel {
  const key = JSON.stringify([local.folder, local.template]);
  const found = known.get(key) ?? readModel(local);
  known.set(key, found);
  return found;
}
