import { base64UrlCharacters, beginsWord, runEnd, within } from "../characters.ts";
import type { SecretRule } from "./secret-rule.ts";

/** Longest part that is looked at; tokens with certificates inside reach some kilobytes. Our choice. */
const partLimit = 8_192;
const dot = 46;

/** JSON Web Tokens (RFC 7519, RFC 7515 3.1): two or more parts of base64url joined by dots; the first begins with `{"`, which is `eyJ`. */
export const jwt: SecretRule = {
  keywords: ["eyJ"],
  look(text, at) {
    if (!text.startsWith("eyJ", at)) return null;
    const head = runEnd(text, at, base64UrlCharacters, partLimit);
    const past = { findings: [], until: head };
    const inside = at > 0 && within(base64UrlCharacters, text.charCodeAt(at - 1)) && !beginsWord(text, at);
    if (inside || head - at < 16 || text.charCodeAt(head) !== dot || !text.startsWith("eyJ", head + 1)) return past;
    let end = runEnd(text, head + 1, base64UrlCharacters, partLimit);
    if (end - head < 12) return past;
    // Signature; an encrypted one (RFC 7516) has three parts more.
    for (let part = 0; part < 3 && text.charCodeAt(end) === dot; part += 1) {
      const next = runEnd(text, end + 1, base64UrlCharacters, partLimit);
      if (next - end < 8) break;
      end = next;
    }
    return { findings: [{ type: "jwt", start: at, end, sure: true }], until: end };
  },
};
