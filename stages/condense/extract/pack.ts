import type { MemoryPart } from "../../../schemas/memory-notes.ts";
import { countControlTexts } from "../../lib/control-tokens.ts";
import { emptyNotes, renderMemory } from "../../lib/memory-text.ts";
import { type Note, structured } from "./note.ts";

/** Share of the budget that a section may take before the others have had theirs. They add up to a little more than 1: some have little to say. */
const shares: Readonly<Record<MemoryPart, number>> = {
  task: 0.08,
  completed: 0.15,
  attempts: 0.24,
  changes: 0.2,
  tests: 0.12,
  facts: 0.24,
  questions: 0.08,
  next: 0.08,
};
/** Notes beyond this are not even weighed; a memory of 8,192 tokens holds about 250. */
const mostNotes = 600;

/** The notes to keep, by weight: first within each section's share, then wherever room is left. */
function chosen(notes: readonly Note[], budget: number, costs: ReadonlyMap<Note, number>): Set<Note> {
  const kept = new Set<Note>();
  const spent = new Map<MemoryPart, number>();
  let left = budget;
  for (const withinShare of [true, false])
    for (const note of notes) {
      const cost = costs.get(note) ?? 0;
      const own = spent.get(note.part) ?? 0;
      if (kept.has(note) || cost > left || (withinShare && own + cost > shares[note.part] * budget)) continue;
      kept.add(note);
      spent.set(note.part, own + cost);
      left -= cost;
    }
  return kept;
}

/**
 * The memory with as many notes as `targetTokens` allow, in the order given; the weightiest survive. The empty structure is left when
 * nothing fits. Tokens of lines add up nearly, so the whole is counted at the end and trimmed until it fits.
 */
export function pack(notes: readonly Note[], targetTokens: number, count: (text: string) => number): string {
  const safe = notes.filter((note) => countControlTexts(`- ${note.text}`) === 0);
  const ranked = safe.map((note, index) => ({ note, index })).sort((a, b) => b.note.weight - a.note.weight || b.index - a.index);
  const byWeight = ranked.slice(0, mostNotes).map(({ note }) => note);
  const costs = new Map(byWeight.map((note) => [note, count(`- ${note.text}\n`)]));
  const kept = chosen(byWeight, targetTokens - count(renderMemory(emptyNotes())), costs);
  const leaving = byWeight.filter((note) => kept.has(note)).reverse();
  const text = (): string => renderMemory(structured(safe.filter((note) => kept.has(note))));
  let memory = text();
  for (let over = count(memory) - targetTokens; over > 0 && kept.size > 0; over = count(memory) - targetTokens) {
    for (let freed = 0; freed < over && leaving.length > 0; ) {
      const note = leaving.shift();
      if (note === undefined) break;
      kept.delete(note);
      freed += costs.get(note) ?? 1;
    }
    memory = text();
  }
  return memory;
}
