import { beginsWord, characters, endsWord, runStart } from "../characters.ts";
import { distinct, wordShare } from "../looks-random.ts";
import { isFiller, isPhrase } from "./filler.ts";
import { type Looked, matchAt, one, type SecretRule } from "./secret-rule.ts";
import { type TokenShape, tokenShapes } from "./token-shapes.ts";

const digits = characters("0123456789");

/** `ghp_xxxx...` of a manual: fewer than 5 different characters in all of the body. Our choice; a drawn body of 16 has 11 on average. */
const minDistinct = 5;
/** Of the letters of a drawn body, fewer than four fifths stand in what looks like words (300 draws). */
const looksWritten = (body: string): boolean => isFiller(body) || (isPhrase(body) && wordShare(body) >= 0.8);

const looksDrawn = (body: string, loose: boolean): boolean => distinct(body) >= minDistinct && !(loose && looksWritten(body));

function lookFor(shape: TokenShape, start: string, text: string, at: number): Looked | null {
  if (!text.startsWith(start, at)) return null; // the finder does not tell upper from lower case
  const found = matchAt(shape.body, text, at + start.length);
  if (found === null || !looksDrawn(found[0], shape.loose === true)) return null;
  const end = at + start.length + found[0].length;
  if (!endsWord(text, end)) return null;
  // A Telegram token begins with the bot's number.
  const from = shape.type === "telegram-token" ? runStart(text, at, digits, 12) : at;
  if (shape.type === "telegram-token" && at - from < 8) return null;
  return beginsWord(text, from) || start.startsWith(".") || start.includes("/") ? one(shape.type, from, end) : null;
}

const byStart = new Map<string, TokenShape>(tokenShapes.flatMap((shape) => shape.starts.map((start) => [start, shape] as const)));

/** Tokens that their issuers made recognisable by a prefix. */
export const tokens: SecretRule = {
  keywords: [...byStart.keys()],
  look(text, at, keyword) {
    const shape = byStart.get(keyword);
    return shape === undefined ? null : lookFor(shape, keyword, text, at);
  },
};
