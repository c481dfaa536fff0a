import type { Finding, SecretRule } from "./secret-rule.ts";

/** Longest key block that is looked at, characters; an RSA key of 16,384 bits in PEM, escaped and with line numbers, is 14,000. */
const blockLimit = 16_384;
const header = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const chunk = /[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{4,}={1,2}/g;
/** The last line may be short. */
const lastChunk = /(?:^|[\s"'+>:|]|\\[nr])([A-Za-z0-9+/]{2,}={0,2})[\s"'+,]*(?:\\+[nr"'])*[\s"'+,]*(?:\d{1,7}[\s:|-]*)?[ +-]?$/;

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
    const body = text.slice(start, end);
    const findings: Finding[] = [...body.matchAll(chunk)].map((match) => ({
      type: "private-key",
      start: start + match.index,
      end: start + match.index + match[0].length,
      sure: true,
    }));
    const tail = body.slice(-160);
    const last = close < 0 || findings.length === 0 ? null : lastChunk.exec(tail);
    if (last?.[1] !== undefined) {
      const from = end - tail.length + last.index + last[0].indexOf(last[1]);
      if (from >= (findings.at(-1)?.end ?? 0)) findings.push({ type: "private-key", start: from, end: from + last[1].length, sure: false });
    }
    return { findings, until: end };
  },
};
