import { createHash } from "node:crypto";
import { canonicalJson } from "../../stages/lib/canonical-json.ts";

/** Lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** Digest of a JSON value's content. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));
