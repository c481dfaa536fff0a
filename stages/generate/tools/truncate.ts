/** `at`, or the place before it where `at` would part the halves of a character. */
const betweenCharacters = (text: string, at: number): number => ((text.slice(at - 1, at + 1).codePointAt(0) ?? 0) > 0xffff ? at - 1 : at);

/**
 * The rule for every long observation: of `maxChars` (UTF-16 units), half is the head and half the tail; a line between them says how much
 * is left out. `droppedBytes`: what the sandbox has already left out in the middle; the line then counts all in bytes, since where the
 * sandbox begins to drop may differ from run to run, and the sum does not.
 */
export function truncate(text: string, maxChars: number, droppedBytes = 0): string {
  if (text.length <= maxChars && droppedBytes === 0) return text;
  const half = Math.floor(Math.min(maxChars, text.length) / 2);
  const [headEnd, tailStart] = [betweenCharacters(text, half), betweenCharacters(text, text.length - half)];
  const middle = text.slice(headEnd, tailStart);
  const dropped = droppedBytes === 0 ? `${middle.length} characters` : `${new TextEncoder().encode(middle).length + droppedBytes} bytes`;
  return `${text.slice(0, headEnd)}\n[... Observation truncated: ${dropped} left out ...]\n${text.slice(tailStart)}`;
}
