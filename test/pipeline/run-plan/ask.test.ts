import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { exceeded, goOn } from "../../../pipeline/run-plan/ask.ts";

function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = "";
  output.on("data", (bytes: Buffer) => {
    said += bytes.toString("utf8");
  });
  return { input, output, said: () => said };
}

async function answered(typed: string): Promise<boolean> {
  const { input, output } = terminal();
  const answer = goOn({ input, output }, "go on?", null);
  input.write(typed);
  return answer;
}

test("y and yes are a yes, whatever the case", async () => {
  for (const typed of ["y\r", "Y\r", "yes\r", " YES \r"]) expect(await answered(typed), typed).toBe(true);
});

test("an empty line, anything else, Ctrl-C and Ctrl-D are a no", async () => {
  for (const typed of ["\r", "n\r", "yellow\r", "\u0003", "\u0004"]) expect(await answered(typed), JSON.stringify(typed)).toBe(false);
});

test("a line typed halfway is no answer when Ctrl-C ends it", async () => {
  expect(await answered("y\u0003")).toBe(false);
});

test("the end of the terminal and a signal to stop are a no, too", async () => {
  const closed = terminal();
  const end = goOn(closed, "go on?", null);
  closed.input.end();
  expect(await end).toBe(false);
  const stopped = terminal();
  const controller = new AbortController();
  const stop = goOn(stopped, "go on?", controller.signal);
  controller.abort();
  expect(await stop).toBe(false);
});

test("the question says what may be typed", async () => {
  const { input, output, said } = terminal();
  const answer = goOn({ input, output }, "go on?", null);
  input.write("n\r");
  await answer;
  expect(said()).toContain("go on? [y/N] ");
});

const calls = (expected: number) => ({ certain: expected, expected, atMost: 3 * expected });

test("what a plan exceeds is named with its limit; exactly the limit is within it", () => {
  const limits = { calls: 100, money: 5 };
  const cost = (expected: number) => ({ expected, atMost: 100, currency: "EUR" });
  expect(exceeded({ calls: calls(100), cost: cost(5) }, limits)).toBeNull();
  expect(exceeded({ calls: calls(101), cost: null }, limits)).toBe("101 calls (llm.askAbove.calls is 100)");
  expect(exceeded({ calls: calls(1), cost: cost(5.01) }, limits)).toBe("5.01 EUR (llm.askAbove.money is 5)");
  expect(exceeded({ calls: calls(101), cost: cost(6) }, limits)).toMatch(/101 calls .* and 6\.00 EUR/);
  expect(exceeded({ calls: calls(1e6), cost: cost(1e6) }, { calls: null, money: null })).toBeNull();
});
