import { expect, test } from "vitest";
import { Fault } from "../../../../schemas/fault.ts";
import { type Block, type Detection, type Judged, Memory } from "../../../../schemas/sidecars.ts";
import { opinionRequest } from "../../../../stages/condense/ask/second-opinion.ts";
import { condense } from "../../../../stages/condense/condense.ts";
import type { CondenseParams } from "../../../../stages/condense/params.ts";
import { applyMeasures, measures } from "../../../../stages/filter/measures/index.ts";
import type { SeenBlock } from "../../../../stages/filter/measures/measure.ts";
import { render } from "../../../../stages/lib/render.ts";
import { requestVersion } from "../../../../stages/lib/request-version.ts";
import { condensationTurns, segmentTurns } from "../../../../stages/lib/samples.ts";
import { measureSizes } from "../../../../stages/lib/sizes.ts";
import { cutSegments } from "../../../../stages/stitch/stitch.ts";
import { exactTokens, type FakePorts, fakePorts, type Said } from "../../../fakes/fake-ports.ts";
import { noPlacement } from "../../../fakes/no-placement.ts";
import { bashStep, trajectoryOf } from "../../../fakes/steps.ts";
import { defaults, memoryText, personaRecipe } from "../../../invariants/placement.ts";

/** A second opinion on memories: asked apart, stored beside them, and deciding nothing. */

const trajectory = trajectoryOf(
  Array.from({ length: 12 }, (_, index) => bashStep(`run --nr ${index}`, `RESULT<${index}>`, `THOUGHT<${index}>`)),
);
const detection: Detection = {
  candidates: [],
  points: [
    { cut: 4, keptFrom: 2, reason: "signals" },
    { cut: 8, keptFrom: 6, reason: "signals" },
  ],
  placement: noPlacement,
};
const params = (set: Partial<CondenseParams["condense"]> = {}, window: Partial<CondenseParams["window"]> = {}): CondenseParams =>
  condense.params.parse({
    persona: personaRecipe(),
    window: { tokens: 65_536, replyTokens: 4_096, ...window },
    condense: { ...defaults.condense, condenser: "llm", thought: "template", transport: "text", judge: true, ...set },
    endpoint: null,
    requestVersion,
  });

const asksOpinion = (label: string): boolean => label.startsWith("judge:");
async function run(said: Said, set = params()): Promise<{ memory: Memory | string; ports: FakePorts }> {
  const ports = fakePorts(({ label }) => (asksOpinion(label) ? said : memoryText(`memory at ${label}`)), exactTokens);
  const outcome = await condense.run({ trajectory, detection }, set, ports);
  return { memory: outcome.ok ? Memory.parse(outcome.value) : outcome.why, ports };
}
const blocksOf = (memory: Memory | string): Memory["blocks"] => {
  if (typeof memory === "string") throw new Error(memory);
  return memory.blocks;
};
const judgedBy = async (said: Said, set = params()): Promise<Judged | null | undefined> =>
  blocksOf((await run(said, set)).memory)[0]?.judged;

const finding = { words: "all tests pass", why: "none was run" };
const replyWith = (...unsupported: object[]): string => JSON.stringify({ unsupported });

test("without `judge` nothing more is asked, the requests are word for word the same, and rows say that none was asked for", async () => {
  const without = await run("no", params({ judge: false }));
  const asked = await run(replyWith(finding));
  expect(without.ports.requests).toEqual(asked.ports.requests.filter(({ label }) => !asksOpinion(label)));
  expect(blocksOf(without.memory).map(({ judged }) => judged)).toEqual([null, null]);
  const { judged: _, ...rest } = blocksOf(asked.memory)[0] as Block;
  expect({ ...rest, judged: null }).toEqual(blocksOf(without.memory)[0]);
});

