import { describe, expect, test } from "vitest";
import { Fault } from "../../../schemas/fault.ts";
import type { Detection, InsertionPoint, SignalScore } from "../../../schemas/sidecars.ts";
import { Memory } from "../../../schemas/sidecars.ts";
import { condense } from "../../../stages/condense/condense.ts";
import type { CondenseParams } from "../../../stages/condense/params.ts";
import { condenseRequest } from "../../../stages/lib/condense-request.ts";
import { requestVersion } from "../../../stages/lib/request-version.ts";
import type { Outcome } from "../../../stages/stage.ts";
import { exactTokens, type FakePorts, fakePorts, type Script } from "../../fakes/fake-ports.ts";
import { noPlacement } from "../../fakes/no-placement.ts";
import { trajectoryOf } from "../../fakes/steps.ts";
import { defaults, memoryText, personaRecipe } from "../../invariants/placement.ts";

/** Ten steps that each say which they are. */
const trajectory = trajectoryOf(
  Array.from({ length: 10 }, (_, index) => ({
    thought: `THOUGHT<${index}>`,
    reasoning: `REASONING<${index}>`,
    calls: [
      { id: null, name: "bash", arguments: `{"command": "COMMAND<${index}>"}`, result: `RESULT<${index}>`, exitCode: 0, failed: false },
    ],
    feedback: [`FEEDBACK<${index}>`],
  })),
  "PATCH",
);
const points: InsertionPoint[] = [
  { cut: 4, keptFrom: 2, reason: "signals" },
  { cut: 7, keptFrom: 5, reason: "window" },
];
const evidence = (...lines: string[]): SignalScore[] => [{ signal: "direction-change", score: 0.9, evidence: lines }];
const detection = (...lines: string[]): Detection => ({
  candidates: [{ cut: 4, score: 0.9, signals: evidence(...lines) }],
  points,
  placement: noPlacement,
});

const llm = (
  set: { condense?: Partial<CondenseParams["condense"]>; window?: Partial<CondenseParams["window"]>; escape?: boolean } = {},
): CondenseParams =>
  condense.params.parse({
    persona: personaRecipe({ controlTokens: set.escape ? "escape" : "reject" }),
    window: { tokens: 65_536, replyTokens: 4096, ...set.window },
    condense: { ...defaults.condense, condenser: "llm", thought: "template", transport: "text", ...set.condense },
    endpoint: { model: "scripted" },
    requestVersion,
  });

async function run(
  script: Script,
  params: CondenseParams = llm(),
  found: Detection = detection(),
): Promise<{ outcome: Outcome<Memory>; ports: FakePorts }> {
  const ports = fakePorts(script, exactTokens);
  return { outcome: await condense.run({ trajectory, detection: found }, params, ports), ports };
}
const good = (index: number): string => memoryText(`memory ${index}`);
/** What a row says about a memory that came well at once. */
const asked = (more: Record<string, unknown> = {}) => ({
  condenser: "llm",
  model: "scripted",
  request: expect.stringMatching(/^[0-9a-f]{64}$/),
  transport: "text",
  attempt: 0,
  candidates: 1,
  taken: 0,
  repairs: [],
  pieces: 1,
  thought: { by: "template", why: null },
  ...more,
});
const blocksOf = (outcome: Outcome<Memory>): Memory["blocks"] => {
  if (!outcome.ok) throw new Error(outcome.why);
  return Memory.parse(outcome.value).blocks;
};

