/** Latin-1 text of base64 (either alphabet, padded or not), one character per byte; null where it is none. */
export function decodedBase64(text: string): string | null {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (plain.length % 4 === 1) return null;
  try {
    return atob(plain);
  } catch {
    return null;
  }
}

/** Base64 of bytes, padded. `bytes`: one character per byte. */
export const encodedBase64 = (bytes: string): string => btoa(bytes);

/** UTF-8 as one character per byte. */
export const utf8Bytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/**
 * What base64 of any text that holds `bytes` shows, for each of the three places in a group at which they may begin: the characters that
 * depend on `bytes` alone.
 */
export function alignedBase64(bytes: string): string[] {
  return [0, 1, 2].map((offset) => {
    const whole = encodedBase64("\0".repeat(offset) + bytes).replace(/=+$/, "");
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    return whole.slice(start, end);
  });
}
