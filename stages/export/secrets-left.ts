import { findSecrets } from "../lib/secrets/find-secrets.ts";

const nothing: readonly string[] = [];

/**
 * Types of the secrets in a text, each once; those allowed left out. Texts are remembered: a trajectory's samples repeat most of each other's
 * messages. Personal data is no matter of the gate: what of it goes is decided at import.
 */
export function secretsLeft(own: readonly string[], allowed: readonly string[]): (text: string) => readonly string[] {
  const options = { secrets: true, personal: [], own };
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = findSecrets(text, options);
    const types = found.length === 0 ? nothing : [...new Set(found.map(({ type }) => type))].filter((type) => !allowed.includes(type));
    known.set(text, types);
    return types;
  };
}
