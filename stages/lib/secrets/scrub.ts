import type { SecretOptions } from "./find-secrets.ts";
import { createScrubber } from "./scrubber.ts";

/** One text on its own; for the texts of a trajectory make one `createScrubber`, so that equal values stay equal. `found`: sorted by type. */
export function scrub(
  text: string,
  options: SecretOptions,
): { readonly text: string; readonly found: { readonly type: string; readonly count: number }[] } {
  const scrubber = createScrubber(options);
  const scrubbed = scrubber.text(text);
  const found = Object.entries(scrubber.found)
    .map(([type, count]) => ({ type, count }))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  return { text: scrubbed, found };
}
