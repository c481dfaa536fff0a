import { shortened } from "../../lib/commands/actions.ts";
import { bodyOf } from "../../lib/commands/results.ts";
import { oneLine } from "../../lib/memory-text.ts";
import { checkOf, type Deed, noise } from "./deeds.ts";
import { code, type Note, note, showingOf } from "./note.ts";
import { edges } from "./words.ts";

/** What fills the room that is left: the telling lines of what tools printed, by command. Light, so that they never displace a finding. */

const longestLine = 160;
const longestNote = 620;
const mostLines = 10;
const longListing = 40;
/** Lines that say how something went, in any tool's words. */
const telling =
  /\b(?:errors?|exceptions?|warnings?|fail(?:ed|s|ures?)?|pass(?:ed|es)?|found|total|expected|actual|assert\w*|usage|version|not|None|null|true|false)\b|^E\s|^\s*File "|^[+-]\s*\w|->|=>|==/i;
/** Lines that `places` tells about. */
const numbered = /^\s*(?:[^\s:]{1,200}:)?\d{1,6}[:\t]/;

/** How much a line says: names that the agent speaks of, and words about how something went. */
function rate(line: string, spoken: ReadonlyMap<string, number>): number {
  const names = [...line.slice(0, 400).matchAll(/[A-Za-z_]\w{2,60}/g)].slice(0, 20).map((word) => spoken.get(word[0]) ?? 0);
  return (
    (Math.max(0, ...names) >= 2 ? 2 : 0) +
    (telling.test(line.slice(0, 400)) ? 1 : 0) +
    (/[\w./-]+\.\w{1,4}\b|\w+\(/.test(line.slice(0, 400)) ? 0.5 : 0)
  );
}

/** The best lines of a text, in their order, as one bullet's worth; empty where nothing tells anything. */
function tellingLines(body: string, spoken: ReadonlyMap<string, number>): string {
  const seen = new Set<string>();
  const lines = edges(body, 16_000)
    .split("\n")
    .filter((line) => !noise.test(line) && !numbered.test(line))
    .map((line) => shortened(oneLine(line), longestLine))
    .filter((line) => /\w.*\w/.test(line) && !seen.has(line) && seen.add(line).size > 0)
    .map((line, place) => ({ line, place, rate: rate(line, spoken) }));
  const least = lines.length > longListing ? 1 : 0.5; // of a long listing only what somebody speaks of
  const best = lines
    .filter((one) => one.rate >= least)
    .sort((a, b) => b.rate - a.rate || b.place - a.place)
    .slice(0, mostLines)
    .sort((a, b) => a.place - b.place);
  let text = "";
  for (const { line } of best) if (text.length + line.length + 3 <= longestNote) text += `${text === "" ? "" : " / "}${line}`;
  return text;
}

/** What commands printed, the newest of equal ones; look-ups and runs alike, edits aside. */
export function printed(deeds: readonly Deed[], counts: ReadonlyMap<string, number>): Note[] {
  const spoken = new Map<string, number>();
  for (const [name, count] of counts) for (const word of name.split(/\W+/)) spoken.set(word, Math.max(count, spoken.get(word) ?? 0));
  return deeds.flatMap(({ call, action, lateness }) => {
    if (call.result === null || action.kind === "edit" || action.kind === "think" || action.command === "") return [];
    const lines = tellingLines(bodyOf(call.result), spoken);
    if (lines.length < 12) return [];
    return [note("facts", showingOf(code(checkOf(action)), lines), 0.1 + (action.kind === "explore" ? 0 : 0.06) + 0.1 * lateness)];
  });
}
