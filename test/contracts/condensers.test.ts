import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Writer } from "../../schemas/sidecars.ts";
import type { CondenseJob, Condenser } from "../../stages/condense/condensers/condenser.ts";
import { condensers } from "../../stages/condense/condensers/index.ts";
import { CondenseParams } from "../../stages/condense/params.ts";
import { type CondenseInput, condenseInput } from "../../stages/lib/condense-input.ts";
import { parseMemory } from "../../stages/lib/memory-text.ts";
import { requestVersion } from "../../stages/lib/request-version.ts";
import { exactTokens, fakePorts } from "../fakes/fake-ports.ts";
import { arbitraryPlacement, defaults, memorySize, memoryText, personaRecipe } from "../invariants/placement.ts";

const params = CondenseParams.parse({
  persona: personaRecipe(),
  window: { tokens: 65_536, replyTokens: 4_096 },
  condense: { ...defaults.condense, condenser: "llm", thought: "template" },
  endpoint: null,
  requestVersion,
});
const thought = { cut: 1, reason: "signals" as const, signals: [], lastSteps: [], pick: 7 };
const jobOf = (input: CondenseInput): CondenseJob => ({ input, label: "test@1", params, thought });
const world = () => fakePorts(() => memoryText("m"), exactTokens);

/** The inputs of all blocks of a random placement. */
const inputs: fc.Arbitrary<CondenseInput[]> = arbitraryPlacement({ longText: 300 }).map(({ rendered, sizes, blocks }) =>
  blocks.map((block, index) => condenseInput(rendered, sizes, block, blocks[index - 1] ?? null, memorySize)),
);

describe.each(Object.entries<Condenser>(condensers))("condenser %s", (name, condenser) => {
  const each = (check: (input: CondenseInput) => Promise<void>): Promise<void> =>
    fc.assert(
      fc.asyncProperty(inputs, async (all) => {
        for (const input of all) await check(input);
      }),
      { seed: 141, numRuns: 100, endOnFailure: true },
    );

  test("labels what it writes with its own name, and gives the reason where it writes nothing", () =>
    each(async (input) => {
      const written = await condenser(jobOf(input), world());
      if (!written.ok) expect(written.why).toMatch(/^[a-z]+(-[a-z]+)*$/);
      else expect(Writer.parse(written.value.writer).condenser).toBe(name);
    }));

  test("writes every section, within the cap", () =>
    each(async (input) => {
      const written = await condenser(jobOf(input), world());
      if (!written.ok) return;
      expect(parseMemory(written.value.memory)).toMatchObject({ ok: true });
      expect(exactTokens(written.value.memory)).toBeLessThanOrEqual(input.capTokens);
    }));

  test("says the same again, and leaves its input alone", () =>
    each(async (input) => {
      const before = JSON.stringify(input);
      const first = await condenser(jobOf(input), world());
      expect(await condenser(jobOf(input), world())).toEqual(first);
      expect(JSON.stringify(input)).toBe(before);
    }));

  test("does not read the rendered turns, only what the request states", () =>
    each(async (input) => {
      const blind = (steps: CondenseInput["fold"]) => steps.map((step) => ({ ...step, assistant: "unread", user: null }));
      const written = await condenser(jobOf(input), world());
      expect(await condenser(jobOf({ ...input, fold: blind(input.fold), recent: blind(input.recent) }), world())).toEqual(written);
    }));
});
