import { actionOf } from "../commands/actions.ts";
import { givenIn, textIn } from "../commands/given.ts";
import type { RenderedStep } from "../render.ts";
import type { Check, CheckView, Finding } from "./check.ts";
import { type Entity, entitiesIn } from "./entities.ts";
import type { MemoryLine } from "./lines.ts";
import { pathSeen, symbolSeen, testSeen } from "./lookup.ts";
import { type Seen, seenOf, seenText, textsOf } from "./seen.ts";

/** What later steps use without seeing it again first, and the fold had shown, is still visible behind the memory. */

const prose = (text: string): MemoryLine => ({ text, heading: "", plan: false, code: false });
/** Names per step: a step that names more is a listing. Our choice; keeps the work linear. */
const mostNames = 120;

/** Text of a step that has to come from what the agent knows: what it says, where it looks, what it searches, what it replaces. New code is its own. */
function neededText(step: RenderedStep): string {
  const given = step.calls.map((call) => {
    const action = actionOf(call);
    const all = givenIn(call.arguments);
    const asked = textIn(all, "oldstr", "oldstring", "oldtext", "pattern", "query", "searchterm") ?? "";
    return [action.kind === "edit" ? "" : action.command, ...action.files, ...action.reads, asked.slice(0, 2_000)].join("\n");
  });
  return [step.thought.slice(0, 6_000), ...given].join("\n");
}

const known = new WeakMap<RenderedStep, readonly Entity[]>();
/** Paths, symbols, tests and error types that a step uses, without repeats. */
export function usedIn(step: RenderedStep): readonly Entity[] {
  const there = known.get(step);
  if (there !== undefined) return there;
  const names = new Map<string, Entity>();
  for (const text of neededText(step).split("\n")) {
    if (names.size >= mostNames) break;
    for (const entity of entitiesIn(prose(text.slice(0, 2_000)), text.slice(0, 2_000)))
      if (entity.kind !== "number" && entity.kind !== "command" && !names.has(entity.words)) names.set(entity.words, entity);
  }
  const used = [...names.values()].slice(0, mostNames);
  known.set(step, used);
  return used;
}

const nameSeen = ({ kind, words }: Entity, seen: Seen): boolean =>
  kind === "path" ? pathSeen(words, seen) : kind === "test" ? testSeen(words, seen) : symbolSeen(words, seen);

/** A name that a step after the cut uses, and that the fold had shown before. */
export interface Needed {
  readonly entity: Entity;
  /** Steps from the cut to the one that uses it first, counted from 1. */
  readonly step: number;
  /** Is it visible to that step: in the task, the memory, the recent steps or those since? */
  readonly visible: boolean;
}

const neededBy = new WeakMap<CheckView, readonly Needed[]>();
/** Names of the fold that later steps use, each once; none where nobody may look ahead. */
export function laterNeeded(view: CheckView): readonly Needed[] {
  const there = neededBy.get(view);
  if (there !== undefined) return there;
  const needed = view.later === null ? [] : readLater(view, view.later);
  neededBy.set(view, needed);
  return needed;
}

function readLater(view: CheckView, later: readonly RenderedStep[]): Needed[] {
  const fold = seenOf(view.fold.flatMap(textsOf));
  const visible = [seenText(view.task), seenText(view.memory), ...view.recent.flatMap(textsOf)];
  const decided = new Set<string>();
  const needed: Needed[] = [];
  for (const [index, step] of later.entries()) {
    const seen = seenOf(visible);
    for (const entity of usedIn(step)) {
      const name = entity.words.toLowerCase();
      if (decided.has(name) || decided.size >= mostDecided) continue;
      decided.add(name);
      if (nameSeen(entity, fold)) needed.push({ entity, step: index + 1, visible: nameSeen(entity, seen) });
    }
    visible.push(...textsOf(step));
  }
  return needed;
}

export const sufficient: Check = (view) => {
  const needed = laterNeeded(view);
  return {
    looked: needed.length,
    findings: needed
      .filter(({ visible }) => !visible)
      .map(
        ({ entity, step }): Finding => ({ words: entity.words, why: `step ${step} after the cut uses it, and only the fold had shown it` }),
      ),
  };
};

/** Of the names that `sufficient` looks at, those that the memory itself tells. */
export function toldNames(view: CheckView): { readonly needed: number; readonly told: number } {
  const needed = laterNeeded(view);
  if (needed.length === 0) return { needed: 0, told: 0 };
  const memory = seenOf([seenText(view.memory)]);
  return { needed: needed.length, told: needed.filter(({ entity }) => nameSeen(entity, memory)).length };
}

/** Names decided per cut; what a run names for the first time after that is far from this fold. Our choice; bounds the work on long runs. */
const mostDecided = 2_000;
