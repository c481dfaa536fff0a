import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SampleFacts, SampleKind, Turn } from "../../schemas/sample.ts";
import { layouts } from "../../stages/export/layouts/index.ts";
import type { LayoutPorts } from "../../stages/export/layouts/layout.ts";
import { chatText, footer, header, withSystem } from "../../stages/lib/chatml.ts";
import { callsOf, callTurns, flatTurns } from "../../stages/lib/samples.ts";
import { exactIds, exactTokens } from "../fakes/fake-ports.ts";
import { modelCalls } from "./live-view.ts";
import { allSamples, arbitraryPlacement, type Placement } from "./placement.ts";
import { official } from "./template.ts";

const numRuns = 150;
const bare = ({ role, content }: Pick<Turn, "role" | "content">): { role: string; content: string } => ({ role, content });
const flatOf = ({ rendered, blocks, recipe }: Placement): Turn[] => flatTurns(rendered, blocks, recipe);
const stepsOf = ({ segments, workspace }: Placement): Turn[][] =>
  segments.flatMap((turns, index) => {
    const segment = workspace.segments[index];
    return segment === undefined ? [] : Array.from({ length: callsOf(segment) }, (_, call) => callTurns(turns, call));
  });
const random = arbitraryPlacement({ longText: 200 });

describe("kind step, over random trajectories and placements", () => {
  test("(1) (4) there is one sample per model call, in order, with what the live agent sees and its reply alone trained", () => {
    fc.assert(
      fc.property(random, (placement) => {
        const learned = stepsOf(placement).map((turns) => {
          expect(turns.filter(({ train }) => train)).toEqual(turns.slice(-1));
          return { context: turns.slice(0, -1).map(bare), reply: bare(turns.at(-1) as Turn), step: turns.at(-1)?.step };
        });
        expect(learned).toEqual(modelCalls(placement));
      }),
      { seed: 31, numRuns },
    );
  });
});

describe("kind flat, over random trajectories and placements", () => {
  test("(1) trains each step and each context call once, in the order in which they happen", () => {
    fc.assert(
      fc.property(random, (placement) => {
        const trained = flatOf(placement).filter(({ train }) => train);
        expect(trained.map(({ step }) => step)).toEqual(modelCalls(placement).map(({ step }) => step));
        expect(trained.map(bare)).toEqual(modelCalls(placement).map(({ reply }) => reply));
      }),
      { seed: 32, numRuns },
    );
  });

  test("(6) (7) alternates, ends with a trained turn, and is the official template's text", () => {
    fc.assert(
      fc.property(random, (placement) => {
        const turns = flatOf(placement);
        expect(turns.map(({ role }) => role)).toEqual(
          turns.map((_, index) => (index === 0 ? "system" : index % 2 === 1 ? "user" : "assistant")),
        );
        expect(turns.at(-1)?.train).toBe(true);
        expect(chatText(turns)).toBe(official(turns.map(bare)));
      }),
      { seed: 33, numRuns },
    );
  });

  test("(8) without the context calls and their memories it is the base trajectory, byte for byte", () => {
    fc.assert(
      fc.property(random, (placement) => {
        const own = flatOf(placement).filter(({ step }, index) => step >= 0 || index < 2);
        expect(own.slice(1)).toEqual(placement.base.slice(1));
      }),
      { seed: 34, numRuns },
    );
  });
});

const ports: LayoutPorts = { countTokens: exactTokens, encode: exactIds };
const facts: SampleFacts = {
  instance: null,
  source: "test",
  resolved: null,
  licence: null,
  toolsJson: "[]",
  callStyle: "hermes",
  tokens: 0,
  trainedTokens: 0,
  metaJson: null,
};
const exported = (turns: readonly Turn[], kind: SampleKind = "segment") => ({
  sample: { id: `x#${kind}0`, trajectory: "test/one/0123456789ab", kind, index: 0, count: 1, turns: withSystem(turns) as Turn[] },
  facts,
  said: null,
});

describe("layouts, over random samples of every kind", () => {
  const anySample = random.chain((placement) =>
    fc.constantFrom(...allSamples(placement), flatOf(placement), ...stepsOf(placement).slice(-3)),
  );

  test("tokenized labels are the masks of the messages, and the ids those of the whole chat text", () => {
    fc.assert(
      fc.property(anySample, (turns) => {
        const one = exported(turns);
        const [made] = layouts.tokenized.rows(one, ports);
        const row = made?.row as { input_ids: Int32Array; labels: Int32Array };
        expect([...row.input_ids].join()).toBe([...exactIds(chatText(turns))].join());
        const labels = one.sample.turns.flatMap(({ role, content, train }) => {
          const head = exactTokens(header(role));
          const ids = [...exactIds(header(role) + content + footer)];
          return [...ids.map((id, index) => (train && index >= head ? id : -100)), -100];
        });
        expect([...row.labels].join()).toBe(labels.join());
      }),
      { seed: 35, numRuns },
    );
  });

  test("the rows of turns hold each trained turn once and last; prompt and completion are the messages", () => {
    fc.assert(
      fc.property(anySample, (turns) => {
        const one = exported(turns);
        const rows = layouts.turns.rows(one, ports).map(({ row }) => row["messages"] as { content: string }[]);
        expect(rows.map((messages) => messages.at(-1)?.content)).toEqual(turns.flatMap(({ content, train }) => (train ? [content] : [])));
        const pair = layouts["prompt-completion"].rows(one, ports)[0]?.row as { prompt: unknown[]; completion: { role: string }[] };
        expect([...pair.prompt, ...pair.completion]).toEqual(one.sample.turns.map(bare));
        expect(pair.completion.filter(({ role }) => role === "assistant")).toHaveLength(turns.filter(({ train }) => train).length);
      }),
      { seed: 36, numRuns },
    );
  });
});
