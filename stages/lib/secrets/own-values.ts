import { alignedBase64, utf8Bytes } from "./base64.ts";

/** Shorter values would be found in innocent text. Our choice; the shortest keys in use have 16 characters. */
export const minOwnLength = 8;

/** Of a value in base64 at most this much shows nothing of it: the characters that it shares with its neighbours. */
const minEncoded = 8;

const hex = (bytes: string): string => [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Everything a secret value of one's own can look like in text: itself, escaped for JSON (once and twice), for addresses and forms, in hex of
 * both cases, and in base64 of both alphabets at each of the three alignments. Values under 8 characters are left out.
 */
export function ownForms(values: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const value of values.filter((one) => one.length >= minOwnLength)) {
    const bytes = utf8Bytes(value);
    const url = encodeURIComponent(value.toWellFormed());
    const lowerUrl = url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    const base64 = alignedBase64(bytes);
    const encoded = [
      ...[value, escaped(value), escaped(escaped(value)), url, lowerUrl, url.replaceAll("%20", "+")],
      ...[hex(bytes), hex(bytes).toUpperCase()],
      ...base64,
      ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    ];
    for (const form of encoded) if (form.length >= minEncoded) forms.add(form);
  }
  return [...forms].sort();
}

const secretWords = new Set(
  "KEY APIKEY TOKEN SECRET PASSWORD PASSWD PASS PASSPHRASE CREDENTIAL CREDENTIALS PAT AUTH BEARER COOKIE DSN".split(" "),
);

/** Does the name of a variable say that its value is a secret? */
export const isSecretName = (name: string): boolean =>
  name
    .toUpperCase()
    .split(/[^A-Z]+/)
    .some((word) => secretWords.has(word));

/**
 * Secret values among variables: the name says so, and the value is long enough and no plain word, number or path, which would be replaced all
 * over the data.
 */
export const secretVariables = (variables: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined &&
    value.length >= minOwnLength &&
    isSecretName(name) &&
    !/^(?:[A-Za-z]+|\d+|(?:\/|~\/|\.{1,2}\/)[^\s:@]*)$/.test(value)
      ? [value]
      : [],
  );
