/** How well sets of cuts agree: signals with readers, readers with each other. Pure counting; a cut is a number of steps, each set ascending. */

export interface Pair {
  readonly left: number;
  readonly right: number;
}

/**
 * As many pairs of a left and a right cut as there can be, at most `within` steps apart, no cut used twice; among those the pairing with
 * the smallest distances. O(left x right).
 */
export function pairs(left: readonly number[], right: readonly number[], within: number): Pair[] {
  const width = right.length + 1;
  const worth = new Float64Array((left.length + 1) * width); // pairs, less a little for each step between them
  const far = 1 / (1 + (within + 1) * (left.length + right.length + 1)); // all distances together never outweigh one pair
  const gain = (i: number, j: number): number => {
    const distance = Math.abs((left[i] ?? 0) - (right[j] ?? 0));
    return distance <= within ? 1 - far * distance : -1;
  };
  const at = (i: number, j: number): number => worth[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const own = gain(i, j);
      worth[i * width + j] = Math.max(at(i + 1, j), at(i, j + 1), own > 0 ? own + at(i + 1, j + 1) : 0);
    }
  const found: Pair[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const own = gain(i, j);
    if (own > 0 && at(i, j) === own + at(i + 1, j + 1)) {
      found.push({ left: left[i] ?? 0, right: right[j] ?? 0 });
      i += 1;
      j += 1;
    } else if (at(i, j) === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return found;
}

/** Numbers that add up over trajectories. */
export interface Counts {
  readonly found: number;
  readonly wanted: number;
  readonly matched: number;
}
export const noCounts: Counts = { found: 0, wanted: 0, matched: 0 };

export const countsOf = (found: readonly number[], wanted: readonly number[], within: number): Counts => ({
  found: found.length,
  wanted: wanted.length,
  matched: pairs(found, wanted, within).length,
});
export const plus = (a: Counts, b: Counts): Counts => ({
  found: a.found + b.found,
  wanted: a.wanted + b.wanted,
  matched: a.matched + b.matched,
});

export interface Agreement {
  /** 0..1; null where nothing was found, or nothing wanted. */
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  /** matched / (found + wanted - matched). */
  readonly jaccard: number | null;
}
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export const agreementOf = ({ found, wanted, matched }: Counts): Agreement => ({
  precision: share(matched, found),
  recall: share(matched, wanted),
  f1: share(2 * matched, found + wanted),
  jaccard: share(matched, found + wanted - matched),
});

/** Cuts of either reader, those of both (within `within` steps) once, at the left one's place. */
export function union(left: readonly number[], right: readonly number[], within: number): number[] {
  const taken = new Set(pairs(left, right, within).map((pair) => pair.right));
  return [...left, ...right.filter((cut) => !taken.has(cut) && !left.includes(cut))].sort((a, b) => a - b);
}
/** Cuts of the left reader that the right one saw, too. */
export const intersection = (left: readonly number[], right: readonly number[], within: number): number[] =>
  pairs(left, right, within).map((pair) => pair.left);

/** A trajectory as baselines see it: legal cuts are [first, last]. */
export interface Course {
  readonly first: number;
  readonly last: number;
  /** Tokens of each step; `tokens.length` is the number of steps. */
  readonly tokens: readonly number[];
}

const legal = ({ first, last }: Course, cut: number): boolean => cut >= first && cut <= last;

/** A cut after every `steps` steps. */
export const everySteps = (course: Course, steps: number): number[] =>
  course.tokens.map((_, index) => index + 1).filter((cut) => cut % steps === 0 && legal(course, cut));

/** A cut as soon as `tokens` tokens have come since the one before. */
export function everyTokens(course: Course, tokens: number): number[] {
  const cuts: number[] = [];
  let since = 0;
  for (const [index, size] of course.tokens.entries()) {
    since += size;
    if (since < tokens) continue;
    since = 0;
    if (legal(course, index + 1)) cuts.push(index + 1);
  }
  return cuts;
}

const total = (sets: readonly (readonly number[])[]): number => sets.reduce((sum, cuts) => sum + cuts.length, 0);

/** The same rule for all courses, with the parameter out of `choices` that comes nearest to `wanted` cuts in all; the first on a tie. */
export function tuned(
  courses: readonly Course[],
  rule: (course: Course, parameter: number) => number[],
  choices: readonly number[],
  wanted: number,
): { readonly parameter: number; readonly cuts: readonly (readonly number[])[] } {
  let best = { parameter: choices[0] ?? 1, cuts: courses.map((course) => rule(course, choices[0] ?? 1)) };
  for (const parameter of choices.slice(1)) {
    const cuts = courses.map((course) => rule(course, parameter));
    if (Math.abs(total(cuts) - wanted) < Math.abs(total(best.cuts) - wanted)) best = { parameter, cuts };
  }
  return best;
}

/** `count` different legal cuts, each set of them as likely as any other; all, where there are not more. */
export function randomCuts(course: Course, count: number, draw: () => number): number[] {
  const all = Array.from({ length: Math.max(0, course.last - course.first + 1) }, (_, index) => course.first + index);
  const most = Math.min(count, all.length);
  for (let index = 0; index < most; index += 1) {
    const other = index + Math.floor(draw() * (all.length - index));
    const held = all[index] ?? 0;
    all[index] = all[other] ?? 0;
    all[other] = held;
  }
  return all.slice(0, most).sort((a, b) => a - b);
}

/** How often two readers name the same kind for a cut that both saw: Cohen's kappa beside the plain share. */
export function kindAgreement(both: readonly (readonly [left: string, right: string])[]): {
  readonly share: number | null;
  readonly kappa: number | null;
} {
  const count = both.length;
  if (count === 0) return { share: null, kappa: null };
  const tally = (side: 0 | 1): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const pair of both) counts.set(pair[side], (counts.get(pair[side]) ?? 0) + 1);
    return counts;
  };
  const [left, right] = [tally(0), tally(1)];
  const same = both.filter(([a, b]) => a === b).length / count;
  const chance = [...left].reduce((sum, [kind, times]) => sum + (times / count) * ((right.get(kind) ?? 0) / count), 0);
  return { share: same, kappa: chance === 1 ? null : (same - chance) / (1 - chance) };
}
