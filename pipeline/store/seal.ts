import { sha256 } from "./digest.ts";
import { jsonOf } from "./run-folder.ts";

/**
 * A JSON object whose text carries the digest of the rest of it. Manifests and accounts are what rows are checked against, so nothing
 * else could tell that a number in them has changed.
 */
export function sealed(value: object, indent?: number): string {
  const body = JSON.stringify(value, null, indent);
  return `${start}${sha256(body)}${middle}${body.slice(1)}\n`;
}

const start = '{"seal":"';
const middle = '",';
const bodyAt = start.length + 64 + middle.length;

/** What was sealed, or null when a byte of it has changed. Text from before there were seals is taken as it is. */
export function opened(text: string): unknown {
  if (!text.startsWith(start)) return jsonOf(text);
  const body = `{${text.slice(bodyAt, -1)}`;
  return text === `${start}${sha256(body)}${middle}${body.slice(1)}\n` ? jsonOf(body) : null;
}
