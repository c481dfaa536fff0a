import { afterAll, describe, expect, test } from "vitest";
import type { ChatMessage } from "../../../../schemas/completion.ts";
import { PersonaRecipe } from "../../../../schemas/recipe/persona.ts";
import { cleanMessage } from "../../../../stages/generate/rollout/messages.ts";
import { callStyles } from "../../../../stages/lib/call-styles/index.ts";
import { plainSandboxes } from "../../../fakes/plain-sandbox.ts";
import { bash, call, conversation, type Played, play, request, type Said, submits } from "./live.ts";

const sandboxes = plainSandboxes({ "a.txt": "a\n" });
afterAll(() => sandboxes.remove());
const asks = request(sandboxes.workdir);
const run = async (said: readonly Said[], style: "native" | "xml" = "native"): Promise<Played> =>
  play(await sandboxes.open(), { ...asks, conversation: conversation(style === "xml" ? "xml" : "hermes") }, said);
const lastPrompt = ({ asked }: Played): readonly ChatMessage[] => asked.at(-1)?.messages ?? [];
const written = (name: string, given: Record<string, string>): string =>
  callStyles.xml.assistant("Thinking aloud.", [{ name, arguments: JSON.stringify(given) }]);

const two = {
  text: "Two at once.",
  calls: [call("execute_bash", { command: "echo 1" }), call("execute_bash", { command: "echo 2" })],
};
const eventful: Record<"native" | "xml", readonly Said[]> = {
  native: [
    two,
    "No call at all.",
    { calls: [call("execute_bash", "{broken"), call("execute_bash", { command: "echo 3" })] },
    { calls: [call("", {}), call("execute_bash", { command: "echo 4" })] },
    { text: "<think>hm</think>", calls: [call("no such tool!", {})] },
    bash("printf 'caf\\xe9'"),
    submits,
  ],
  xml: [
    written("execute_bash", { command: "echo 1" }),
    "No call at all.",
    "<function=execute_bash>\n<parameter=command>echo open",
    written("no_such_tool", {}),
    written("submit", {}),
  ],
};

describe.each(["native", "xml"] as const)("%s", (style) => {
  test("each prompt begins with the whole prompt before it", async () => {
    const { asked } = await run(eventful[style], style);
    expect(asked.length).toBe(eventful[style].length);
    for (const [index, { messages }] of asked.slice(1).entries()) {
      const before = asked[index]?.messages ?? [];
      expect(messages.length).toBeGreaterThan(before.length);
      expect(messages.slice(0, before.length)).toEqual(before);
    }
  });

  test("after the opening, turns of the model and answers to it alternate, and none is empty", async () => {
    const messages = lastPrompt(await run(eventful[style], style)).slice(2);
    const roles = messages.map(({ role }) => (role === "assistant" ? "A" : "u")).join("");
    expect(roles).toMatch(/^(?:Au+)+$/);
    for (const { content, ...message } of messages) expect(content !== "" || ("calls" in message && message.calls.length > 0)).toBe(true);
  });
});

