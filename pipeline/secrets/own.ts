import type { ScrubRecipe } from "../../schemas/recipe/generate.ts";
import type { SecretOptions } from "../../stages/lib/secrets/find-secrets.ts";
import { minOwnLength, ownForms, secretVariables } from "../../stages/lib/secrets/own-values.ts";

/** One list per set of values: what searches for them is kept by list. */
const known = new Map<string, readonly string[]>();

/**
 * This process's own secrets in every form they may take: the endpoint's key, and variables whose name says so. In no key and no message, so a
 * row that holds one differs from machine to machine.
 */
export function ownSecrets(apiKey: string | null, env: Readonly<Record<string, string | undefined>> = process.env): readonly string[] {
  const values = [...new Set([...(apiKey !== null && apiKey.length >= minOwnLength ? [apiKey] : []), ...secretVariables(env)])].sort();
  const name = JSON.stringify(values);
  const forms = known.get(name) ?? ownForms(values);
  known.set(name, forms);
  return forms;
}

/** What the recipe asks for, with one's own secrets, which are always replaced. */
export const scrubOptions = ({ secrets, personal }: ScrubRecipe, apiKey: string | null): SecretOptions => ({
  secrets,
  personal,
  own: ownSecrets(apiKey),
});
