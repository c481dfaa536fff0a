import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readParquetRows } from "../../pipeline/adapters/parquet-reader.ts";
import type { Scan } from "../../schemas/scan.ts";
import type { Status } from "../../schemas/status.ts";
import { messageRun } from "../fakes/message-runs.ts";
import { plantedSecrets } from "../fakes/planted-secrets.ts";
import { makePlace, type Place } from "./harness.ts";

/** 20 shapes of secrets planted in messages, arguments, results and patches, through the real command line: none is left anywhere. */

const planted = plantedSecrets(3);
/** No secret of a shape: found by nobody's rules, only because it is ours. */
const own = "quiet river 7 / under+stone";

type Message = { role: string; content: string; tool_calls?: { function: { name: string; arguments: string } }[] };

function plantedRun(instance: string, line: string): Record<string, unknown> {
  const run = messageRun({ instance, steps: 30 });
  const messages = run["messages"] as Message[];
  const add = (index: number, text: string): void => {
    const message = messages[index];
    if (message !== undefined) message.content += text;
  };
  add(1, `\nThe log says:\n${line}\n`); // the task
  add(4, `\nI see:\n${line}\n`); // a thought
  add(9, `\n${line}\n`); // a result
  const call = messages.findLast((message) => message.tool_calls?.[0]?.function.name === "execute_bash")?.tool_calls?.[0];
  if (call !== undefined) call.function.arguments = JSON.stringify({ command: `cat > notes <<'EOF'\n${line}\nEOF` });
  const added = line.split("\n").map((one) => `+${one}\n`);
  return { ...run, patch: `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,${added.length} @@\n${added.join("")}` };
}

const ownLines = [
  own,
  Buffer.from(`user:${own}`).toString("base64"),
  encodeURIComponent(own),
  Buffer.from(own).toString("hex"),
  JSON.stringify({ key: own }),
];

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  const runs = [
    ...planted.map(({ line }, index) => plantedRun(`acme__web-${index + 1}`, line)),
    plantedRun("acme__web-99", ownLines.join("\n")),
  ];
  await place.write("in/runs.jsonl", runs.map((run) => `${JSON.stringify(run)}\n`).join(""));
});
afterAll(() => place.remove());

async function filesUnder(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
  const kinds = await Promise.all(names.map((name) => stat(name)));
  return names.filter((_, index) => kinds[index]?.isFile());
}

/** Every text that a file shows: its bytes as they are, and decoded values of JSON and Parquet, which escapes and packing would hide. */
async function textOf(path: string): Promise<string> {
  const raw = await readFile(path);
  if (!path.endsWith(".parquet")) return `${raw.toString("utf8")}\n${raw.toString("utf8").replaceAll("\\n", "\n").replaceAll('\\"', '"')}`;
  const rows: string[] = [];
  for await (const row of readParquetRows(path))
    rows.push(JSON.stringify(row), JSON.stringify(row).replaceAll("\\n", "\n").replaceAll('\\"', '"'));
  return rows.join("\n");
}

async function leaks(folder: string, secrets: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of await filesUnder(folder)) {
    const text = await textOf(path);
    found.push(...secrets.filter((secret) => text.includes(secret)).map((secret) => `${path}: ${secret.slice(0, 6)}`));
  }
  return found;
}

const secrets = [
  ...planted.map(({ secret }) => secret),
  own,
  encodeURIComponent(own),
  Buffer.from(own).toString("hex"),
  Buffer.from(own).toString("base64").slice(2, -4),
];
const env = { DEPLOY_TOKEN: own };
interface Ran extends Status {
  readonly summary: readonly unknown[];
}

/** The runs are short, and differ in their secrets alone. */
const keptAll = ["--set", "filter.minFoldTokens=null", "--set", "filter.set.nearDuplicateSteps=null"];