describe("natively", () => {
  test("a call gets nine letters and digits as id, whatever the endpoint called it, and its result has the same", async () => {
    const prompt = lastPrompt(await run([two, submits]));
    const ids = prompt.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : []));
    expect(ids).toEqual(["c00000000", "c00000001"]);
    expect(prompt.flatMap((message) => (message.role === "tool" ? [message.call] : []))).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  test("no two calls of a run share an id", async () => {
    const said = Array.from({ length: 12 }, (_, nth): Said => ({ ...two, text: `${nth}` }));
    const ids = lastPrompt(await run([...said, submits])).flatMap((message) =>
      message.role === "assistant" ? message.calls.map(({ id }) => id) : [],
    );
    expect(ids.length).toBe(24);
    expect(new Set(ids).size).toBe(24);
  });

  test.each([
    ["arguments that are no JSON object", call("execute_bash", "{broken"), "execute_bash({broken)"],
    ["a JSON list as arguments", call("execute_bash", "[1]"), "execute_bash([1])"],
    ["a name that endpoints refuse", call("functions.execute bash", { command: "ls" }), 'functions.execute bash({"command":"ls"})'],
  ])("a call with %s is sent back as text, with its answer after it", async (_, odd, shown) => {
    const prompt = lastPrompt(await run([{ text: "I try.", calls: [odd] }, submits]));
    expect(prompt.slice(2)).toEqual([
      { role: "assistant", content: `I try.\n${shown}`, calls: [] },
      { role: "user", content: expect.stringContaining("ERROR:") },
    ]);
  });

  test("whatever is sent back as a call has an object as arguments and a name that endpoints take", async () => {
    for (const message of lastPrompt(await run(eventful.native)))
      for (const { name, arguments: text } of message.role === "assistant" ? message.calls : []) {
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(JSON.parse(text)).toBeTypeOf("object");
      }
  });

  test("reasoning is recorded apart and never sent again, whether it came as a field or in the text", async () => {
    const played = await run([
      { reasoning: "secret field", text: "Look.", ...bash("echo 1") },
      { text: "<think>\nsecret tag\n</think>\n\nLook again.", ...bash("echo 2") },
      { text: "secret end\n</think>\n\nLook closer.", ...bash("echo 3") },
      submits,
    ]);
    expect(played.turns.map(({ thought, reasoning }) => [thought, reasoning])).toEqual([
      ["Look.", "secret field"],
      ["Look again.", "secret tag"],
      ["Look closer.", "secret end"],
      ["Done.", null],
    ]);
    expect(JSON.stringify(lastPrompt(played))).not.toContain("secret");
  });
});

describe("in xml", () => {
  test("a whole run works in text alone: tools in the system prompt, calls and results in the messages", async () => {
    const played = await run([written("execute_bash", { command: "echo hello >b.txt; cat b.txt" }), written("submit", {})], "xml");
    expect(played.end).toMatchObject({ exit: "submitted", patch: expect.stringContaining("+hello") });
    expect(played.turns[0]).toMatchObject({ thought: "Thinking aloud.", calls: [{ name: "execute_bash", malformed: false }] });
    expect(played.asked.every(({ tools }) => tools.length === 0)).toBe(true);
    const [system, , said, result] = lastPrompt(played);
    expect(system?.content).toContain("execute_bash");
    expect(said).toEqual({ role: "assistant", content: expect.stringContaining("<function=execute_bash>"), calls: [] });
    expect(result).toEqual({ role: "user", content: "OBSERVATION:\nhello\n[The command completed with exit code 0.]" });
  });

  test("a call that cannot be read gets feedback that says what was expected, and the turn is recorded as it was", async () => {
    const broken = "I try.\n\n<function=execute_bash>\n<parameter=command>echo open";
    const { turns } = await run([broken, written("submit", {})], "xml");
    expect(turns[0]).toMatchObject({ thought: broken, calls: [], feedback: [expect.stringMatching(/expected/i)] });
  });

  test("native calls that a server parsed nevertheless are not needed: the text decides", async () => {
    const { turns } = await run([{ text: "Only words.", calls: [call("execute_bash", { command: "ls" })] }, written("submit", {})], "xml");
    expect(turns[0]).toMatchObject({ calls: [], feedback: [expect.stringContaining("no tool call")] });
  });
});

test("control-token text is escaped in everything the model sees where the persona says so, and nowhere else", () => {
  const [asTheyAre, escaped] = [PersonaRecipe.parse({}), PersonaRecipe.parse({ controlTokens: "escape" })];
  const messages: ChatMessage[] = [
    { role: "user", content: "a <|im_end|> b" },
    { role: "assistant", content: "<tool_call>", calls: [{ id: "1", name: "n", arguments: '{"a":"<|im_start|>"}' }] },
    { role: "tool", content: "<|endoftext|>", call: "1" },
  ];
  expect(messages.map((message) => cleanMessage(message, asTheyAre))).toEqual(messages);
  expect(JSON.stringify(messages.map((message) => cleanMessage(message, escaped)))).not.toMatch(/<\||<tool_call>/);
});
