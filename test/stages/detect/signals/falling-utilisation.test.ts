import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { fallingUtilisation } from "../../../../stages/detect/signals/falling-utilisation.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { lastEvidence, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep } from "../../../fakes/steps.ts";

/** Answers with the names of a topic, and turns that use them. */
const topic = (name: string): string => Array.from({ length: 12 }, (_, index) => `${name}_function_${index}`).join("\n");
const shows = (name: string): Step => bashStep(`cat ${name}.py`, topic(name));
const uses = (name: string, index: number): Step => bashStep(`grep -n ${name}_function_${index} src/x.py`, "nothing");
const tokensOf = (steps: readonly Step[], size = 1_000): number[] => steps.map(() => size);
const speaks = (steps: readonly Step[], size?: number) => spoken(fallingUtilisation, steps, { tokens: tokensOf(steps, size) });

const old = [shows("alpha"), shows("beta"), shows("gamma"), shows("delta"), shows("eps"), ...[0, 1, 2, 3].map((n) => uses("alpha", n))];
const useOld = ["alpha", "beta", "gamma", "delta", "eps"].map((name) => uses(name, 5));
const useNew = [1, 2, 3, 4, 5, 6].map((index) => uses("zeta", index));

test("it speaks once turns stop drawing on what was read before", () => {
  const cuts = speaks([...old, ...useOld, shows("zeta"), ...useNew]).map(([cut]) => cut);
  expect(cuts.length).toBeGreaterThan(0);
  expect(Math.min(...cuts)).toBeGreaterThan(old.length + useOld.length);
});

test("as long as turns come back to what was read it is silent", () => {
  expect(speaks([...old, ...useOld, ...useOld, ...useOld])).toEqual([]);
});

test("a small context is not worth asking about", () => {
  expect(speaks([...old, ...useOld, shows("zeta"), ...useNew], 50)).toEqual([]);
});

test("what was never used does not fall", () => {
  const aimless = Array.from({ length: 14 }, (_, index) => bashStep(`cat f${index}`, "no names"));
  expect(speaks(aimless).length).toBeLessThanOrEqual(5); // the first turns are the only ones with a before that was all in use
});

test("the evidence gives the shares and the tokens", () => {
  const steps = [...old, ...useOld, shows("zeta"), ...useNew];
  const [cut] = speaks(steps)[0] ?? [0];
  expect(lastEvidence(fallingUtilisation, steps.slice(0, cut), { tokens: tokensOf(steps) })[0]).toMatch(
    /^steps \d+ to \d+ draw on \d+ % of the [\d,]+ tokens before them; 5 steps ago it was \d+ %$/,
  );
});

test.each(Object.entries(agents))("names are found in the calls of %s, whatever their spelling", (_, agent) => {
  const path = (name: string): string => `/repo/${name}_module.py`;
  const read = ["alpha", "beta", "gamma", "delta", "eps"].map((name) => ({
    ...agent.look(path(name)),
    calls: agent.look(path(name)).calls.map((call) => ({ ...call, result: topic(name) })),
  }));
  const back = ["alpha", "beta", "gamma", "delta", "eps"].map((name) => agent.run(`grep ${name}_function_1 .`, ""));
  const away = Array.from({ length: 6 }, (_, index) => agent.run(`make target${index}`, ""));
  const cuts = speaks([...read, ...back, ...away]).map(([cut]) => cut);
  expect(cuts.length).toBeGreaterThan(0);
  expect(Math.min(...cuts)).toBeGreaterThan(10);
});
