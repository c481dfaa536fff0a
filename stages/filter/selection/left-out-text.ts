import type { LeftOut } from "../../../schemas/selection.ts";

const percent = (share: number): string => `${Number((100 * share).toFixed(2))} %`;

/** Why a trajectory is left out of the set, as a sentence for people. */
export function leftOutText({ rule, of, value, limit }: LeftOut): string {
  switch (rule) {
    case "near-duplicate":
      return `near-duplicate of ${of} (steps about ${percent(value ?? 0)} the same, limit ${percent(limit)})`;
    case "per-instance":
      return `per-instance cap: ${limit} better of ${of}`;
    case "per-repository":
      return `per-repository cap: ${limit} better of ${of}`;
    case "without-calls":
      return `too many without a context call (at most ${percent(limit)})`;
    case "mix":
      return `quota of ${of} (${percent(limit)})`;
    case "target-size":
      return `above the target size (${limit})`;
  }
}
