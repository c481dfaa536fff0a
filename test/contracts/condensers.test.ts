import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Writer } from "../../schemas/sidecars.ts";
import type { Condenser } from "../../stages/condense/condensers/condenser.ts";
import { condensers } from "../../stages/condense/condensers/index.ts";
import { type CondenseInput, condenseInput } from "../../stages/lib/condense-input.ts";
import { parseMemory } from "../../stages/lib/memory-text.ts";
import { exactTokens, fakePorts } from "../fakes/fake-ports.ts";
import { arbitraryPlacement, memorySize, memoryText } from "../invariants/placement.ts";

const attempt = { label: "condense:test@1", attempt: 0, temperature: null };
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
      const written = await condenser(input, world(), attempt);
      if (!written.ok) expect(written.why).toMatch(/^[a-z]+(-[a-z]+)*$/);
      else expect(Writer.parse(written.value.writer).condenser).toBe(name);
    }));

  test("writes every section, within the cap", () =>
    each(async (input) => {
      const written = await condenser(input, world(), attempt);
      if (!written.ok) return;
      expect(parseMemory(written.value.memory)).toMatchObject({ ok: true });
      expect(exactTokens(written.value.memory)).toBeLessThanOrEqual(input.capTokens);
    }));

  test("says the same again, and leaves its input alone", () =>
    each(async (input) => {
      const before = JSON.stringify(input);
      const first = await condenser(input, world(), attempt);
      expect(await condenser(input, world(), attempt)).toEqual(first);
      expect(JSON.stringify(input)).toBe(before);
    }));

  test("does not read the rendered turns, only what the request states", () =>
    each(async (input) => {
      const blind = (steps: CondenseInput["fold"]) => steps.map((step) => ({ ...step, assistant: "unread", user: null }));
      const written = await condenser(input, world(), attempt);
      expect(await condenser({ ...input, fold: blind(input.fold), recent: blind(input.recent) }, world(), attempt)).toEqual(written);
    }));
});
