import { mapJsonStrings } from "../json-text.ts";
import { findSecrets, memberSecret, type SecretOptions } from "./find-secrets.ts";
import { type PlaceholderKind, placeholderOf, placeholdersIn } from "./placeholder.ts";
import { type Found, outside, united } from "./ranges.ts";
import { createValueFinder, type ValueFinder } from "./value-finder.ts";

/** Scrubs the texts of one trajectory: equal values get equal placeholders in all of them. */
export interface Scrubber {
  /** Learns the values in a text, so that they are known wherever else they stand; `text` and `json` do this, too. */
  learn(text: string): void;
  learnJson(text: string): void;
  /** Two texts that the agent saw one after the other: a token that one command cut off and the next one goes on with. */
  learnSeam(before: string, after: string): void;
  /** The text with placeholders; the very same text where there is nothing to replace. */
  text(text: string): string;
  /** The same for raw JSON text, which stays JSON; what is no JSON is treated as text. */
  json(text: string): string;
  /** Raw JSON text of the agent's with every placeholder of ours back to its value; own secrets stay hidden. */
  restoreJson(text: string): string;
  /** Was anything learned at all? */
  readonly dirty: boolean;
  /** Places replaced so far, by type. */
  readonly found: Readonly<Record<string, number>>;
}

/** Under this length a value is replaced only where it was found. */
const minShared = 8;
/** More than texts that are not made for it ever need (two); bounded, so that time stays linear. */
const maxPasses = 8;
/** Characters on either side of a seam; the longest token of a known shape. */
const seamReach = 300;

export function createScrubber(options: SecretOptions): Scrubber {
  const placeholders = new Map<string, string>();
  const values = new Map<string, string>();
  const last = new Map<string, number>();
  const shared = new Map<string, Pick<Found, "kind" | "type">>();
  const found: Record<string, number> = {};
  let finder: ValueFinder | null = null;
  let dirty = false;

  function named(kind: PlaceholderKind, type: string, value: string): string {
    const known = placeholders.get(`${kind} ${value}`);
    if (known !== undefined) return known;
    const number = (last.get(`${kind}:${type}`) ?? 0) + 1;
    last.set(`${kind}:${type}`, number);
    const placeholder = placeholderOf(kind, type, number);
    placeholders.set(`${kind} ${value}`, placeholder);
    if (type !== "own-secret") values.set(placeholder, value);
    return placeholder;
  }

  function share(kind: PlaceholderKind, type: string, value: string): void {
    if (value.length < minShared || shared.has(value)) return;
    shared.set(value, { kind, type });
    finder = null;
  }

  function learn(text: string): Found[] {
    for (const { kind, type, number } of placeholdersIn(text))
      last.set(`${kind}:${type}`, Math.max(last.get(`${kind}:${type}`) ?? 0, number));
    const all = findSecrets(text, options);
    for (const { kind, type, start, end, sure } of all) {
      dirty = true;
      const value = text.slice(start, end);
      named(kind, type, value);
      if (sure) share(kind, type, value);
    }
    return all;
  }

  /** What `learn` found here, and whatever else is known by now. */
  function places(text: string): Found[] {
    const own = learn(text);
    if (shared.size === 0) return own;
    finder ??= createValueFinder([...shared.keys()]);
    const known = finder.find(text).flatMap(({ value, start, end }): Found[] => {
      const about = shared.get(value);
      return about === undefined ? [] : [{ ...about, start, end, sure: true }];
    });
    return known.length === 0 ? own : united([...own, ...outside(known, placeholdersIn(text))]);
  }

  function replaced(text: string, all: readonly Found[]): string {
    let out = "";
    let at = 0;
    for (const { kind, type, start, end } of all) {
      const placeholder = named(kind, type, text.slice(start, end));
      found[type] = (found[type] ?? 0) + 1;
      out += text.slice(at, start) + placeholder;
      at = end;
    }
    return out + text.slice(at);
  }

  /** Until nothing is found any more: beside a placeholder a word may begin or end where none did before. */
  function scrubText(text: string): string {
    let out = text;
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const all = out === "" ? [] : places(out);
      if (all.length === 0) break;
      out = replaced(out, all);
    }
    return out;
  }

  function learnMember(string: string, key: string | null): Found | null {
    const about = key === null ? null : memberSecret(key, string, options);
    if (about === null) {
      learn(string);
      return null;
    }
    dirty = true;
    named(about.kind, about.type, string);
    if (about.sure) share(about.kind, about.type, string);
    return about;
  }

  function scrubMember(string: string, key: string | null): string {
    const about = learnMember(string, key);
    if (about === null) return scrubText(string);
    found[about.type] = (found[about.type] ?? 0) + 1;
    return named(about.kind, about.type, string);
  }

  const restored = (text: string): string =>
    placeholdersIn(text).reduceRight((rest, { start, end }) => {
      const value = values.get(rest.slice(start, end));
      return value === undefined ? rest : rest.slice(0, start) + value + rest.slice(end);
    }, text);

  return {
    learn: (text) => void learn(text),
    learnJson(text) {
      const read = mapJsonStrings(text, (string, key) => {
        learnMember(string, key);
        return string;
      });
      if (read === null) learn(text);
    },
    learnSeam(before, after) {
      const tail = before.slice(-seamReach).replace(/\s+$/, "");
      const head = after.slice(0, seamReach).replace(/^\s+/, "");
      if (!/[\w-]$/.test(tail) || !/^[\w.-]/.test(head)) return;
      for (const { kind, type, start, end, sure } of findSecrets(tail + head, options)) {
        if (!sure || start >= tail.length || end <= tail.length) continue;
        dirty = true;
        share(kind, type, tail.slice(start));
        share(kind, type, head.slice(0, end - tail.length));
      }
    },
    text: scrubText,
    json: (text) => mapJsonStrings(text, scrubMember) ?? scrubText(text),
    restoreJson: (text) => (placeholdersIn(text).length === 0 ? text : (mapJsonStrings(text, restored) ?? text)),
    get dirty() {
      return dirty;
    },
    found,
  };
}
