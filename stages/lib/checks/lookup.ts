import { type Entity, isLineNumber, pathOf } from "./entities.ts";
import { mostPlaces, numberOf, type Seen, type SeenText } from "./seen.ts";

/** Was what a memory names shown before? One question per kind of entity, each as strict as a paraphrase allows. */

const singular = (word: string): string => word.replace(/(?:'s|s)$/, "");

/** A word of code, also in the plural (`CompoundModels`) or as part of a longer name (`align` of `align_top`). */
function wordSeen(word: string, seen: Seen): boolean {
  const bare = word.replace(/^\$/, "");
  return seen.hasWord(bare) || seen.hasWord(word) || (/s$/.test(bare) && seen.hasWord(singular(bare))) || seen.hasWord(`${bare}s`);
}

/** A dotted name: its parts, each a word that was shown (`Class.method` where the method stands inside the class). */
export const symbolSeen = (words: string, seen: Seen): boolean =>
  words
    .replace(/\(\)$/, "")
    .split(/[.:/]+/)
    .filter((part) => part.length > 1)
    .every((part) => wordSeen(part, seen));

/** `pkg.mod` = `pkg/mod.py`. */
const withoutEnding = (path: string): string => path.replace(/\.\w{1,6}$/, "");

export function pathSeen(words: string, seen: Seen): boolean {
  const path = pathOf(words)
    .toLowerCase()
    .replace(/^[~/]+/, "")
    .replace(/\/+$/, "");
  if (path === "" || seen.hasPath(path)) return true;
  const dotted = withoutEnding(path).replaceAll("/", ".");
  if (dotted.includes(".") && path.includes("/") && seen.hasText(dotted)) return true;
  return joined(path, seen);
}

/** A folder and a path seen from inside it: `pkg` was the working folder or was listed, `sub/a.py` was shown. */
function joined(path: string, seen: Seen): boolean {
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const folder = path.slice(0, slash);
    const rest = path.slice(slash + 1);
    if (seen.hasPath(rest) && seen.texts.some((text) => listed(text, folder, rest))) return true;
  }
  return false;
}

/** Does the answer to a question about this folder, or a command inside it, name the rest from its first segment on? */
function listed({ text, about }: SeenText, folder: string, rest: string): boolean {
  const asked =
    about.includes(folder) || new RegExp(`(?:cd|directory:?|in) \\S{0,200}${folder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`).test(text);
  if (!asked) return false;
  let at = text.indexOf(rest);
  for (let tries = 0; at >= 0 && tries < mostPlaces; tries += 1) {
    if (!/[\w/.-]/.test(text[at - 1] ?? " ") || text.slice(at - 2, at) === "./") return true;
    at = text.indexOf(rest, at + 1);
  }
  return false;
}

export function testSeen(words: string, seen: Seen): boolean {
  const [path = "", ...names] = words.split("::");
  if (names.length === 0) return wordSeen(path, seen);
  return pathSeen(path, seen) && names.every((name) => symbolSeen(name.replace(/\[.*$/, ""), seen));
}

const nearby = 220; // characters around a number: the line it stands in and its neighbours in a numbered listing
const plainWords = new Set(
  (
    "line lines number numbers file files with from that this then than into test tests code function method class value values error errors passed failed version " +
    "have been were where when which about around after before only also still same other each total using used shows added there"
  ).split(" "),
);

/** Words that a number belongs to: the longer ones on either side, over the end of a clause, too, since its subject may stand before. */
function contextOf(entity: Entity): readonly string[] {
  const whole = entity.line.text.length > 2_000 ? entity.clause : entity.line.text;
  const at = Math.max(0, whole.indexOf(entity.words, Math.max(0, whole.indexOf(entity.clause.slice(0, 40)))));
  const around = whole.slice(Math.max(0, at - 100), at + 100);
  const words = [...new Set(around.match(/[A-Za-z_][\w-]{2,60}/g) ?? [])];
  return words
    .filter((word) => !plainWords.has(word.toLowerCase()) && (word.length >= 4 || /[_A-Z]/.test(word)))
    .map((word) => (word.length > 4 ? singular(word) : word).toLowerCase());
}

/** Numbers that would do: the number itself, and its neighbours where the memory says "about". */
function spellings(entity: Entity): string[] {
  const number = numberOf(entity.words);
  const before = entity.clause.slice(0, entity.clause.indexOf(entity.words)).slice(-40);
  if (
    !/^\d+$/.test(number) ||
    !/(?:\b(?:about|around|near|roughly|approximately|some|from|starting (?:at|near))|~|≈)\s?(?:lines?\s)?$/i.test(before)
  )
    return [number];
  return Array.from({ length: 2 * vague + 1 }, (_, index) => String(Number(number) - vague + index));
}
const vague = 10; // lines that "about line 300" may be off: a screen's third, our choice

/** `3.11` of `cp311`, `py311`; 3.10 of 3.10.12. */
const versionSeen = (number: string, seen: Seen): boolean =>
  number.includes(".") &&
  (seen.hasText(`${number}.`) ||
    seen.hasText(number) ||
    ["cp", "py", "cpython-", "python"].some((tag) => seen.hasText(tag + number.replaceAll(".", ""))));

/** Does the number stand near any of the words it stands near in the memory? */
export function numberSeen(entity: Entity, seen: Seen): boolean {
  const numbers = spellings(entity);
  const anchor = anchorOf(entity);
  const { places, defined } = anchor === null ? { places: [], defined: false } : labelsOf(anchor, seen);
  if (anchor !== null && places.length > 0) {
    const wanted = Number(entity.words);
    const reach = numbers.length > 1 ? vague : listedLines;
    return (
      places.some((place) => wanted >= place - reach && wanted <= place + (defined ? reach : bodyLines)) ||
      numbers.some((number) => seen.texts.some((text) => saidNear(number, anchor, text)))
    );
  }
  const context = contextOf(entity);
  return numbers.some((number) => seen.texts.some((text) => standsIn(number, context, text))) || versionSeen(entity.words, seen);
}

/**
 * The name whose place a line number is: `sym` (line 12), `sym` at line 12, class Sym: a.py:12. null: the number is of something else, or
 * of more than one line.
 */
function anchorOf({ clause, words }: Entity): string | null {
  const at = clause.search(new RegExp(`(?<![\\w.-])${words}(?![\\w-]|\\.\\d)`));
  if (
    at < 0 ||
    !isLineNumber(clause.slice(0, at)) ||
    /^\s?(?:-|–|to\b|,|and\b|\/)\s?\d/.test(clause.slice(at + words.length)) ||
    /(?:\d\s?(?:-|–|to|,|and)\s?|lines\s)$/.test(clause.slice(0, at))
  )
    return null;
  const quoted = /^\)?[:,]?(?: (?:is|has|reads|says|holds|does))?\s`([^`]{12,200})`/.exec(clause.slice(at + words.length))?.[1];
  if (quoted !== undefined) return quoted.slice(0, 60).toLowerCase();
  const before = clause.slice(Math.max(0, at - 160), at);
  const named =
    /([A-Za-z_]\w*)(?:\([^)`]{0,60}\))?`?[\s:,(]{0,3}(?:(?:class|function|method|hook|helper|property|parent|definition|defined|located|found|starts?|begins?|sits?|is|now|hook method) ?){0,3}(?:(?:in|of|from|at|on|about|around|near)\s|:\s)?[`(]?(?:[\w~./-]*\/)?(?:[\w-]*\.\w{1,5})?`?[:\s,(]{0,3}(?:(?:at|on|from|about|around|near|approx(?:imately)?|~)?\s?(?:line|L)\s?)?$/.exec(
      before,
    );
  const name = named?.[1];
  return name === undefined || !/_|[a-z][A-Z]/.test(name) ? null : name.toLowerCase();
}

/** A claim about a name may mean the body that begins behind it. Our choice. */
const bodyLines = 15;
const mostLabels = 200;
/** Lines that a name stands in, by the labels of listings; only those that define it, where any does. */
function labelsOf(name: string, seen: Seen): { readonly places: readonly number[]; readonly defined: boolean } {
  const labels: number[] = [];
  const defining: number[] = [];
  const defines = new RegExp(`(?:def|class|function|func|fn|interface|struct|trait|type|const|let|var)\\s+${escaped(name)}(?!\\w)`);
  for (const { text } of seen.texts) {
    for (let at = text.indexOf(name); at >= 0 && labels.length < mostLabels; at = text.indexOf(name, at + name.length)) {
      const start = text.lastIndexOf("\n", at) + 1;
      const line = text.slice(start, Math.min(at + name.length + 1, start + 400));
      const label = /^(?:[^\s:]{0,200}[:-])?\s{0,8}(\d{1,7})(?:[:\t|→-]| {2})/.exec(line)?.[1];
      if (label === undefined) continue;
      labels.push(Number(label));
      if (defines.test(line)) defining.push(Number(label));
    }
  }
  return defining.length > 0 ? { places: defining, defined: true } : { places: labels, defined: false };
}
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Does somebody say the number near the name, outside of a listing? */
function saidNear(number: string, name: string, one: SeenText): boolean {
  return (one.numbers().get(number) ?? []).some(
    (place) => !isLabel(one.text, place) && one.text.slice(Math.max(0, place - 120), place + 120).includes(name),
  );
}

/** A number of so many digits is nobody's line number or count; where it stands does not matter. Our choice. */
const telling = 6;
/** The same for labels of a listing: memories tell such places in rows, far from the words they belong to. Our choice. */
const tellingLabel = 4;

function standsIn(number: string, context: readonly string[], one: SeenText): boolean {
  const places = one.numbers().get(number) ?? [];
  if (places.length === 0) return false;
  if (places.length >= mostPlaces || number.length >= telling || context.length === 0) return true;
  return places.some((place) => {
    if (number.length >= tellingLabel && isLabel(one.text, place)) return true;
    const around = isLabel(one.text, place)
      ? neighbours(one.text, place)
      : `${one.about}\n${one.text.slice(Math.max(0, place - nearby), place + nearby)}`;
    return context.some((word) => around.includes(word));
  });
}

/** Is the number the label of its line in a listing: `12\t`, `12:`, `a.py:12:`? */
function isLabel(text: string, place: number): boolean {
  const start = text.lastIndexOf("\n", place) + 1;
  return (
    place - start < 200 &&
    /^(?:[^\s:]{0,200}[:-])?\s{0,8}$/.test(text.slice(start, place)) &&
    /^\d+(?:[:\t|→-]| {2})/.test(text.slice(place, place + 12))
  );
}

/** The line and `window` lines on either side. */
function neighbours(text: string, place: number): string {
  let from = place;
  let to = place;
  for (let line = 0; line <= listedLines && from > 0; line += 1) from = Math.max(0, text.lastIndexOf("\n", from - 1));
  for (let line = 0; line <= listedLines && to < text.length; line += 1) {
    const end = text.indexOf("\n", to + 1);
    to = end < 0 ? text.length : end;
  }
  return text.slice(Math.max(from, place - 600), Math.min(to, place + 600));
}
/** Lines of a listing around a line that is named for what stands near it. Our choice: a claim about line 10 may mean the body that begins there. */
const listedLines = 3;
