import { expect, test } from "vitest";
import { killMany, makeReference } from "./kill.ts";
import { chanceOf, concurrency, openYard, rounds, seed, seeded } from "./lib.ts";

/** Row 1 of the fault catalogue: `kill -9` at random moments, twice in a row too. */

test(`nothing is lost, doubled or paid twice by ${rounds} kills at random moments`, async () => {
  const startedMs = performance.now();
  const yards = [await openYard({ endpoint: { delayMs: 400 } }), await openYard()] as const;
  try {
    const tallies = await seeded("kills", () =>
      Promise.all(
        yards.map(async (yard, lane) =>
          killMany(yard, await makeReference(yard), chanceOf(`kills ${lane}`), lane === 0 ? Math.ceil(rounds / 2) : Math.floor(rounds / 2)),
        ),
      ),
    );
    const sum = (pick: (tally: (typeof tallies)[number]) => number): number => tallies.reduce((all, tally) => all + pick(tally), 0);
    const inside = sum((tally) => tally.inside);
    console.log(
      `chaos: seed ${seed}; ${sum((tally) => tally.kills)} kills in ${sum((tally) => tally.runs)} runs, ${inside} inside the run (${sum((tally) => tally.missed)} more came too late), ` +
        `${sum((tally) => tally.inStage3)} of them while stage 3 waited for the endpoint, ${sum((tally) => tally.whileResuming)} while resuming; ` +
        `${sum((tally) => tally.requests)} calls for ${sum((tally) => tally.distinct)} distinct requests at concurrency ${concurrency}; ` +
        `${Math.round((performance.now() - startedMs) / 1000)} s`,
    );
    expect(inside).toBeGreaterThanOrEqual(0.9 * rounds);
  } finally {
    for (const yard of yards) await yard.close();
  }
});
