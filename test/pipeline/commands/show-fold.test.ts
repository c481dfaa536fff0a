import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Show } from "../../../schemas/show.ts";
import { makePlace, type Place } from "../../e2e/harness.ts";
import { messageLines } from "../../fakes/message-runs.ts";
import { type FakeRequest, type FakeServer, startFakeServer } from "../../fakes/openai-server.ts";
import { memoryText } from "../../invariants/placement.ts";

/** `show ID --fold N`: what the checks and the second opinion mind, with the words they mind. */

const memory = memoryText("The bug is in `src/nowhere/invented_module.py` line 4711.");
const said = (request: FakeRequest, ask: string): boolean => request.messages[0]?.content?.includes(ask) === true;
const unsupported = [
  { words: "src/nowhere/invented_module.py", why: "no step shows that file" },
  ...Array.from({ length: 9 }, (_, index) => ({ words: `claim ${index}`, why: "the steps are silent" })),
];
const reply = (request: FakeRequest): string => {
  if (said(request, "Now write the memory.")) return memory;
  if (said(request, "Now name what is not supported.")) return JSON.stringify({ unsupported });
  return "I have seen enough, so I will condense.";
};

let place: Place;
let server: FakeServer;
let env: Record<string, string>;
beforeAll(async () => {
  place = await makePlace();
  server = await startFakeServer({ reply });
  env = { CATGEN_BASE_URL: server.baseUrl, CATGEN_MODEL: "fake-model" };
  await place.write("in/runs.jsonl", messageLines([{ instance: "c__c-3", steps: 50 }]));
  const input = ["--input", join(place.folder, "in"), "--set", "run.shards=1"];
  await place.json(["run", "all", "--run", "plain", ...input], env);
  await place.json(["run", "all", "--run", "judged", ...input, "--set", "condense.judge=true"], env);
}, 120_000);
afterAll(async () => {
  await server.close();
  await place.remove();
});

const shown = async (run: string): Promise<string> => (await place.catgen(["show", "c__c", "--run", run, "--fold", "1"], env)).stdout;
const blocksIn = async (run: string) => {
  const { memory: rows } = await place.json<Show>(["show", "c__c", "--run", run], env);
  return rows?.ok === true ? rows.value.blocks : [];
};

test("each check's findings stand under its name, with the offending words", async () => {
  const text = await shown("plain");
  const checks = text.slice(text.lastIndexOf("\nchecks\n"));
  expect(checks).toMatch(/\n {2}grounded: \d+ wrong in \d+\n {4}".*invented_module\.py.*": \S/);
  expect(checks).toMatch(/\n {2}state-true: nothing wrong in \d+/);
  expect(text).not.toContain("second opinion");
});

test("what was measured of the run stands under its steps, without what is 0; a first memory repeats none", async () => {
  const whole = (await place.catgen(["show", "c__c", "--run", "plain"], env)).stdout;
  expect(whole).toMatch(/\nmeasures\n {2}.*steps 50, /);
  expect(whole).not.toContain("timeouts 0");
  expect(await shown("plain")).not.toContain("repeats the memory before");
});

test("a second opinion stands below, as many findings as are kept and how many more there are", async () => {
  const text = await shown("judged");
  const opinion = text.slice(text.indexOf("second opinion"));
  expect(text.indexOf("\nchecks\n")).toBeLessThan(text.indexOf("second opinion"));
  expect(opinion).toMatch(
    /^second opinion by fake-model: 10 unsupported\n {4}"src\/nowhere\/invented_module\.py": no step shows that file\n/,
  );
  expect(opinion).toContain('    "claim 6": the steps are silent\n    and 2 more');
});

test("it costs a call per memory and changes nothing else of the row; a limit on it judges", async () => {
  const [plain, judged] = [await blocksIn("plain"), await blocksIn("judged")];
  expect(judged.length).toBeGreaterThan(0);
  expect(judged.map((block) => ({ ...block, judged: null }))).toEqual(plain);
  expect(server.requests.filter((request) => said(request, "Now name what is not supported."))).toHaveLength(judged.length);
  const { metrics } = await place.json<Show>(["show", "c__c", "--run", "judged"], env);
  expect(metrics?.ok === true ? metrics.value.blocks.map((block) => block.judgedFindings) : []).toEqual(judged.map(() => 10));
  const requests = server.requests.length;
  await place.json(["run", "5", "--run", "judged", "--set", "filter.maxJudged=3"], env);
  const { verdict } = await place.json<Show>(["show", "c__c", "--run", "judged"], env);
  expect(JSON.stringify(verdict)).toContain("judged-unsupported");
  expect(server.requests).toHaveLength(requests);
});

test("a judge without a model to ask is refused with what to set", async () => {
  const input = ["--input", join(place.folder, "in"), "--set", "condense.judge=true", "--quiet"];
  const { code, stderr } = await place.catgen(["run", "all", "--run", "none", ...input]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/condense\.judge.*CATGEN_BASE_URL/);
});
