import type { CondenseInput } from "../../lib/condense-input.ts";
import { betweenSteps, stepText } from "../../lib/condense-request.ts";
import type { CountTokens } from "../../lib/sizes.ts";

/** Folds that do not fit the condenser's window, in pieces that do. */

/** Text of a step, or a part of it. */
export interface StepPart {
  /** Place in the fold, 0 for its first step. */
  readonly step: number;
  /** What is shown; the parts of a step, put together, are its text. */
  readonly text: string;
  /** Not the first part of its step. */
  readonly continued: boolean;
}

export type Piece = readonly StepPart[];

/** A blank line between steps and the label of a step that goes on, and what a token that grows across them may cost. */
const jointTokens = 16;

/** A text in two halves, between code points. */
function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  const at = /[\udc00-\udfff]/.test(text.charAt(middle)) && /[\ud800-\udbff]/.test(text.charAt(middle - 1)) ? middle + 1 : middle;
  return [text.slice(0, at), text.slice(at)];
}

/** A line longer than `most` tokens in shares that are not, in order. */
function shares(line: string, most: number, count: CountTokens): string[] {
  if (line.length < 2 || count(line) <= most) return [line];
  return halves(line).flatMap((half) => (half === "" ? [] : shares(half, most, count)));
}

/** Texts put together from the left, each of at most `most` tokens; no text is split. */
function filled(texts: readonly string[], most: number, count: CountTokens): string[] {
  const full: string[] = [];
  let open: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const own = count(text) + 1; // what follows may begin another token
    if (open.length > 0 && tokens + own > most) {
      full.push(open.join(""));
      open = [];
      tokens = 0;
    }
    open.push(text);
    tokens += own;
  }
  return open.length === 0 ? full : [...full, open.join("")];
}

/** A step of more than `most` tokens, split at line ends, and within a line only where the line alone is too long. */
function partsOf(text: string, step: number, most: number, count: CountTokens): StepPart[] {
  const lines = text.split(/(?<=\n)/).flatMap((line) => shares(line, most - 1, count));
  return filled(lines, most, count).map((part, index) => ({ step, text: part, continued: index > 0 }));
}

/**
 * The fold in pieces of at most `most` tokens of steps, split between steps and within one only where it alone is too long. Every step is
 * in exactly one piece; the parts of a split one follow each other.
 */
export function piecesOf({ fold, first }: Pick<CondenseInput, "fold" | "first">, most: number, count: CountTokens): Piece[] {
  const room = most - jointTokens;
  const parts = fold.flatMap((step, index) => {
    const text = stepText(step, first + index);
    return count(text) <= room ? [{ step: index, text, continued: false }] : partsOf(text, index, room, count);
  });
  const pieces: StepPart[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    const own = count(part.text) + jointTokens;
    if (tokens + own > most) {
      pieces.push([]);
      tokens = 0;
    }
    pieces.at(-1)?.push(part);
    tokens += own;
  }
  return pieces;
}

/** A piece as a request shows it. */
export const pieceText = (piece: Piece, first: number): string =>
  piece.map(({ step, text, continued }) => (continued ? `[step ${first + step}, continued]\n${text}` : text)).join(betweenSteps);
