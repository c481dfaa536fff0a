import type { Finding, SecretRule } from "./secret-rule.ts";

/** Longest key block that is looked at, characters; an RSA key of 16,384 bits in PEM, escaped and with line numbers, is 14,000. */
const blockLimit = 16_384;
const header = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const run = /[A-Za-z0-9+/]{2,}={0,2}/g;
/** A line of a key has 64 or 70 characters; shorter than this only the last can be. */
const lineLength = 16;

/** Where a run really begins: the `n` of an escaped newline and the `+` of a diff's line are none of it. */
function beginning(text: string, start: number): number {
  const escaped = text[start - 1] === "\\" && /[nrt]/.test(text[start] ?? "");
  const from = escaped ? start + 1 : start;
  return text[from] === "+" && (escaped || text[from - 1] === "\n") ? from + 1 : from;
}

/**
 * Private keys in PEM (RFC 7468, RFC 4716 for OpenSSH's, RFC 4880 6.2 for PGP's). Each line of the block is a secret of its own, so that the
 * number of lines stays and a patch still applies; it makes no difference whether lines are numbered, quoted, escaped or marked by a diff.
 */
export const privateKey: SecretRule = {
  keywords: ["-----BEGIN "],
  look(text, at) {
    header.lastIndex = at;
    const opened = header.exec(text);
    if (opened === null) return null;
    const start = at + opened[0].length;
    const close = text.indexOf("-----", start);
    const end = Math.min(close < 0 ? text.length : close, start + blockLimit);
    const findings: Finding[] = [];
    let short: Finding | null = null;
    for (const match of text.slice(start, end).matchAll(run)) {
      const from = beginning(text, start + match.index);
      const to = start + match.index + match[0].length;
      const finding: Finding = { type: "private-key", start: from, end: to, sure: to - from >= lineLength };
      if (to - from >= lineLength) findings.push(finding);
      else if (to - from >= 2 && /[^\d]/.test(text.slice(from, to))) short = finding;
    }
    // The last line may be short; what is short before others are headers of the block, or words around it.
    const last = findings.at(-1);
    if (close >= 0 && short !== null && last !== undefined && short.start >= last.end) findings.push(short);
    return { findings, until: end };
  },
};
