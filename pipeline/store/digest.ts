import * as crypto from "node:crypto";
import { canonicalJson } from "../../stages/lib/canonical-json.ts";

/** Lower-case hex SHA-256 of text (as UTF-8) or bytes. */
export const sha256: (data: string | Uint8Array) => string =
  typeof crypto.hash === "function" // Node 20.12; three times as fast on short texts
    ? (data) => crypto.hash("sha256", data, "hex")
    : (data) => crypto.createHash("sha256").update(data).digest("hex");

/** Digest of a JSON value's content. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));
