import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import type { Check, CheckView } from "../../stages/lib/checks/check.ts";
import { checkMemory, checks } from "../../stages/lib/checks/index.ts";
import { type Rendered, render } from "../../stages/lib/render.ts";
import { arbitraryTrajectory } from "../fakes/arbitrary-trajectory.ts";
import { shortRun } from "../fakes/steps.ts";

/** What every check promises, whatever it looks at. A new one is covered as soon as it is in the registry. */

const persona = PersonaRecipe.parse({ name: "keep", controlTokens: "escape" });
const rendered = (steps: Rendered["steps"], cut: number, keptFrom: number, memory: string, previousMemory: string | null): CheckView => ({
  task: "Fix `parse` in /testbed/src/a.py. Do not modify the tests.",
  previousMemory,
  fold: steps.slice(0, keptFrom),
  recent: steps.slice(keptFrom, cut),
  later: steps.slice(cut),
  memory,
});

const fragments = [
  "## Tests",
  "- `pytest tests/test_a.py` failed: 2 failed, 3 passed",
  "- All tests pass.",
  "Created `src/b.py:12-40`",
  "line 459 of `HPacker`",
  "CHANGES: None yet",
  "- must not touch `tests/`; 1,234 rows",
  "``` ",
  "`` a`b ``",
  "…",
  "1e999 0x5deece66d 3.10.2",
  "\u{1f600} \ud800 ﷽ \\n\\t",
];
const memory = fc.oneof(
  fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((lines) => lines.join("\n")),
  fc.string({ unit: "binary", maxLength: 300 }),
);
const views = fc
  .record({
    trajectory: arbitraryTrajectory({ longText: 200 }),
    memory,
    previous: fc.option(memory),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ trajectory, memory: text, previous, share }) => {
    const rendering = render(trajectory, persona);
    const steps = rendering.ok ? rendering.value.steps : [];
    const cut = Math.floor(share * steps.length);
    return rendered(steps, cut, Math.max(0, cut - 2), text, previous);
  });

describe.each(Object.entries(checks as Record<string, Check>))("check %s", (_, check) => {
  test("is total, deterministic, and finds no more than it looked at", () => {
    fc.assert(
      fc.property(views, (view) => {
        const first = check(view);
        expect(check({ ...view })).toEqual(first);
        expect(first.looked).toBeGreaterThanOrEqual(0);
        for (const { words, why } of first.findings) expect(words.length * why.length).toBeGreaterThan(0);
      }),
      { seed: 501, numRuns: 150, endOnFailure: true },
    );
  });

  test("changes nothing", () => {
    fc.assert(
      fc.property(views, (view) => {
        const before = JSON.stringify(view);
        check(view);
        expect(JSON.stringify(view)).toBe(before);
      }),
      { seed: 502, numRuns: 50, endOnFailure: true },
    );
  });

  test("takes time that grows no faster than what it reads", () => {
    const time = (copies: number): number => {
      const noise = "abc_def/ghi.py:12 `x_y` 1.2.3 -- ".repeat(copies);
      const step = { thought: noise, calls: [], feedback: [], assistant: noise, user: null };
      const view = rendered(
        [step, step],
        1,
        1,
        `${noise}\n${"a".repeat(copies * 20)} ${"9".repeat(copies * 10)} ${"/a".repeat(copies * 5)}`,
        null,
      );
      const start = performance.now();
      check(view);
      return performance.now() - start;
    };
    time(100);
    const small = Math.max(time(400), time(400), 2);
    expect(time(3_200)).toBeLessThan(small * 8 * 6); // eight times the text; six for the noise of a busy machine
  });
});

test("an empty memory makes no claim", () => {
  for (const { check, findings } of checkMemory(rendered([], 0, 0, "", null))) expect(findings, check).toEqual([]);
});

test("nobody looks ahead while a memory is written", () => {
  const view = { ...rendered([], 0, 0, "`later_name` in `later/file.py`", null), later: null };
  for (const { check, looked } of checkMemory(view)) if (check === "no-leak" || check === "sufficient") expect(looked).toBe(0);
  expect(shortRun.length).toBeGreaterThan(0);
});
