/** Words of a fingerprint. Source: GPT-3 (Brown et al. 2020, appendix C) takes 13-grams; the shipped fingerprints are of 13. */
export const wordsPerPrint = 13;

/**
 * Visits every window of 13 words of a text, joined by one blank, in order. Words are the runs of `[a-z0-9]` of the lower-cased text; a text
 * with fewer has no window. Time is linear in the text.
 */
export function eachWindow(text: string, visit: (window: string) => void): void {
  const words = text.toLowerCase().match(/[a-z0-9]+/g);
  if (words === null || words.length < wordsPerPrint) return;
  const joined = words.join(" ");
  let start = 0;
  let end = -1; // of the last word in the window, the blank before the first counted off
  for (const [index, word] of words.entries()) {
    end += word.length + 1;
    if (index < wordsPerPrint - 1) continue;
    visit(joined.slice(start, end));
    start += (words[index - wordsPerPrint + 1] ?? "").length + 1;
  }
}
