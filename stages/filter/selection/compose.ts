import type { FilterSetRecipe } from "../../../schemas/recipe/filter-set.ts";
import type { LeftOut } from "../../../schemas/selection.ts";
import type { Candidate } from "./candidates.ts";

/** Candidates that share one quota, best first, in two queues: those that show a context call and those that do not. */
interface Part {
  readonly name: string;
  /** Of the whole, 0..1; all shares together are 1. */
  readonly share: number;
  readonly queues: { readonly entries: number[]; next: number }[];
  taken: number;
}

/** Sources that the mix does not name. No source is called so: ids have no white space. */
const others = "all others";
const tolerance = 1e-9;

const withoutCalls = ({ standing }: Candidate): boolean => standing.contextCalls === 0;

/** Sources that the mix asks for and nothing of the list comes from. */
export function absentSources(list: readonly Pick<Candidate, "source">[], mix: FilterSetRecipe["mix"]): string[] {
  const sources = new Set(list.map(({ source }) => source));
  return Object.keys(mix).filter((name) => (mix[name] ?? 0) > 0 && !sources.has(name));
}

/** Shares as the recipe has them, scaled where nothing is there to share what it leaves. */
function partsOf(list: readonly Candidate[], pool: readonly number[], mix: FilterSetRecipe["mix"]): Map<string, Part> {
  const named = Object.keys(mix).length > 0;
  const nameOf = (entry: number): string => {
    const source = (list[entry] as Candidate).source;
    return Object.hasOwn(mix, source) ? source : others;
  };
  const sum = Object.values(mix).reduce((a, b) => a + b, 0);
  const shareOf = (name: string): number => (!named ? 1 : name === others ? Math.max(0, 1 - sum) : (mix[name] ?? 0));
  const names = [...new Set([...Object.keys(mix), ...pool.map(nameOf)])].sort();
  const whole = names.reduce((total, name) => total + shareOf(name), 0);
  const parts = new Map(
    names.map((name): [string, Part] => [
      name,
      {
        name,
        share: whole === 0 ? 0 : shareOf(name) / whole,
        queues: [
          { entries: [], next: 0 },
          { entries: [], next: 0 },
        ],
        taken: 0,
      },
    ]),
  );
  for (const entry of pool) parts.get(nameOf(entry))?.queues[withoutCalls(list[entry] as Candidate) ? 1 : 0]?.entries.push(entry);
  return parts;
}

/** Why nothing more is taken. */
type End = "target" | "exhausted";

/**
 * Takes from the pool, best first, as much as quotas, the share without calls and the target allow; all three hold after each trajectory, so
 * wherever it ends they hold: each part has its share within one, by the quota method (Balinski and Young 1975): the next place goes
 * to the part with the largest share per place among those that one more does not bring above their quota. `pool`: entries, best first.
 */
class Composition {
  readonly taken = new Set<number>();
  private readonly list: readonly Candidate[];
  private readonly recipe: FilterSetRecipe;
  private readonly parts: readonly Part[];
  private readonly place: ReadonlyMap<number, number>;
  private without = 0;
  private samples = 0;

  constructor(list: readonly Candidate[], pool: readonly number[], parts: readonly Part[], recipe: FilterSetRecipe) {
    this.list = list;
    this.recipe = recipe;
    this.parts = parts.filter(({ share }) => share > 0);
    this.place = new Map(pool.map((entry, index) => [entry, index]));
  }

  /** May one more be without a context call? */
  mayBeWithout(): boolean {
    const most = this.recipe.maxShareWithoutCalls;
    return most === null || this.without + 1 <= most * (this.taken.size + 1) + tolerance;
  }

  private head(part: Part): { queue: Part["queues"][number]; entry: number } | null {
    const heads = part.queues.flatMap((queue, index) => {
      const entry = queue.entries[queue.next];
      return entry === undefined || (index === 1 && !this.mayBeWithout()) ? [] : [{ queue, entry }];
    });
    return heads.sort((a, b) => (this.place.get(a.entry) ?? 0) - (this.place.get(b.entry) ?? 0))[0] ?? null;
  }

  /** Has every part its share within one, when the next place is this part's? */
  private balanced(next: Part): boolean {
    const size = this.taken.size + 1;
    return this.parts.every((part) => Math.abs(part.share * size - part.taken - (part === next ? 1 : 0)) < 1 + tolerance);
  }

  private next(): { part: Part; queue: Part["queues"][number]; entry: number } | null {
    const size = this.taken.size + 1;
    const eligible = this.parts
      .filter((part) => part.taken < part.share * size - tolerance)
      .sort((a, b) => b.share / (b.taken + 1) - a.share / (a.taken + 1) || (a.name < b.name ? -1 : 1));
    for (const part of eligible) {
      if (part.queues.every(({ entries, next }) => next >= entries.length)) return null; // the scarcest decides
      const head = this.head(part);
      if (head !== null && this.balanced(part)) return { part, ...head };
    }
    return null;
  }

  private reached(): boolean {
    const { targetTrajectories, targetSamples } = this.recipe;
    return (
      this.taken.size >= (targetTrajectories ?? Number.POSITIVE_INFINITY) || this.samples >= (targetSamples ?? Number.POSITIVE_INFINITY)
    );
  }

  /** A trajectory that is too large for what is left of the target is passed over. */
  run(): End {
    let passed = false;
    for (;;) {
      if (this.reached()) return "target";
      const next = this.next();
      if (next === null) return passed ? "target" : "exhausted";
      const { part, queue, entry } = next;
      const candidate = this.list[entry] as Candidate;
      queue.next += 1;
      if (this.samples + candidate.samples > (this.recipe.targetSamples ?? Number.POSITIVE_INFINITY)) {
        passed = true;
        continue;
      }
      part.taken += 1;
      this.taken.add(entry);
      this.samples += candidate.samples;
      if (withoutCalls(candidate)) this.without += 1;
    }
  }
}

/** Of the pool (entries, best first) those that are left out, each with its reason. */
export function composeSet(list: readonly Candidate[], pool: readonly number[], recipe: FilterSetRecipe): Map<number, LeftOut> {
  const parts = partsOf(list, pool, recipe.mix);
  const composition = new Composition(list, pool, [...parts.values()], recipe);
  const end = composition.run();
  const target = recipe.targetTrajectories !== null && composition.taken.size >= recipe.targetTrajectories;
  const targetLimit = (target ? recipe.targetTrajectories : recipe.targetSamples) ?? 0;
  const blocked = !composition.mayBeWithout();
  const left = new Map<number, LeftOut>();
  for (const entry of pool) {
    if (composition.taken.has(entry)) continue;
    const candidate = list[entry] as Candidate;
    const share = (parts.get(candidate.source) ?? parts.get(others))?.share ?? 0;
    const ofMix: LeftOut = { rule: "mix", of: candidate.source, value: null, limit: Math.round(1e4 * share) / 1e4 };
    if (share === 0) left.set(entry, ofMix);
    else if (blocked && withoutCalls(candidate))
      left.set(entry, { rule: "without-calls", of: null, value: null, limit: recipe.maxShareWithoutCalls ?? 0 });
    else left.set(entry, end === "target" ? { rule: "target-size", of: null, value: null, limit: targetLimit } : ofMix);
  }
  return left;
}
