import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../schemas/fault.ts";
import { RolloutEnd, RolloutTurn } from "../../../../schemas/rollout.ts";
import type { RolloutLimits } from "../../../../stages/generate/rollout/limits.ts";
import type { Sandbox } from "../../../../stages/lib/sandbox.ts";
import { createScrubber } from "../../../../stages/lib/secrets/scrubber.ts";
import { plainSandboxes } from "../../../fakes/plain-sandbox.ts";
import { bash, call, conversation, type Played, play, request, type Said, submits } from "./live.ts";

const sandboxes = plainSandboxes({ "sum.js": "export const add = (a, b) => a - b;\n" });
afterAll(() => sandboxes.remove());
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxes.open();
});

const asks = request(sandboxes.workdir);
const limited = (limits: Partial<RolloutLimits>) => ({ ...asks, limits: { ...asks.limits, ...limits } });
const steps = (nth: number): Said => bash(`echo ${nth}`);
const exitOf = ({ end }: Played) => [end.exit, end.rawExit];

test("a run that mends the file and submits has both turns, what they gave, and a patch", async () => {
  const mends = "sed -i 's/a - b/a + b/' sum.js; echo mended";
  const { turns, end } = await play(sandbox, asks, [{ text: " I mend it.\n", ...bash(mends) }, submits]);
  const edit = {
    name: "execute_bash",
    arguments: JSON.stringify({ command: mends }),
    result: "mended\n[The command completed with exit code 0.]",
    exitCode: 0,
    failed: null,
    malformed: false,
  };
  const handIn = { name: "submit", arguments: "{}", result: "Submitted.", exitCode: null, failed: false, malformed: false };
  const said = { reasoning: null, feedback: [], tokensIn: 100, tokensOut: 10 };
  expect(turns).toEqual([
    { ...said, thought: "I mend it.", calls: [edit] },
    { ...said, thought: "Done.", calls: [handIn] },
  ]);
  expect(end).toMatchObject({ exit: "submitted", rawExit: null, marks: [] });
  expect(end.patch).toContain("+export const add = (a, b) => a + b;");
  for (const turn of turns) RolloutTurn.parse(turn);
  RolloutEnd.parse(end);
});