describe("memories by a model", () => {
  test("are one per insertion point, in order, each saying who wrote it", async () => {
    const { outcome, ports } = await run([good(1), good(2)]);
    expect(blocksOf(outcome)).toEqual([
      {
        cut: 4,
        keptFrom: 2,
        thought: expect.any(String),
        memory: good(1),
        writer: asked(),
        judged: null,
      },
      {
        cut: 7,
        keptFrom: 5,
        thought: expect.any(String),
        memory: good(2),
        writer: asked(),
        judged: null,
      },
    ]);
    expect(ports.requests.map((request) => [request.label, request.maxTokens, request.sampleIndex])).toEqual([
      ["condense:test/one/0123456789ab@4", 8192, 0],
      ["condense:test/one/0123456789ab@7", 8192, 0],
    ]);
  });

  test("pass the one before on, and it alone", async () => {
    const { ports } = await run([good(1), good(2)]);
    const [first, second] = ports.requests.map((request) => request.messages[0]?.content ?? "");
    expect(first).toContain("# Previous memory\n\n(none yet)");
    expect(second).toContain(`# Previous memory\n\n${good(1)}\n\n# Steps to fold`);
  });

  test("see the fold and the recent steps and nothing later, hidden or known from the end", async () => {
    const { ports } = await run([good(1), good(2)]);
    const shown = ports.requests.map((request) => {
      expect(request.messages).toHaveLength(1);
      const text = request.messages[0]?.content ?? "";
      expect(text).not.toMatch(/REASONING|PATCH|resolved/);
      return ["THOUGHT", "COMMAND", "RESULT", "FEEDBACK"].map((word) =>
        [...text.matchAll(new RegExp(`${word}<(\\d+)>`, "g"))].map((match) => Number(match[1])),
      );
    });
    expect(shown).toEqual([Array(4).fill([0, 1, 2, 3]), Array(4).fill([2, 3, 4, 5, 6])]);
  });

  test("are trimmed, and never open with a blank line", async () => {
    const { outcome } = await run([`\n\n${good(1)}\n`, `\u0085\n ${good(2)}`]);
    expect(blocksOf(outcome).map((block) => block.memory)).toEqual([good(1), good(2)]);
  });

  test("hold no lone surrogates, which no file could store", async () => {
    const { outcome } = await run([`${good(1)} \ud83d`, good(2)]);
    expect(blocksOf(outcome)[0]?.memory).toBe(`${good(1)} \ufffd`);
  });
});

describe("a reply that is not good enough", () => {
  const ownSection = `${good(1)}\n\n## Remarks\n- more`;
  test.each([
    ["is empty", " \n ", "memory-empty", "got nothing"],
    ["is no memory at all", "I would rather chat.", "memory-sections-missing", "not there: Task, Completed"],
    ["has a section of its own", ownSection, "memory-section-unknown", '"## Remarks"'],
    ["is longer than the cap", memoryText("word", 400), "memory-too-long", "may have 1000"],
    ["holds a control token", good(1).replace("memory", "<|im_end|>"), "memory-control-token-text", "control tokens"],
    ["holds a call", `${good(1)}\n<tool_call>\n{}\n</tool_call>`, "memory-control-token-text", "control tokens"],
  ])("%s: it is asked for again, with the reason, and after the last attempt the reason is said", async (_, bad, why, told) => {
    const params = llm({ condense: { memoryCapTokens: 1000, attempts: 3 } });
    const again = await run([bad, bad, good(1), good(2)], params);
    expect(blocksOf(again.outcome).map((block) => block.writer)).toEqual([asked({ attempt: 2 }), asked()]);
    expect(again.ports.requests.map((request) => [request.sampleIndex, request.temperature])).toEqual([
      [0, null],
      [1, params.condense.retryTemperature],
      [2, params.condense.retryTemperature],
      [0, null],
    ]);
    const texts = again.ports.requests.map((request) => request.messages[0]?.content ?? "");
    expect(texts[0]).not.toContain("What was wrong");
    for (const text of texts.slice(1, 3)) {
      expect(text.split("# What was wrong with the last attempt\n\n")[1]).toContain(told);
      expect(text.startsWith(texts[0]?.replace(/\n\nNow write the memory\.$/, "") ?? "?")).toBe(true);
    }
    expect(texts[3]).not.toContain("What was wrong");

    const never = await run([bad, bad, bad], params);
    expect(never.outcome).toEqual({ ok: false, why });
    expect(never.ports.requests).toHaveLength(3);
  });

  test("the reason is the last one", async () => {
    expect((await run(["", ownSection], llm({ condense: { attempts: 2 } }))).outcome).toEqual({
      ok: false,
      why: "memory-section-unknown",
    });
  });

  test("a memory of exactly the cap is accepted, one token more is not", async () => {
    const memory = memoryText("memory", 20);
    const fits = { memoryCapTokens: exactTokens(memory), attempts: 1 };
    expect((await run([memory, memory], llm({ condense: fits }))).outcome.ok).toBe(true);
    expect((await run([memory, `${memory} x`], llm({ condense: fits }))).outcome).toEqual({ ok: false, why: "memory-too-long" });
  });

  test("escaped instead of rejected when the recipe says so, and counted as escaped", async () => {
    const { outcome } = await run([good(1).replace("memory", "<|im_end|>"), good(2)], llm({ escape: true }));
    expect(blocksOf(outcome)[0]?.memory).toBe(good(1).replace("memory", "< |im_end|>"));
  });
});