test("each memory is asked about once, after all are written, with what its condenser was shown and nothing later", async () => {
  const { memory, ports } = await run(replyWith(finding));
  const [first, second] = ports.requests.slice(2);
  expect(ports.requests.map(({ label }) => label.split(":")[0])).toEqual(["condense", "condense", "judge", "judge"]);
  expect(first).toMatchObject({ label: "judge:test/one/0123456789ab@4", temperature: null, sampleIndex: 0, tools: [], maxTokens: 4_096 });
  expect(second?.label).toBe("judge:test/one/0123456789ab@8");
  const [one, two] = [first, second].map((request) => request?.messages[0]?.content ?? "");
  expect([...(one ?? "").matchAll(/RESULT<(\d+)>/g)].map((found) => found[1])).toEqual(["0", "1", "2", "3"]);
  expect([...(two ?? "").matchAll(/RESULT<(\d+)>/g)].map((found) => found[1])).toEqual(["2", "3", "4", "5", "6", "7"]);
  expect(two).toContain(`# Previous memory\n\n${blocksOf(memory)[0]?.memory}`);
  expect(two).toContain(`# The memory to check\n\n${blocksOf(memory)[1]?.memory}`);
  const sources = (text: string): string =>
    text.slice(text.indexOf("\n# Task\n\n"), text.search(/# The memory to check|Now write the memory/));
  expect(sources(one ?? "")).toBe(sources(ports.requests[0]?.messages[0]?.content ?? "?"));
  expect(blocksOf(memory)[0]?.judged).toEqual({
    model: "scripted",
    request: ports.digest(one ?? ""),
    findings: [finding],
    found: 1,
  });
});

test("a memory by the built-in condenser gets one, too", async () => {
  const { memory, ports } = await run(replyWith(), params({ condenser: "extractive" }));
  expect(ports.requests.map(({ label }) => asksOpinion(label))).toEqual([true, true]);
  expect(blocksOf(memory)[0]).toMatchObject({ writer: { condenser: "extractive" }, judged: { found: 0, findings: [] } });
});

test.each([
  ["plainly", replyWith(finding)],
  ["in a fence", `\`\`\`json\n${replyWith(finding)}\n\`\`\``],
  ["behind reasoning", `<think>{"unsupported": ...}</think>\n${replyWith(finding)}`],
  ["as a tool call", { calls: [{ id: "c", name: "unsupported_statements", arguments: replyWith(finding) }] }],
])("findings said %s are understood", async (_, said) => {
  expect(await judgedBy(said)).toMatchObject({ findings: [finding], found: 1 });
});

test.each([
  ["is empty", " ", "empty"],
  ["is prose", "The memory looks fine to me.", "not-json"],
  ["is JSON with words around it", `Here: ${replyWith(finding)}`, "not-json"],
  ["is another object", '{"findings":[]}', "not-findings"],
  ["has more fields", '{"unsupported":[],"score":1}', "not-findings"],
  ["lacks the reason", '{"unsupported":[{"words":"x"}]}', "not-findings"],
  ["has empty words", replyWith({ words: " ", why: "y" }), "not-findings"],
  ["is a list", "[]", "not-findings"],
  ["is refused", new Fault("REQUEST_REFUSED", "skip", "no"), "request-refused"],
])("a reply that %s leaves the reason and the row", async (_, said, why) => {
  expect(await judgedBy(said)).toEqual({ why });
});

test("of many long findings the first are kept, cut, and all are counted", async () => {
  const long = { words: "word ".repeat(400), why: `because ${"x".repeat(900)}` };
  const judged = await judgedBy(replyWith(...Array.from({ length: 30 }, () => long)));
  expect(judged).toMatchObject({ found: 30 });
  expect(judged !== null && judged !== undefined && "findings" in judged ? judged.findings : []).toHaveLength(8);
});

test("a request that does not fit the window is not made, and the row says so", async () => {
  const input = { task: "Fix the thing.", previousMemory: null, fold: [], first: 1, recent: [] };
  const small = exactTokens(opinionRequest(input, "")) + 200;
  const { memory, ports } = await run(replyWith(finding), params({ condenser: "extractive", windowTokens: Math.max(1_024, small) }));
  expect(ports.requests).toHaveLength(0);
  expect(blocksOf(memory).map(({ judged }) => judged)).toEqual([{ why: "window-exceeded" }, { why: "window-exceeded" }]);
});

test("a record whose opinion never comes whole waits, and no opinion is asked on a trajectory that is rejected", async () => {
  await expect(run(new Fault("ENDPOINT_UNREACHABLE", "retry", "gone"))).rejects.toMatchObject({ code: "ENDPOINT_UNREACHABLE" });
  const ports = fakePorts(({ label }) => (label.endsWith("@8") ? "chatter" : memoryText("m")), exactTokens);
  const outcome = await condense.run({ trajectory, detection }, params({ attempts: 1 }), ports);
  expect(outcome).toMatchObject({ ok: false });
  expect(ports.requests.filter(({ label }) => asksOpinion(label))).toHaveLength(0);
});

test("the form is asked for by schema or tool where the recipe lets it", async () => {
  const { ports } = await run(replyWith(), params({ condenser: "extractive", transport: "auto" }));
  expect(ports.requests[0]?.structure).toMatchObject({ name: "unsupported_statements", transports: ["json-schema", "tool", "text"] });
  expect((await run(replyWith())).ports.requests.at(-1)?.structure).toBeNull();
});

test("the measure is the number found, and unknown where none was asked for or none came", () => {
  const measured = (judged: Judged | null): number | null =>
    applyMeasures({ judgedFindings: measures.blocks.judgedFindings }, { block: { judged } as Block } as SeenBlock).judgedFindings;
  expect(measured(null)).toBeNull();
  expect(measured({ why: "not-json" })).toBeNull();
  expect(measured({ model: "m", request: "0".repeat(64), findings: [], found: 0 })).toBe(0);
  expect(measured({ model: "m", request: "0".repeat(64), findings: [finding], found: 9 })).toBe(9);
});

test("no sample shows it: segments and condensations of judged and unjudged blocks are the same", async () => {
  const rendering = render(trajectory, personaRecipe());
  if (!rendering.ok) throw new Error(rendering.reasons.join(" "));
  const sizes = measureSizes(rendering.value, exactTokens);
  const samplesOf = (memory: Memory | string) => {
    const blocks = blocksOf(memory);
    const { segments, condensations } = cutSegments(trajectory.steps.length, { blocks });
    return [
      ...segments.map((segment) => segmentTurns(rendering.value, blocks, segment, personaRecipe())),
      ...condensations.map((one) => condensationTurns(rendering.value, sizes, blocks, one, defaults.condense)),
    ];
  };
  const samples = samplesOf((await run(replyWith(finding))).memory);
  expect(samples).toEqual(samplesOf((await run("", params({ judge: false }))).memory));
  expect(JSON.stringify(samples)).not.toMatch(/unsupported|none was run/);
});