describe("a run ends", () => {
  test("as step-limit after so many turns, and is asked for no more", async () => {
    const run = await play(sandbox, limited({ maxSteps: 3 }), steps);
    expect(exitOf(run)).toEqual(["step-limit", "max-steps"]);
    expect([run.turns.length, run.asked.length]).toEqual([3, 3]);
  });

  test("as cost-limit when tokens in and out together reach the limit", async () => {
    const run = await play(sandbox, limited({ maxTokens: 220 }), steps);
    expect(exitOf(run)).toEqual(["cost-limit", "max-tokens"]);
    expect(run.turns.length).toBe(2); // 110 each
  });

  test("as cost-limit by our own count, where the endpoint does not say what it billed", async () => {
    const silent = (nth: number): Said => ({ ...bash(`echo ${nth}`), tokensIn: null, tokensOut: null });
    const run = await play(sandbox, limited({ maxTokens: 4_000 }), silent);
    expect(exitOf(run)).toEqual(["cost-limit", "max-tokens"]);
    expect(run.turns.length).toBeGreaterThan(1);
    expect(run.turns.every(({ tokensIn, tokensOut }) => tokensIn === null && tokensOut === null)).toBe(true);
  });

  test("as cost-limit when its price reaches the limit", async () => {
    const costOf = (tokensIn: number, tokensOut: number): number => tokensIn * 0.01 + tokensOut * 0.1; // 2 a turn
    const run = await play(sandbox, limited({ maxCost: 5 }), steps, { costOf });
    expect(exitOf(run)).toEqual(["cost-limit", "max-cost"]);
    expect(run.turns.length).toBe(3);
  });

  test("as time-limit by the clock", async () => {
    let now = 0;
    const onTurn = async (): Promise<void> => {
      now += 50_000;
    };
    const run = await play(sandbox, limited({ maxMinutes: 2 }), steps, { now: () => now, onTurn });
    expect(exitOf(run)).toEqual(["time-limit", "max-minutes"]);
    expect(run.turns.length).toBe(3); // 50, 100, 150 s
  });

  test("as context-limit when by our count prompt and reply no longer fit, without asking", async () => {
    const run = await play(sandbox, { ...asks, windowTokens: 7_000 }, () => bash("head -c 16000 /dev/zero | tr '\\0' x"));
    expect(exitOf(run)).toEqual(["context-limit", "window-full"]);
    expect([run.turns.length, run.asked.length]).toEqual([1, 1]);
  });

  test("as context-limit when the opening alone does not fit: without a turn", async () => {
    const run = await play(sandbox, { ...asks, windowTokens: 4_200 }, [submits]);
    expect(exitOf(run)).toEqual(["context-limit", "window-full"]);
    expect([run.turns.length, run.asked.length]).toEqual([0, 0]);
  });

  for (const said of [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
    "the request exceeds the available context size, try increasing it",
    "Requested token count exceeds the model's maximum context length of 8192 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
  ])
    test(`as context-limit when the endpoint says: ${said.slice(0, 40)}`, async () => {
      const refused = new Fault("REQUEST_REFUSED", "skip", `expected a chat completion, got refused (HTTP 400): ${said}`);
      const run = await play(sandbox, asks, [bash("echo work >work.txt"), refused]);
      expect(exitOf(run)).toEqual(["context-limit", "refused-by-endpoint"]);
      expect(run.end.patch).toContain("+work"); // what was done until then counts
    });

  test("as error when the endpoint refuses the request for another reason", async () => {
    const run = await play(sandbox, asks, [bash("true"), new Fault("REQUEST_REFUSED", "skip", "got refused (HTTP 400): unknown role")]);
    expect(exitOf(run)).toEqual(["error", "request-refused"]);
  });

  test("as error when replies stay unusable", async () => {
    const run = await play(sandbox, asks, [bash("true"), new Fault("REPLY_INVALID", "skip", "got truncated")]);
    expect(exitOf(run)).toEqual(["error", "reply-invalid"]);
    expect(run.turns.length).toBe(1);
  });

  test("as stuck when it talks and calls nothing", async () => {
    const run = await play(sandbox, limited({ maxIdleTurns: 3 }), (nth) => `I think about it for the ${nth}th time.`);
    expect(exitOf(run)).toEqual(["stuck", "calls-no-tool"]);
    expect(run.turns.length).toBe(3);
    expect(run.turns.every(({ feedback }) => feedback[0]?.includes("held no tool call"))).toBe(true);
  });

  test("as stuck when it repeats itself and gets the same", async () => {
    const run = await play(sandbox, limited({ maxIdleTurns: 4 }), () => bash("ls"));
    expect(exitOf(run)).toEqual(["stuck", "repeats-itself"]);
    expect(run.turns.length).toBe(4);
  });

  test("not as stuck while the same command gives something new", async () => {
    const run = await play(sandbox, limited({ maxIdleTurns: 2, maxSteps: 6 }), () => bash("echo x >>log; wc -l <log"));
    expect(exitOf(run)).toEqual(["step-limit", "max-steps"]);
  });

  test("not as stuck when a turn in between did something", async () => {
    const said = ["Hm.", "Hm.", bash("true"), "Hm.", "Hm.", submits];
    expect(exitOf(await play(sandbox, limited({ maxIdleTurns: 3 }), said))).toEqual(["submitted", null]);
  });

  test("as step-limit when a script has nothing more to say", async () => {
    expect(exitOf(await play(sandbox, asks, [bash("true")]))).toEqual(["step-limit", "script-ended"]);
  });

  test("saying also why there is no patch", async () => {
    const bare = plainSandboxes({ "a.txt": "a\n" });
    const opened = await bare.open();
    await opened.exec(`rm -rf ${bare.workdir}/.git`, { timeoutMs: 5_000, outputBytes: 100 });
    const [submitted, tired] = [
      await play(opened, request(bare.workdir), [submits]),
      await play(opened, request(bare.workdir, { limits: { ...asks.limits, maxSteps: 1 } }), steps),
    ];
    bare.remove();
    expect([submitted.end.patch, ...exitOf(submitted)]).toEqual([null, "submitted", "no-repository"]);
    expect(exitOf(tired)).toEqual(["step-limit", "max-steps, no-repository"]);
  });
});

test.each(["DRAINED", "BUDGET_SPENT", "ENDPOINT_AUTH", "ENDPOINT_UNREACHABLE", "SANDBOX_BROKEN"] as const)(
  "%s concerns more than this run and is thrown",
  async (code) => {
    await expect(play(sandbox, asks, [new Fault(code, "stop", "no")])).rejects.toMatchObject({ code });
  },
);

test("a bug is no exit status", async () => {
  await expect(play(sandbox, asks, [new TypeError("oops")])).rejects.toThrow("oops");
});

