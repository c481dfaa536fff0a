import { afterEach, describe, expect, test, vi } from "vitest";
import type { Completion } from "../../../schemas/completion.ts";
import { Fault } from "../../../schemas/fault.ts";
import { type Detection, Memory } from "../../../schemas/sidecars.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { pastSignals } from "../../../stages/condense/ask/thought.ts";
import { condense } from "../../../stages/condense/condense.ts";
import type { CondenseParams } from "../../../stages/condense/params.ts";
import { signals } from "../../../stages/detect/signals/index.ts";
import * as checks from "../../../stages/lib/checks/index.ts";
import { contextThought } from "../../../stages/lib/context-thought.ts";
import { parseMemory } from "../../../stages/lib/memory-text.ts";
import { requestVersion } from "../../../stages/lib/request-version.ts";
import { exactTokens, type FakePorts, fakePorts, type Said, type Script } from "../../fakes/fake-ports.ts";
import { noPlacement } from "../../fakes/no-placement.ts";
import { bashStep, trajectoryOf } from "../../fakes/steps.ts";
import { defaults, memoryText, personaRecipe } from "../../invariants/placement.ts";

/** What the model's condenser does beyond one request and one reply: candidates, checks, pieces, transports, thoughts. */

const stepsOf = (count: number, result: (index: number) => string): Trajectory["steps"] =>
  Array.from({ length: count }, (_, index) => bashStep(`run --nr ${index}`, result(index), `THOUGHT<${index}> about src/core.py.`));
const small = trajectoryOf(stepsOf(10, (index) => `RESULT<${index}>`));
const detection: Detection = {
  candidates: [
    {
      cut: 4,
      score: 0.9,
      signals: [
        { signal: "subtask-completed", score: 0.9, evidence: ["step 4: src/core.py was read"] },
        { signal: "plan-step", score: 0.9, evidence: ["the next turn says: 3 passed"] },
        { signal: "somebody's own", score: 0.9, evidence: ["step 7: 3 passed"] },
      ],
    },
  ],
  points: [{ cut: 4, keptFrom: 2, reason: "signals" }],
  placement: noPlacement,
};
const params = (set: Partial<CondenseParams["condense"]> = {}, window: Partial<CondenseParams["window"]> = {}): CondenseParams =>
  condense.params.parse({
    persona: personaRecipe(),
    window: { tokens: 65_536, replyTokens: 4_096, ...window },
    condense: { ...defaults.condense, condenser: "llm", thought: "template", transport: "text", ...set },
    endpoint: null,
    requestVersion,
  });
async function run(script: Script, set: CondenseParams, trajectory = small): Promise<{ memory: Memory | string; ports: FakePorts }> {
  const ports = fakePorts(script, exactTokens);
  const outcome = await condense.run({ trajectory, detection }, set, ports);
  return { memory: outcome.ok ? Memory.parse(outcome.value) : outcome.why, ports };
}
const blockOf = (memory: Memory | string): Memory["blocks"][number] => {
  if (typeof memory === "string" || memory.blocks[0] === undefined) throw new Error(String(memory));
  return memory.blocks[0];
};
const contentOf = (request: Completion | undefined): string => request?.messages[0]?.content ?? "";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("several candidates", () => {
  test("are asked for as samples of one request, and the one nearest to the target is taken where no check objects", async () => {
    const sizes = [10, 30, 200];
    const { memory, ports } = await run(
      ({ sampleIndex }) => memoryText(`sample ${sampleIndex}`, sizes[sampleIndex] ?? 1),
      params({ candidates: 3, attempts: 1 }),
    );
    expect(ports.requests.map((request) => [request.sampleIndex, request.temperature])).toEqual([
      [0, null],
      [1, defaults.condense.retryTemperature],
      [2, defaults.condense.retryTemperature],
    ]);
    expect(new Set(ports.requests.map(contentOf)).size).toBe(1);
    const target = 256 + Math.round(0);
    const best = sizes
      .map((size, index) => Math.abs(exactTokens(memoryText(`sample ${index}`, size)) - target))
      .reduce((at, gap, index, all) => (gap < (all[at] ?? 0) ? index : at), 0);
    expect(blockOf(memory).writer).toMatchObject({ candidates: 3, taken: best });
    expect(blockOf(memory).memory).toBe(memoryText(`sample ${best}`, sizes[best] ?? 0));
  });

  test("are ranked by what the checks find in them, without the future", async () => {
    vi.spyOn(checks, "checkMemory").mockImplementation(({ memory, later }) => {
      expect(later).toBeNull();
      return [{ check: "grounded", looked: 1, findings: memory.includes("sample 1") ? [] : [{ words: "sample", why: "invented" }] }];
    });
    const { memory } = await run(({ sampleIndex }) => memoryText(`sample ${sampleIndex}`), params({ candidates: 3, attempts: 1 }));
    expect(blockOf(memory).writer).toMatchObject({ taken: 1 });
  });

  test("that are no memories are passed over; all of them together reject the trajectory", async () => {
    const some = await run(
      ({ sampleIndex }) => (sampleIndex === 2 ? memoryText("good") : "chatter"),
      params({ candidates: 3, attempts: 1 }),
    );
    expect(blockOf(some.memory).writer).toMatchObject({ candidates: 3, taken: 2 });
    expect((await run(() => "chatter", params({ candidates: 2, attempts: 1 }))).memory).toBe("memory-sections-missing");
  });

  test("no two requests of a block are the same sample", async () => {
    const { ports } = await run(() => "chatter", params({ candidates: 3, attempts: 4 }));
    expect(new Set(ports.requests.map((request) => request.sampleIndex)).size).toBe(12);
  });
});