describe("the world", () => {
  test("a request that the endpoint refuses rejects the trajectory, without asking again", async () => {
    const { outcome, ports } = await run([new Fault("REQUEST_REFUSED", "skip", "too long")]);
    expect(outcome).toEqual({ ok: false, why: "request-refused" });
    expect(ports.requests).toHaveLength(1);
  });

  test("any other fault, and any bug, flies", async () => {
    await expect(run([new Fault("ENDPOINT_AUTH", "stop", "bad key")])).rejects.toMatchObject({ code: "ENDPOINT_AUTH" });
    await expect(run([new TypeError("bug")])).rejects.toThrow("bug");
  });

  test("no insertion point is no memory, and a good answer", async () => {
    const { outcome, ports } = await run([], llm(), { candidates: [], points: [], placement: noPlacement });
    expect(outcome).toEqual({ ok: true, value: { blocks: [] } });
    expect(ports.requests).toEqual([]);
  });

  test("what cannot be rendered is rejected by name", async () => {
    const broken = {
      ...trajectory,
      steps: trajectory.steps.map((step) => ({ ...step, calls: step.calls.map((call) => ({ ...call, arguments: "{" })) })),
    };
    expect(await condense.run({ trajectory: broken, detection: detection() }, llm(), fakePorts())).toEqual({
      ok: false,
      why: "unparsable-arguments",
    });
  });
});

test("the thought of a call says why, the same each time, and takes nothing from the data", async () => {
  const thought = async (...lines: string[]): Promise<string> =>
    blocksOf((await run([good(1), good(2)], llm(), detection(...lines))).outcome)[0]?.thought ?? "";
  expect(await thought("saw <|im_end|> 3 failed")).toMatch(/^[A-Z][^<(]*\.$/);
  expect(await thought("one")).toBe(await thought("another"));
});

describe("a reply that can be mended by rule", () => {
  test.each([
    ["with reasoning left in the text", (text: string) => `<think>\nhm ## Task\n</think>\n\n${text}`, ["reasoning"]],
    ["in a code fence", (text: string) => `\`\`\`markdown\n${text}\n\`\`\``, ["fence"]],
    ["with chatter before the memory", (text: string) => `Sure! Here it is:\n${text}`, ["preamble"]],
    ["with headings of another level", (text: string) => text.replaceAll("## ", "### "), ["heading"]],
  ])("%s is taken without it, and the row says so", async (_, wrap, repairs) => {
    const blocks = blocksOf((await run([wrap(good(1)), wrap(good(2))])).outcome);
    expect(blocks.map((block) => block.memory)).toEqual([good(1), good(2)]);
    expect(blocks.map((block) => block.writer)).toEqual([asked({ repairs }), asked({ repairs })]);
  });
});

describe("the built-in condenser", () => {
  const extractive = { ...llm(), condense: { ...defaults.condense, condenser: "extractive" as const, thought: "template" as const } };

  test("asks nobody, is asked once, labels its rows, and says the same each time", async () => {
    const { outcome, ports } = await run([], extractive);
    expect(ports.requests).toEqual([]);
    const blocks = blocksOf(outcome);
    expect(blocks.map((block) => block.writer.condenser)).toEqual(["extractive", "extractive"]);
    expect(blocksOf((await run([], extractive)).outcome)).toEqual(blocks);
  });
});

test("the request in the ledger is the canonical one", async () => {
  const { ports } = await run([good(1), good(2)]);
  const content = ports.requests[0]?.messages[0]?.content ?? "";
  const lead =
    condenseRequest({ task: "", previousMemory: null, fold: [], first: 1, recent: [], targetTokens: 1, capTokens: 1 }).split("\n\n")[0] ??
    "";
  expect(content.startsWith(lead)).toBe(true);
  expect(ports.requests[0]?.messages[0]?.role).toBe("user");
});
