import type { RenderedStep } from "../render.ts";

/**
 * What was shown to the agent, ready to be asked "was this there?". Everything is compared in lower case: nobody should lose a point for
 * `typeerror`. Each text is read once, however many cuts look back at it, and in linear time: one pass for words and paths, one for numbers.
 */
export interface SeenText {
  /** In lower case. */
  readonly text: string;
  /** What the text answers to (the arguments of the call it is the result of), in lower case; "" for what answers to nothing. */
  readonly about: string;
  readonly words: ReadonlySet<string>;
  /** Paths and every ending of theirs that starts at a segment: `testbed/a/b.py`, `a/b.py`, `b.py`. */
  readonly paths: ReadonlySet<string>;
  /** Places of each number, digits as normalised by `numberOf`, at most `mostPlaces` of each. */
  readonly numbers: () => ReadonlyMap<string, readonly number[]>;
}

/** A number that stands in more places than this is no evidence against anybody. Our choice; keeps a look-up bounded. */
export const mostPlaces = 64;
/** A longer run of path characters is no path but data (base64, minified code). PATH_MAX of Linux is 4,096; real ones are under 300. */
const longestPath = 300;

const isOfWord = /[\w$\u00aa-\uffff]/;
const joints = ".@+~/-";
const wordEnds = /[^\w$\u00aa-\uffff]+/;
const [between, joint, ofWord] = [0, 1, 2];
/** What a character below U+00AA is; all others are of words. */
const kinds = Uint8Array.from({ length: 0xaa }, (_, code) => {
  const character = String.fromCharCode(code);
  return isOfWord.test(character) ? ofWord : joints.includes(character) ? joint : between;
});

/** Words, and what joints hold together, in order. By hand: a pattern makes an array for each, and `seenText` takes 1.5 times as long. */
function eachToken(text: string, take: (token: string, isJoined: boolean) => void): void {
  let start = -1;
  let isJoined = false;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)] ?? ofWord;
    if (kind === between) {
      if (start >= 0) take(text.slice(start, at), isJoined);
      start = -1;
      isJoined = false;
    } else {
      if (start < 0) start = at;
      if (kind === joint) isJoined = true;
    }
  }
  if (start >= 0) take(text.slice(start), isJoined);
}

/** `1,234` = `1234`. */
export const numberOf = (digits: string): string => (/^\d{1,3}(?:,\d{3})+$/.test(digits) ? digits.replaceAll(",", "") : digits);

function addPath(paths: Set<string>, found: string): void {
  const path = found.replace(/^[~./-]+/, "").replace(/[./-]+$/, "");
  if (path === "" || path.length > longestPath) return;
  for (let from = 0; from >= 0; ) {
    const ending = path.slice(from);
    if (paths.has(ending)) return;
    paths.add(ending);
    const slash = path.indexOf("/", from);
    from = slash < 0 ? -1 : slash + 1;
  }
}

function numbersIn(text: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const found of text.matchAll(/\d+(?:[.,]\d+){0,6}/g)) {
    const whole = numberOf(found[0]);
    const rounded = /^(\d+)\.0+$/.exec(whole)?.[1]; // 21.0 is told as 21
    const parts = [whole, ...(found[0].includes(",") ? found[0].split(",") : []), ...(rounded === undefined ? [] : [rounded])];
    for (const number of parts) {
      const known = places.get(number);
      if (known === undefined) places.set(number, [found.index]);
      else if (known.length < mostPlaces) known.push(found.index);
    }
  }
  return places;
}

/** `\n` and `\t` inside printed strings stand before words, and are none of theirs. */
export const withoutEscapes = (text: string): string => (text.includes("\\") ? text.replace(/\\[nrt]/g, "  ") : text);

export function seenText(raw: string, about = ""): SeenText {
  const text = withoutEscapes(raw).toLowerCase();
  const words = new Set<string>();
  const paths = new Set<string>();
  const known = new Set<string>();
  eachToken(text, (found, isJoined) => {
    if (!isJoined) words.add(found);
    else if (!known.has(found)) {
      known.add(found);
      for (const word of found.split(wordEnds)) if (word !== "") words.add(word);
      if (/[./]/.test(found)) addPath(paths, found);
    }
  });
  let numbers: Map<string, number[]> | null = null;
  return {
    text,
    about: about.toLowerCase(),
    words,
    paths,
    numbers: () => {
      numbers ??= numbersIn(text);
      return numbers;
    },
  };
}

/** Texts among the values of parsed JSON, in order. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Arguments as the tool got them: strings decoded. */
export function argumentText(written: string): string {
  try {
    return textsIn(JSON.parse(written)).join("\n");
  } catch {
    return written;
  }
}

const known = new WeakMap<RenderedStep, readonly SeenText[]>();

/** Everything a step shows: what the agent says and writes, then each result, then feedback. */
export function textsOf(step: RenderedStep): readonly SeenText[] {
  const before = known.get(step);
  if (before !== undefined) return before;
  const asked = step.calls.map((call) => ({ call, given: argumentText(call.arguments) }));
  const said = [step.thought, ...asked.map(({ call, given }) => `${call.name} ${given}`), ...step.feedback].join("\n");
  const texts = [
    seenText(said),
    ...asked.flatMap(({ call, given }) => (call.result === null ? [] : [seenText(call.result, given.slice(0, 2_000))])),
  ];
  known.set(step, texts);
  return texts;
}

const inText = (texts: readonly SeenText[], needle: string): boolean => texts.some(({ text }) => text.includes(needle));

export interface Seen {
  readonly texts: readonly SeenText[];
  readonly hasWord: (word: string) => boolean;
  /** Is it shown as a path, as the end of one, or as a folder on the way of one? */
  readonly hasPath: (path: string) => boolean;
  /** Does it stand anywhere, letter for letter but for case? */
  readonly hasText: (text: string) => boolean;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The texts as one: what is asked is asked of each. */
export function seenOf(texts: readonly SeenText[]): Seen {
  const hasText = (needle: string): boolean => inText(texts, needle.toLowerCase());
  const folder = (path: string): boolean => {
    const whole = new RegExp(`(?:^|[^\\w.-])${escaped(path)}(?![\\w-])`);
    return texts.some(({ text }) => text.includes(path) && whole.test(text));
  };
  return {
    texts,
    hasWord: (word) => {
      const wanted = word.toLowerCase();
      return texts.some(({ words }) => words.has(wanted));
    },
    hasPath: (path) => {
      const wanted = path.toLowerCase();
      return texts.some(({ paths }) => paths.has(wanted)) || folder(wanted);
    },
    hasText,
  };
}