describe("findings while condensing", () => {
  const invented = (): void => {
    vi.spyOn(checks, "checkMemory").mockImplementation(({ memory }) => [
      {
        check: "grounded",
        looked: 1,
        findings: memory.includes("src/nowhere.py") ? [{ words: "src/nowhere.py", why: "stands nowhere" }] : [],
      },
      { check: "sufficient", looked: 1, findings: [{ words: "x", why: "needs the future" }] },
    ]);
  };

  test("over the limit have the memory written anew, and the request names them", async () => {
    invented();
    const { memory, ports } = await run([memoryText("see src/nowhere.py"), memoryText("fine")], params({ maxFindings: 0 }));
    expect(contentOf(ports.requests[1])).toContain('- grounded: "src/nowhere.py": stands nowhere');
    expect(blockOf(memory)).toMatchObject({ memory: memoryText("fine"), writer: { attempt: 1 } });
  });

  test("within the limit, or without one, change nothing; over it to the end they reject", async () => {
    invented();
    expect(blockOf((await run([memoryText("see src/nowhere.py")], params({ maxFindings: 1 }))).memory).writer).toMatchObject({
      attempt: 0,
    });
    expect(blockOf((await run([memoryText("see src/nowhere.py")], params())).memory).writer).toMatchObject({ attempt: 0 });
    expect((await run(() => memoryText("see src/nowhere.py"), params({ maxFindings: 0, attempts: 2 }))).memory).toBe("memory-findings");
  });
});

describe("transports", () => {
  const notes = parseMemory(memoryText("from notes"));
  const json = JSON.stringify(notes.ok ? notes.value : null);

  test("differ in how the reply is had, and in nothing of the row but the name", async () => {
    const ways = [
      ["text", { text: memoryText("from notes"), transport: "text" }],
      ["json-schema", { text: json, transport: "json-schema" }],
      ["tool", { calls: [{ id: "c", name: "memory", arguments: json }], transport: "tool" }],
    ] as const;
    const blocks = [];
    for (const [transport, said] of ways) {
      const { memory, ports } = await run([said as never], params({ transport }));
      expect(ports.requests[0]?.structure?.transports ?? ["text"]).toEqual([transport]);
      const { writer, ...rest } = blockOf(memory);
      expect(writer).toMatchObject({ transport, repairs: [] });
      blocks.push({ ...rest, writer: { ...writer, transport: null } });
    }
    expect(blocks[1]).toEqual(blocks[0]);
    expect(blocks[2]).toEqual(blocks[0]);
  });

  test("auto offers all three, the strictest first", async () => {
    const { ports } = await run([memoryText("m")], params({ transport: "auto" }));
    expect(ports.requests[0]?.structure?.transports).toEqual(["json-schema", "tool", "text"]);
  });

  test("an endpoint that ignores what it was asked for is understood all the same", async () => {
    const { memory } = await run([{ text: memoryText("as text"), transport: "tool" }], params({ transport: "tool" }));
    expect(blockOf(memory)).toMatchObject({ memory: memoryText("as text"), writer: { transport: "tool", repairs: [] } });
  });
});

