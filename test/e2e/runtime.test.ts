import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatTemplate } from "../../pipeline/adapters/chat-template.ts";
import { sha256 } from "../../pipeline/store/digest.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { Rollout } from "../../schemas/rollout.ts";
import { runtimeOf, runtimeText } from "../../stages/export/runtime.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { emptyNotes, renderMemory } from "../../stages/lib/memory-text.ts";
import { type FakeRequest, type FakeServer, startFakeServer } from "../fakes/openai-server.ts";
import { paramsOf } from "../stages/export/small-bundles.ts";
import { makePlace, type Place } from "./harness.ts";

/** The trained model at work, through the real command line: it answers as samples are written, and condenses when it wants to. */
const memory = renderMemory({ ...emptyNotes(), facts: ["the file is `sum.js`"] });
const said = callStyles.hermes.assistant;
const bash = (command: string): string => said("On.", [{ name: "execute_bash", arguments: JSON.stringify({ command }) }]);
const turns = [
  bash("echo 1"),
  bash("echo 2"),
  bash("echo 3"),
  said("Room.", [{ name: "context", arguments: "{}" }]),
  bash("echo 4"),
  said("", [{ name: "submit", arguments: "{}" }]),
];

let place: Place;
let server: FakeServer;
beforeAll(async () => {
  place = await makePlace();
  let turn = 0;
  const asksForMemory = ({ messages }: FakeRequest): boolean => (messages[1]?.content ?? "").startsWith("You keep the long-term memory");
  server = await startFakeServer({ reply: (request) => (asksForMemory(request) ? memory : (turns[turn++] ?? bash("true"))) });
  await place.write("trees/sum/sum.js", "export const add = (a, b) => a - b;\n");
  await place.write(
    "tasks/sum-1/task.yaml",
    'id: sum-1\ntitle: The sum is wrong\nproblem: add subtracts.\ntree: "../../trees/sum"\ntests: { command: "true", log: node-test, failToPass: [adds], passToPass: [] }\n',
  );
});
afterAll(async () => {
  await server.close();
  await place.remove();
});

test("run --runtime: temperature 0, calls as text, no native tools; after its call the agent sees task, memory, k steps and what follows", async () => {
  const params = paramsOf(Recipe.parse({ window: { keepSteps: 1 } }));
  const runtime = await place.write("runtime.yaml", runtimeText(runtimeOf(params, sha256(await chatTemplate("qwen2.5")))));
  const quick = ["sandbox.kind=none", "checkTasks=false", "verify=false"].flatMap((setting) => ["--set", `generate.rollout.${setting}`]);
  const args = [
    "run",
    "1",
    "--run",
    "try",
    "--tasks",
    join(place.folder, "tasks"),
    "--runtime",
    runtime,
    "--set",
    "run.shards=1",
    ...quick,
  ];
  const ended = await place.catgen(args, {
    CATGEN_BASE_URL: server.baseUrl,
    CATGEN_MODEL: "trained",
    CATGEN_CACHE: join(place.folder, "cache"),
  });
  expect(ended.code, ended.stderr).toBe(0);
  expect(server.requests.map(({ body }) => [body["temperature"], body["tools"]])).toEqual(Array(7).fill([0, undefined]));
  const [sixth, seventh] = server.requests.slice(5).map(({ messages }) => messages.map(({ content }) => content ?? ""));
  expect(sixth?.slice(2)).toEqual([
    turns[3],
    `<tool_response>\n${memory}\n</tool_response>`,
    turns[2],
    expect.stringContaining("3") as string,
  ]);
  expect(seventh?.slice(0, 6)).toEqual(sixth);
  expect(sixth?.[0]).toContain('"name": "context"');
  const folder = join(place.runs, "try", "rollouts", "done");
  const [file = ""] = await readdir(folder);
  const record = Rollout.parse(JSON.parse(await readFile(join(folder, file), "utf8")));
  expect([record.policy, record.end.exit, record.turns.length, record.end.marks]).toEqual(["cat", "submitted", 6, ["pre-condensed"]]);
}, 60_000);
