import type { ScanHit } from "../../schemas/scan.ts";
import { findSecrets, memberSecret, type SecretOptions } from "../../stages/lib/secrets/find-secrets.ts";
import type { Found } from "../../stages/lib/secrets/ranges.ts";

export type Hit = Omit<ScanHit, "file">;

/** Enough to find the place by, too little to use. */
export const excerptOf = (value: string): string => `${value.slice(0, 4).replace(/\s/g, " ")}... (${value.length} characters)`;

const hitOf = ({ kind, type }: Found, place: string, value: string): Hit => ({ kind, type, place, excerpt: excerptOf(value) });

/** Secrets in a text, with their lines; the first is `firstLine`, counted from 1. Only those that begin under `until`. */
export function textHits(text: string, options: SecretOptions, firstLine = 1, until = text.length): Hit[] {
  const hits: Hit[] = [];
  let line = firstLine;
  let counted = 0;
  for (const found of findSecrets(text, options)) {
    if (found.start >= until) break;
    for (let at = text.indexOf("\n", counted); at >= 0 && at < found.start; at = text.indexOf("\n", counted)) {
      line += 1;
      counted = at + 1;
    }
    hits.push(hitOf(found, `line ${line}`, text.slice(found.start, found.end)));
  }
  return hits;
}

interface Open {
  readonly value: unknown;
  readonly path: string;
  readonly key: string | null;
}

/** Secrets in every string of a value, keys too, with their paths; nesting of any depth. */
export function* valueHits(root: unknown, options: SecretOptions, where: string): Generator<Hit> {
  const open: Open[] = [{ value: root, path: "", key: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, key } = next;
    const place = `${where}${path === "" ? "" : ` ${path}`}`.trim() || "the whole";
    if (typeof value === "string") {
      const whole = key === null ? null : memberSecret(key, value, options);
      for (const found of whole === null ? findSecrets(value, options) : [whole])
        yield hitOf(found, place, value.slice(found.start, found.end));
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1)
        open.push({ value: value[index], path: `${path}${path === "" ? "" : "."}${index}`, key: null });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        for (const found of findSecrets(name, options)) yield hitOf(found, place, name.slice(found.start, found.end));
        open.push({
          value: inner,
          path: `${path}${path === "" ? "" : "."}${name.length > 40 ? `${name.slice(0, 37)}...` : name}`,
          key: name,
        });
      }
    }
  }
}