describe("calls", () => {
  test("that no tool can take get an answer that says what was expected, and are recorded as malformed", async () => {
    const said = [
      { calls: [call("run_shell", { command: "ls" })] },
      { calls: [call("execute_bash", "ls -la")] },
      { calls: [call("execute_bash", { cmd: "ls" })] },
      { calls: [call("str_replace_editor", { command: "fly", path: "/x" })] },
      submits,
    ];
    const { turns, end } = await play(sandbox, asks, said);
    expect(end.exit).toBe("submitted");
    const answers = turns.slice(0, -1).map(({ calls }) => calls[0]);
    expect(answers.map((one) => [one?.malformed, one?.failed, one?.exitCode])).toEqual(Array(4).fill([true, true, null]));
    const texts = answers.map((one) => one?.result);
    expect(texts[0]).toContain("Expected one of execute_bash, str_replace_editor, submit");
    expect(texts[1]).toContain("JSON object");
    expect(texts[2]).toContain("command");
    expect(texts[3]).toContain("view, create, str_replace, insert, undo_edit");
    expect(answers[1]?.arguments).toBe("ls -la"); // as written, not mended
  });

  test("without a name are no calls: what was written stays text, and what was expected is said", async () => {
    const calls = [call(" ", '{"command":"ls"}'), call("execute_bash", { command: "echo still run" })];
    const { turns } = await play(sandbox, asks, [{ text: "Hm.", calls }, submits]);
    expect(turns[0]).toMatchObject({
      thought: 'Hm.\n{"command":"ls"}',
      calls: [{ name: "execute_bash", result: expect.stringContaining("still run") }],
      feedback: [expect.stringContaining("no function name")],
    });
  });

  test("of one turn run in the order written, and each has its own result", async () => {
    const calls = ["echo one >>log", "echo two >>log", "cat log"].map((command) => call("execute_bash", { command }));
    const { turns } = await play(sandbox, asks, [{ calls }, submits]);
    expect(turns[0]?.calls.map(({ result }) => result.split("\n").slice(0, -1).join(" "))).toEqual(["", "", "one two"]);
  });

  test("after a submit of the same turn are not run", async () => {
    const calls = [
      call("execute_bash", { command: "echo before >a.txt" }),
      call("submit", {}),
      call("execute_bash", { command: "echo after >b.txt" }),
    ];
    const { turns, end, asked } = await play(sandbox, asks, [{ calls }, submits]);
    expect([turns.length, asked.length, end.exit]).toEqual([1, 1, "submitted"]);
    expect(turns[0]?.calls.map(({ name }) => name)).toEqual(["execute_bash", "submit"]);
    expect(end.patch).toContain("a.txt");
    expect(end.patch).not.toContain("b.txt");
  });

  test("of submit with something in it do not end the run", async () => {
    const { end } = await play(sandbox, asks, [{ calls: [call("submit", "no JSON")] }, bash("echo still here >here.txt"), submits]);
    expect([end.exit, end.patch?.includes("here.txt")]).toEqual(["submitted", true]);
  });
});

test("every turn is told of when it is over, before the next is asked for", async () => {
  const log: string[] = [];
  const said = (nth: number): Said => {
    log.push(`asked ${nth}`);
    return nth < 2 ? steps(nth) : submits;
  };
  await play(sandbox, asks, said, {
    onTurn: async (turn, number) => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`over ${number}: ${turn.calls[0]?.name}`);
    },
  });
  expect(log).toEqual(["asked 0", "over 0: execute_bash", "asked 1", "over 1: execute_bash", "asked 2", "over 2: submit"]);
});

test("label, sample, temperature and reply limit go with every request, tools only natively", async () => {
  const { asked } = await play(sandbox, { ...asks, sample: 3, temperature: 0.7 }, [bash("true"), submits]);
  expect(
    asked.map(({ label, sampleIndex, temperature, maxTokens, tools }) => [label, sampleIndex, temperature, maxTokens, tools.length]),
  ).toEqual([
    ["rollout:sum:0:0", 3, 0.7, 4_096, 3],
    ["rollout:sum:0:1", 3, 0.7, 4_096, 3],
  ]);
});

test("a policy other than none may leave out of the model's sight what it likes, and nothing of the record", async () => {
  const whole = conversation();
  const before = (turns: readonly RolloutTurn[]) => [...whole.before(turns).slice(0, 1), ...whole.before(turns).slice(1).slice(-1)];
  const { asked, turns } = await play(sandbox, { ...asks, conversation: { ...whole, before } }, (nth) => (nth < 4 ? steps(nth) : submits));
  expect(turns.length).toBe(5);
  expect(asked.map(({ messages }) => messages.length)).toEqual([2, 4, 4, 4, 4]);
  expect(asked[4]?.messages.at(-1)).toMatchObject({ role: "tool", call: "c00003000" }); // a turn keeps its number
});

test("an agent sees placeholders for secrets, and what it does with them reaches the files as they are", async () => {
  const secret = `hunter-${"9x8Y7z"}Q!`;
  const scrubber = createScrubber({ secrets: true, personal: [], own: [] });
  const ports = { shown: scrubber.text, meant: scrubber.restoreJson };
  const prepared = await sandbox.exec(`echo 'DB_PASSWORD=${secret}' > settings.env`, { timeoutMs: 20_000, outputBytes: 1_000 });
  expect(prepared.exitCode).toBe(0);
  const path = `${sandboxes.workdir}/settings.env`;
  const edit = {
    command: "str_replace",
    path,
    old_str: "DB_PASSWORD=[SECRET:password:1]",
    new_str: "DB_PASSWORD=[SECRET:password:1] # checked",
  };
  const said = [
    bash("cat settings.env"),
    { calls: [call("str_replace_editor", edit)] },
    bash("grep -c 'hunter-.*checked' settings.env"),
    submits,
  ];
  const { turns, end, asked } = await play(sandbox, asks, said, ports);
  expect(turns[0]?.calls[0]?.result).toContain("DB_PASSWORD=[SECRET:password:1]\n");
  expect(turns[1]?.calls[0]).toMatchObject({ arguments: JSON.stringify(edit), failed: false });
  expect(turns[2]?.calls[0]?.result).toMatch(/^1\n/);
  expect(JSON.stringify([turns, asked])).not.toContain(secret);
  expect(end.patch).toContain(secret); // the verifier applies it; import scrubs it
});
