import { isUtf8 } from "node:buffer";
import type { Mark } from "../../schemas/trajectory.ts";

export type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly marks: readonly Mark[] }
  | { readonly ok: false; readonly why: string; readonly blank: boolean };

/** Bytes -> text; bytes that are no UTF-8 become U+FFFD and are marked. A byte order mark at the front is dropped. */
export function decode(bytes: Buffer): { readonly text: string; readonly marks: readonly Mark[] } {
  const text = bytes.toString("utf8");
  return { text: text.startsWith("\uFEFF") ? text.slice(1) : text, marks: isUtf8(bytes) ? [] : ["lossy-utf8"] };
}

/** One JSON text. What is wrong with it is said with the place, as far as the parser tells. */
export function parseJson(bytes: Buffer): Parsed {
  const { text, marks } = decode(bytes);
  if (text.trim() === "") return { ok: false, why: "nothing but white space", blank: true };
  try {
    return { ok: true, value: JSON.parse(text), marks };
  } catch (error) {
    return { ok: false, why: whyBroken(text, bytes, error), blank: false };
  }
}

function whyBroken(text: string, bytes: Buffer, error: unknown): string {
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) return "a web page instead of JSON: the download went wrong; fetch it again";
  if (bytes[0] === 0xff || bytes[0] === 0xfe) return "UTF-16 text: convert it to UTF-8";
  if (text.startsWith("version https://git-lfs.github.com/")) return "a Git LFS pointer instead of the file: run git lfs pull";
  const said = error instanceof Error ? error.message : String(error);
  const cut = /Unexpected end|Unterminated/.test(said) ? "the JSON text ends too early (cut off?)" : "no valid JSON";
  return `${cut}: ${said.length > 200 ? `${said.slice(0, 200)}...` : said}`;
}
