import { basename, resolve } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import type { TokenizerRecipe } from "../../schemas/recipe/tokenizer.ts";
import { chatTemplate } from "./chat-template.ts";
import type { LocalRecipe, ModelTokenizer } from "./local-model.ts";
import { loadTokenizer, tokenizerDigest } from "./tokenizer.ts";

/** Which tokenizer and template a run counts with; plain data, so that worker threads can open it, too. */
export interface TokenizerChoice {
  readonly name: string;
  /** Of all that counts depend on. Counts with the same digest can be compared. */
  readonly digest: string;
  /** null: the built-in one. */
  readonly local: LocalRecipe | null;
}

const builtIn = "qwen2.5";

const isLocal = (recipe: TokenizerRecipe): recipe is LocalRecipe => recipe.folder !== null;

/** A model's own tokenizer and template are two libraries, loaded where a recipe names a folder. */
const localModel = async (recipe: LocalRecipe) => (await import("./local-model.ts")).openLocalModel(recipe);

/** Says by name what is wrong with a folder before anything is made with it. */
export async function chooseTokenizer(recipe: TokenizerRecipe): Promise<TokenizerChoice> {
  if (isLocal(recipe)) return { name: basename(resolve(recipe.folder)), digest: (await localModel(recipe)).digest, local: recipe };
  if (recipe.template === null) return { name: builtIn, digest: tokenizerDigest(builtIn), local: null };
  throw new Fault(
    "RECIPE_INVALID",
    "stop",
    "expected tokenizer.folder beside tokenizer.template, got null; set it to the folder with the model's tokenizer.json",
  );
}

/** The thread's one tokenizer of that choice; vocabularies are loaded at the first count. */
export async function openTokenizer({ local }: TokenizerChoice): Promise<ModelTokenizer> {
  if (local !== null) return (await localModel(local)).tokenizer;
  return {
    countTokens: (text) => loadTokenizer(builtIn).count(text),
    encode: (text) => loadTokenizer(builtIn).encode(text),
    renderChat: null,
    template: () => chatTemplate(builtIn),
  };
}