test("of 20 planted shapes and our own secret in its encoded forms nothing is left: not in rows, cards, configs, Parquet", async () => {
  const status = await place.json<Ran>(["run", "all", "--run", "clean", "--input", join(place.folder, "in"), ...keptAll], env);
  expect(status.inputs.trajectories).toBe(21);
  expect(status.stages.find(({ name }) => name === "export")?.rows.out).toBeGreaterThan(21);
  expect(await leaks(join(place.runs, "clean"), secrets)).toEqual([]);
  const marks = await readFile((await filesUnder(join(place.runs, "clean", "stages", "1-generate", "rows")))[0] ?? "", "utf8");
  expect(marks).toContain('"scrubbed"');
});

test("scan finds nothing in what was made, and what was planted in what came in", async () => {
  const clean = await place.catgen(["scan", join(place.runs, "clean"), "--json", "--quiet"], env);
  expect(JSON.parse(clean.stdout)).toMatchObject({ found: [], byType: {} });
  expect(clean.code).toBe(0);
  const dirty = await place.catgen(["scan", join(place.folder, "in"), "--json", "--quiet"], env);
  expect(dirty.code).toBe(65);
  const scan = JSON.parse(dirty.stdout) as Scan;
  expect(Object.keys(scan.byType).length).toBeGreaterThan(14);
  for (const secret of secrets) expect(dirty.stdout).not.toContain(secret);
  const text = await place.catgen(["scan", join(place.folder, "in"), "--quiet"], env);
  expect(text.stdout).toContain("own-secret");
});

test("without scrubbing the gate keeps every sample with a secret out and says of what type", async () => {
  const runs = ["run", "all", "--run", "dirty", "--input", join(place.folder, "in"), "--set", "generate.scrub.secrets=false", ...keptAll];
  const status = await place.json<Ran>(runs, env);
  const { rejected } = status.stages.find(({ name }) => name === "export")?.rows ?? { rejected: {} };
  expect(Object.keys(rejected).some((why) => why.includes("secret:github-token"))).toBe(true);
  expect(await leaks(join(place.runs, "dirty", "export"), secrets)).toEqual([]);
  const card = await readFile(join(place.runs, "dirty", "export", "README.md"), "utf8");
  expect(card).toContain("secret:jwt");
  const allowed = await place.json<Ran>([...runs, "--set", "export.allowSecretTypes=[jwt]"], env);
  expect(Object.keys(allowed.stages.find(({ name }) => name === "export")?.rows.rejected ?? {})).not.toContain("secret:jwt");
});

test("a secret in a name that goes onto the card stops the export, and nothing is published", async () => {
  const token = planted.find(({ shape }) => shape === "github-token")?.secret ?? "";
  const { code, stderr } = await place.catgen(["run", "6", "--run", "clean", "--set", `export.name=set ${token}`, "--quiet"], env);
  expect(code).toBe(65);
  expect(stderr).toContain("SECRETS_FOUND");
  expect(stderr).not.toContain(token);
});

test("personal data stays unless it is asked for, and then goes by its own switch", async () => {
  await place.write(
    "people/runs.jsonl",
    `${JSON.stringify(plantedRun("acme__web-1", "Author: Ada Tester <ada.tester@acme.io>\n/home/adat/web"))}\n`,
  );
  const run = (name: string, ...more: string[]) =>
    place.json<Ran>(["run", "1", "--run", name, "--input", join(place.folder, "people"), ...more]);
  await run("named");
  expect((await leaks(join(place.runs, "named", "stages"), ["ada.tester@acme.io", "/home/adat"])).length).toBeGreaterThan(0);
  await run("unnamed", "--set", "generate.scrub.personal=[mail, commit-name]");
  expect(await leaks(join(place.runs, "unnamed", "stages"), ["ada.tester@acme.io", "Ada Tester"])).toEqual([]);
  expect((await leaks(join(place.runs, "unnamed", "stages"), ["/home/adat"])).length).toBeGreaterThan(0);
});
