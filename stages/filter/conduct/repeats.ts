import { type Conduct, type Done, shareOf } from "./conduct.ts";

/** Calls made again with the same answer, and turns that go round in circles. */

/** Answers remembered per call; one that keeps changing is no loop. Our choice; keeps the work linear. */
const mostAnswers = 8;
/** Longest round, in steps, that is looked for. OpenHands' StuckDetector knows rounds of one and two; longer ones are seen, too. Our choice. */
const longestRound = 6;

/** Durations differ from run to run of the very same thing. */
const withoutTimes = (text: string): string => text.replace(/\d{1,9}(?:\.\d{1,9})?(?= ?(?:ms|s|sec|seconds)\b)/g, "");
const mostTimed = 20_000; // characters; a summary with durations is short

function sameAnswer(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  if (one === null || other === null || Math.abs(one.length - other.length) > 40 || one.length > mostTimed) return false;
  return withoutTimes(one) === withoutTimes(other);
}

export interface Repeats {
  /** Per step a number that it shares with the steps that made the same calls and got the same answers; null: it calls nothing. */
  readonly kinds: readonly (number | null)[];
  /** Calls that an earlier one with the same answer equals. */
  readonly repeated: readonly Repeated[];
}

export interface Repeated extends Done {
  /** Step of the first such call. */
  readonly first: number;
}

const known = new WeakMap<Conduct, Repeats>();

export function repeatsOf(conduct: Conduct): Repeats {
  const there = known.get(conduct);
  if (there !== undefined) return there;
  const calls = new Map<string, { readonly answer: string | null; readonly number: number; readonly step: number }[]>();
  const turns = new Map<string, number>();
  const repeated: Repeated[] = [];
  let numbers = 0;
  const numberOf = (one: Done): number => {
    const { call, step } = one;
    const key = `${call.name}\u0000${call.arguments}`;
    const answers = calls.get(key) ?? [];
    if (answers.length === 0) calls.set(key, answers);
    const same = answers.find(({ answer }) => sameAnswer(answer, call.result));
    if (same !== undefined) repeated.push({ ...one, first: same.step });
    else if (answers.length < mostAnswers) answers.push({ answer: call.result, number: numbers, step });
    numbers += 1;
    return same?.number ?? numbers - 1;
  };
  const kinds = conduct.steps.map(({ done }) => {
    const key = done.map(numberOf).join(" ");
    const number = turns.get(key) ?? turns.size;
    turns.set(key, number);
    return done.length === 0 ? null : number;
  });
  const made = { kinds, repeated };
  known.set(conduct, made);
  return made;
}

/** Share of calls, 0..1, that equal an earlier one in name, arguments and answer (durations apart); null without calls. */
export const repeatedCallShare = (conduct: Conduct): number | null => shareOf(repeatsOf(conduct).repeated.length, conduct.done.length);

export interface Loop {
  /** First of its steps, from 0. */
  readonly start: number;
  readonly steps: number;
  /** Steps of one round. */
  readonly round: number;
}

/** The most steps in a row that are one round of one to six steps again and again, two whole rounds at least; null: there is no such row. */
export function longestLoop(conduct: Conduct): Loop | null {
  const { kinds } = repeatsOf(conduct);
  let longest: Loop | null = null;
  for (let round = 1; round <= longestRound; round += 1) {
    let again = 0;
    for (let step = round; step < kinds.length; step += 1) {
      again = kinds[step] !== null && kinds[step] === kinds[step - round] ? again + 1 : 0;
      const steps = again + round;
      if (again >= round && steps > (longest?.steps ?? 0)) longest = { start: step + 1 - steps, steps, round };
    }
  }
  return longest;
}
export const longestLoopSteps = (conduct: Conduct): number => longestLoop(conduct)?.steps ?? 0;
