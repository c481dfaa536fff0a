import type { Check, Finding } from "./check.ts";
import { entitySeen, unseenEntities } from "./grounded.ts";
import { knownOf } from "./known.ts";
import { seenOf, textsOf } from "./seen.ts";

/** Nothing that the memory claims is first seen after the cut: a memory that knows what was not there yet was written with the answer at hand. */
export const noLeak: Check = (view) => {
  if (view.later === null) return { looked: 0, findings: [] };
  const known = knownOf(view);
  const later = { ...known, before: seenOf(view.later.flatMap(textsOf)) };
  const findings = unseenEntities(known)
    .filter((entity) => entitySeen(entity, later))
    .map(({ kind, words }): Finding => ({ words, why: `${kind} is first seen after the cut` }));
  const told = new Set<string>();
  return { looked: known.entities.length, findings: findings.filter(({ words }) => !told.has(words) && told.add(words).size > 0) };
};
