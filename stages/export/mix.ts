import type { MixRecipe } from "../../schemas/recipe/export.ts";
import type { SampleKind } from "../../schemas/sample.ts";

/** Why a sample that passed everything is left out. */
export const overMix = "over-mix";
export const overInstance = "over-instance-limit";

/** A sample in the draw. `draw` is the start of its digest: the smallest win, whatever came before or after it. */
interface Ticket {
  readonly draw: string;
  readonly place: number;
}

/** 96 bits: two of 10^9 samples draw the same with a chance of 10^-11. */
const drawDigits = 24;
const byDraw = (a: Ticket, b: Ticket): number => (a.draw < b.draw ? -1 : a.draw > b.draw ? 1 : 0);

/** The `limit` tickets with the smallest draws of any number, in memory for twice as many. */
class Smallest {
  private tickets: Ticket[] = [];
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  add(ticket: Ticket): void {
    this.tickets.push(ticket);
    if (this.tickets.length >= 2 * this.limit) this.trim();
  }

  all(): readonly Ticket[] {
    this.trim();
    return this.tickets;
  }

  private trim(): void {
    this.tickets = this.tickets.sort(byDraw).slice(0, this.limit);
  }
}

export interface MixLimits {
  readonly mix: MixRecipe;
  readonly baseMaxPerInstance: number | null;
  readonly seed: number;
}

/** What the draw came to. */
export interface Mixed {
  /** Samples per place, by kind. */
  readonly rows: ReadonlyMap<SampleKind, ReadonlyMap<number, number>>;
  readonly dropped: readonly { readonly kind: SampleKind; readonly why: string; readonly count: number }[];
  has(kind: SampleKind, draw: string): boolean;
}

const counted = (tickets: Iterable<Ticket>): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const { place } of tickets) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
};

/** Draws of one kind: none, or the smallest of each instance, then the smallest of all. */
class KindDraw {
  private seen = 0;
  private readonly free = new Map<number, number>();
  private readonly chosen: Smallest | null;
  private readonly perInstance: Map<string, Smallest> | null;

  private readonly most: number | null;
  private readonly mostPerInstance: number | null;

  constructor(most: number | null, mostPerInstance: number | null) {
    this.most = most;
    this.mostPerInstance = mostPerInstance;
    this.chosen = most === null || mostPerInstance !== null ? null : new Smallest(most);
    this.perInstance = mostPerInstance === null ? null : new Map();
  }

  add(ticket: Ticket, instance: string): void {
    this.seen += 1;
    if (this.perInstance !== null && this.mostPerInstance !== null) {
      const own = this.perInstance.get(instance) ?? new Smallest(this.mostPerInstance);
      own.add(ticket);
      this.perInstance.set(instance, own);
    } else if (this.chosen !== null) this.chosen.add(ticket);
    else this.free.set(ticket.place, (this.free.get(ticket.place) ?? 0) + 1);
  }

  /** null: all of them are in. */
  result(): { tickets: readonly Ticket[] | null; rows: Map<number, number>; overInstance: number; overMix: number } {
    if (this.perInstance === null && this.chosen === null) return { tickets: null, rows: this.free, overInstance: 0, overMix: 0 };
    let tickets = this.chosen?.all() ?? [...(this.perInstance?.values() ?? [])].flatMap((own) => own.all());
    const afterInstance = this.chosen === null ? tickets.length : this.seen;
    if (this.most !== null && tickets.length > this.most) tickets = [...tickets].sort(byDraw).slice(0, this.most);
    return { tickets, rows: counted(tickets), overInstance: this.seen - afterInstance, overMix: afterInstance - tickets.length };
  }
}

/**
 * How many samples of each kind go into the dataset. Every sample draws by its id and the seed alone: neither the order nor what else is
 * there moves a draw, and a higher limit only adds. Holds as many draws as the limits allow, of `base` as many per instance.
 */
export class Mix {
  private readonly kinds = new Map<SampleKind, KindDraw>();

  private readonly limits: MixLimits;
  private readonly digest: (text: string) => string;

  constructor(limits: MixLimits, digest: (text: string) => string) {
    this.limits = limits;
    this.digest = digest;
  }

  /** Enters a sample; returns its draw, by which the result knows it. */
  add(kind: SampleKind, id: string, instance: string, place: number): string {
    const { mix, baseMaxPerInstance, seed } = this.limits;
    const perInstance = kind === "base" ? baseMaxPerInstance : null;
    const draw = this.digest(`mix ${seed} ${id}`).slice(0, drawDigits);
    const own = this.kinds.get(kind) ?? new KindDraw(mix[kind], perInstance);
    this.kinds.set(kind, own);
    own.add({ draw, place }, instance);
    return draw;
  }

  result(): Mixed {
    const rows = new Map<SampleKind, Map<number, number>>();
    const dropped: { kind: SampleKind; why: string; count: number }[] = [];
    const chosen = new Map<SampleKind, ReadonlySet<string>>();
    for (const [kind, own] of this.kinds) {
      const result = own.result();
      rows.set(kind, result.rows);
      if (result.tickets !== null) chosen.set(kind, new Set(result.tickets.map(({ draw }) => draw)));
      for (const [why, count] of [
        [overInstance, result.overInstance],
        [overMix, result.overMix],
      ] as const)
        if (count > 0) dropped.push({ kind, why, count });
    }
    return { rows, dropped, has: (kind, draw) => chosen.get(kind)?.has(draw) ?? true };
  }
}