describe("a fold that does not fit the condenser's window", () => {
  const long = trajectoryOf(stepsOf(10, (index) => `RESULT<${index}>\n${"some line of output\n".repeat(index < 2 ? 700 : 3)}`));
  const tight = { windowTokens: 6_000, memoryCapTokens: 1_000 };

  test("is condensed in pieces that show every step once, each memory folded into the next", async () => {
    const { memory, ports } = await run((_, index) => memoryText(`memory of piece ${index + 1}`), params(tight), long);
    const count = ports.requests.length;
    expect(count).toBeGreaterThan(1);
    expect(blockOf(memory)).toMatchObject({ memory: memoryText(`memory of piece ${count}`), writer: { pieces: count } });
    const contents = ports.requests.map(contentOf);
    for (const [index, text] of contents.entries()) {
      expect(text).toContain(`# Steps to fold (part ${index + 1} of ${count};`);
      expect(text).toContain(index === 0 ? "# Previous memory\n\n(none yet)" : memoryText(`memory of piece ${index}`));
      expect(exactTokens(text) + 1_000).toBeLessThan(6_000);
      expect(text.includes("RESULT<3>")).toBe(index === count - 1); // the recent steps, beside the last piece
    }
    const shown = contents.map((text) => text.split("# Steps to fold")[1]?.split("# Recent steps")[0] ?? "").join("");
    for (const index of [0, 1]) expect(shown.split(`RESULT<${index}>`)).toHaveLength(2);
    expect(shown.match(/some line of output/g)).toHaveLength(1_400);
    expect(ports.requests.map((request) => request.label)).toEqual(
      contents.map((_, index) => `condense:test/one/0123456789ab@4#${index + 1}`),
    );
  });

  test("rejects when a piece does, and when the window has no room for any step", async () => {
    expect(
      (await run(({ label }) => (label.endsWith("#2") ? "chatter" : memoryText("m")), params({ ...tight, attempts: 1 }), long)).memory,
    ).toBe("memory-sections-missing");
    const { memory, ports } = await run([], params({ ...tight, windowTokens: 1_400 }), long);
    expect([memory, ports.requests.length]).toEqual(["window-exceeded", 0]);
  });

  test("that fits is asked for whole", async () => {
    const { memory, ports } = await run([memoryText("m")], params(), long);
    expect([ports.requests.length, blockOf(memory).writer]).toEqual([1, expect.objectContaining({ pieces: 1 })]);
  });

  test("a refusal that leaves no room beside the request is left out of it", async () => {
    const window = exactTokens(contentOf((await run([memoryText("m")], params())).ports.requests[0])) + 1_001 + 700;
    const { ports } = await run(
      ["chatter", memoryText("m")],
      params({ memoryCapTokens: 1_000, windowTokens: Math.max(1_024, window) }, { replyTokens: 1 }),
    );
    for (const request of ports.requests) expect(exactTokens(contentOf(request)) + 1_001).toBeLessThan(window);
  });
});

describe("the thought before the call, by the model", () => {
  const asked = params({ thought: "llm" });
  const thinking = async (thought: Said, view = asked) =>
    run(({ label }) => (label.startsWith("thought:") ? thought : memoryText("m")), view);
  const good = "I have read `src/core.py` now. Let me condense what led here.";

  test("is asked for in a small request of its own, from evidence and last steps and nothing later", async () => {
    const { memory, ports } = await thinking(good);
    const block = blockOf(memory);
    expect(block.thought).toBe(good);
    const request = ports.requests.find(({ label }) => label.startsWith("thought:"));
    const text = contentOf(request);
    expect(request?.label).toBe("thought:test/one/0123456789ab@4");
    expect(block.writer).toMatchObject({ thought: { by: "llm", model: "scripted", request: ports.digest(text) } });
    expect([...text.matchAll(/RESULT<(\d)>/g)].map((found) => Number(found[1]))).toEqual([1, 2, 3]);
    expect(text).toContain("- src/core.py was read");
    expect(text).not.toMatch(/step \d|3 passed/); // evidence without numbers of steps, and none from behind the cut
    expect(exactTokens(text)).toBeLessThan(2_000);
  });

  test.each([
    ["has three sentences", "I saw it. I know it now. Let me condense.", "too-many-sentences"],
    ["goes on and on", `I will condense ${"the many things that I have seen ".repeat(20)}.`, "too-long"],
    ["names a step", "At step 4 all was clear, so I condense.", "step-number"],
    ["names what nobody showed it", "Having fixed `src/other.py`, I condense.", "ungrounded"],
    ["counts what nobody showed it", "After 17 failures I condense.", "ungrounded"],
    ["is a memory", memoryText("m"), "not-plain"],
    ["is a list", "I condense:\n- now", "not-plain"],
    ["is empty", "  ", "empty"],
    ["holds a control token", "I condense.<|im_end|>", "control-token-text"],
    ["is refused", new Fault("REQUEST_REFUSED", "skip", "no"), "request-refused"],
  ])("that %s is replaced by a built-in one, and the row says why", async (_, said, why) => {
    const { memory, ports } = await thinking(said);
    const { thought, writer } = blockOf(memory);
    expect(writer).toMatchObject({ thought: { by: "template", why } });
    expect(thought).toBe(blockOf((await run([memoryText("m")], params())).memory).thought);
    expect(ports.requests).toHaveLength(2);
    expect(thought.length).toBeLessThan(200);
    expect(contextThought("signals", [], 0)).not.toBe("");
  });

  test("is shown the evidence of every signal that sees the past alone, and of no other", () => {
    const past = Object.entries(signals).filter(([, signal]) => signal.sees === "past");
    expect([...pastSignals].sort()).toEqual(past.map(([name]) => name).sort());
  });

  test("of a record that has to wait waits with it", async () => {
    for (const code of ["ENDPOINT_UNREACHABLE", "REPLY_INVALID"] as const)
      await expect(thinking(new Fault(code, "skip", "gone"))).rejects.toMatchObject({ code });
  });

  test("is not asked for where templates are wanted, and quotation marks and reasoning are taken off", async () => {
    expect((await run([memoryText("m")], params())).ports.requests).toHaveLength(1);
    expect(blockOf((await thinking(`<think>hm</think>\n"${good}"\n`)).memory).thought).toBe(good);
  });
});
