import { base64Characters, runEnd } from "../characters.ts";
import { entropyOf } from "../looks-random.ts";
import type { SecretRule } from "./secret-rule.ts";

const keyId = /(?:AKIA|ASIA)[A-Z0-9]{16}/y;
/** How far behind its id the secret half of a pair may stand: the next column or the next line. Our choice. */
const reach = 160;
const secretLength = 40;
/** Bits per character; 40 drawn characters have 4.3 to 5.2, 40 hex digits at most 4. */
const minEntropy = 4.1;

/** The secret half of a pair of AWS keys (40 characters of base64) right behind its id, however it is labelled. */
export const awsSecretKey: SecretRule = {
  keywords: ["AKIA", "ASIA"],
  look(text, at) {
    keyId.lastIndex = at;
    if (!keyId.test(text)) return null;
    const stop = Math.min(text.length, at + 20 + reach);
    for (let start = at + 20; start < stop; ) {
      const end = runEnd(text, start, base64Characters, 200);
      const run = text.slice(start, end);
      if (run.length === secretLength && entropyOf(run) >= minEntropy)
        return { findings: [{ type: "aws-secret-key", start, end, sure: true }], until: 0 };
      start = Math.max(end, start) + 1;
    }
    return null;
  },
};
