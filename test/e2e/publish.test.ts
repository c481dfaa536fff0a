import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AuditAccount } from "../../schemas/audit.ts";
import type { Published } from "../../schemas/publish.ts";
import { ExportRecipe } from "../../schemas/recipe/export.ts";
import { type FakeHub, startFakeHub } from "../fakes/hub/server.ts";
import type { FakeHubOptions } from "../fakes/hub/world.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { makePlace, type Place, startCatgen } from "./harness.ts";

const token = "hf_fakeTokenOfTheTests";
const accounts: NonNullable<FakeHubOptions["accounts"]> = { [token]: { name: "ada", role: "write", writes: ["ada"] } };

let place: Place;
/** No token and no hub of the tester's own. */
let nobody: Record<string, string>;
const hubs: FakeHub[] = [];

const runs = ["calm__sea-1", "quiet__lake-2", "wide__bay-3"].map((instance) => ({ instance }));

beforeAll(async () => {
  place = await makePlace();
  nobody = { HF_TOKEN: "", CATGEN_HF_TOKEN: "", HF_TOKEN_PATH: "", HF_HOME: join(place.folder, "hf"), HF_ENDPOINT: "http://127.0.0.1:9" };
  await made("good", "--set", "generate.licence=MIT");
}, 120_000);
afterAll(async () => {
  for (const hub of hubs) await hub.close();
  await place.remove();
});

async function made(name: string, ...more: string[]): Promise<void> {
  const input = await place.write(
    `${name}.jsonl`,
    messageLines(name === "verified" ? [...runs, { instance: "django__django-11099" }] : runs),
  );
  const alike = ["--set", "filter.set.nearDuplicateSteps=null"]; // the made-up runs differ in their names alone
  const { code, stderr } = await place.catgen(["run", "all", "--run", name, "--input", input, "--quiet", ...alike, ...more]);
  expect(`${code} ${stderr}`).toBe("0 ");
}

async function hubOf(options: Omit<FakeHubOptions, "accounts"> = {}): Promise<FakeHub> {
  const hub = await startFakeHub({ accounts, ...options });
  hubs.push(hub);
  return hub;
}

const publish = (run: string, ...more: string[]): string[] => ["publish", "--run", run, "--repo", "ada/cat", ...more];
const at = (hub: FakeHub): Record<string, string> => ({ ...nobody, HF_ENDPOINT: hub.address, HF_TOKEN: token });
const exported = (run: string, path: string): string => join(place.runs, run, "export", path);

async function expectArrived(hub: FakeHub, { files }: Published): Promise<void> {
  for (const { path } of files)
    expect(hub.content("ada/cat", "main", path)?.equals(await readFile(exported("good", path))), path).toBe(true);
  expect(hub.repositories.get("ada/cat")?.at("main")?.files.size).toBe(files.length + 1); // and the hub's own .gitattributes
}

test("a dry run lists what would go with bytes and digests, without network or token", async () => {
  const plan = await place.json<Published>(publish("good", "--dry-run"), nobody);
  expect(plan).toMatchObject({ repo: "ada/cat", private: true, dryRun: true, done: null, leftOut: [], branch: "main", tag: null });
  expect(plan.gates.map(({ gate, findings }) => [gate, findings])).toEqual([
    ["digests", []],
    ["secrets", []],
    ["licence", []],
    ["contamination", []],
  ]);
  const manifest = await readFile(join(place.runs, "good", "stages", "6-export", "manifests", "export.json"), "utf8");
  for (const { path, sha256 } of plan.files) expect(manifest, path).toContain(sha256);
  expect(plan.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["README.md", "stats.json", "messages/segment/train-00000-of-00001.parquet", "launch/slurm/trl.sh"]),
  );
}, 60_000);

test("everything that stage 6 writes has a name that may go, whatever the layouts", async () => {
  const [layouts, kinds] = [ExportRecipe.shape.layouts.unwrap().element.options, ExportRecipe.shape.kinds.unwrap().element.options];
  await made("wide", "--set", "generate.licence=MIT", "--set", `export.layouts=[${layouts}]`, "--set", `export.kinds=[${kinds}]`);
  const plan = await place.json<Published>(publish("wide", "--dry-run"), nobody);
  expect(plan.leftOut).toEqual([]);
  expect(plan.files.filter(({ path }) => path.endsWith(".parquet")).length).toBeGreaterThan(20);
}, 60_000);

test("where no row says its source, what stage 6 counted is looked at instead", async () => {
  await made("tokens", "--set", "export.layouts=[tokenized]", "--set", "export.audit=none");
  const { code, stderr } = await place.catgen(publish("tokens", "--dry-run", "--quiet"), nobody);
  expect(code).toBe(65);
  expect(stderr).toMatch(/licence, messages: unknown: 3 trajectories: its licence is not known/);
}, 60_000);

test("what is published is what lies on disk; the token is said nowhere; the same again changes nothing", async () => {
  const hub = await hubOf();
  const { code, stdout, stderr } = await place.catgen(publish("good", "--json", "--tag", "v1"), at(hub));
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  const published = JSON.parse(stdout) as Published;
  await expectArrived(hub, published);
  expect(published.done).toMatchObject({ created: true, unchanged: false });
  expect(hub.repositories.get("ada/cat")).toMatchObject({ isPrivate: true, tags: new Map([["v1", published.done?.commit]]) });
  expect(stdout + stderr).not.toContain(token);
  const again = await place.json<Published>(publish("good"), at(hub));
  expect(again.done).toMatchObject({ unchanged: true, sentBytes: 0 });
}, 60_000);

test("kill -9 in mid-upload: nothing is visible, and the next call sends only what is missing", async () => {
  let stalling = true;
  let reached: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let uploads = 0;
  const hub = await hubOf({
    fault: ({ method }) => {
      if (method !== "PUT" || !stalling) return null;
      uploads += 1;
      if (uploads <= 1) return null;
      reached();
      return { kind: "stall" };
    },
  });
  const child = startCatgen(place.runs, publish("good", "--quiet"), at(hub));
  const ended = new Promise((resolve) => child.on("close", resolve));
  await stalled;
  while (hub.store.blobs.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGKILL");
  await ended;
  expect([...(hub.repositories.get("ada/cat")?.at("main")?.files.keys() ?? [])]).toEqual([".gitattributes"]);
  const stored = [...hub.store.blobs.keys()];
  expect(stored).toHaveLength(1);
  stalling = false;
  const before = hub.requests.length;
  const published = await place.json<Published>(publish("good"), at(hub));
  await expectArrived(hub, published);
  const sent = hub.requests.slice(before).filter(({ method }) => method === "PUT");
  expect(sent.map(({ path }) => path)).not.toContain(`/blobs/${stored[0]}`);
  expect(hub.repositories.get("ada/cat")?.commits.size).toBe(2);
}, 60_000);

test("the token comes from the file that logging in writes, and without one it says how to get one", async () => {
  const hub = await hubOf();
  const none = await place.catgen(publish("good", "--quiet"), { ...at(hub), HF_TOKEN: "" });
  expect(none.code).toBe(78);
  expect(none.stderr).toMatch(/set HF_TOKEN.*hf auth login/);
  expect(hub.requests).toEqual([]);
  await place.write("hf/token", `${token}\n`);
  const published = await place.json<Published>(publish("good"), { ...at(hub), HF_TOKEN: "" });
  await expectArrived(hub, published);
}, 60_000);

test("a hub over plain http that is not this machine never gets the token", async () => {
  const { code, stderr } = await place.catgen(publish("good", "--hub", "http://hub.example"), { ...nobody, HF_TOKEN: token });
  expect(code).toBe(64);
  expect(stderr).toMatch(/https:\/\//);
}, 60_000);

test("a source without licence blocks, is named, and goes once the recipe says who looked at it", async () => {
  await made("bare");
  const hub = await hubOf();
  const blocked = await place.catgen(publish("bare", "--json"), at(hub));
  expect(blocked.code).toBe(65);
  expect(blocked.stderr).toMatch(/nothing was published: licence \(name the licence.*generate\.licence/);
  const [finding] = (JSON.parse(blocked.stdout) as Published).gates.find(({ gate }) => gate === "licence")?.findings ?? [];
  expect(finding).toMatchObject({ subject: "messages: unknown", approved: null });
  expect(hub.requests).toEqual([]);
  const approved = "publish.approved=[{gate: licence, subject: 'messages: unknown', reason: 'ours, made for this test'}]";
  const published = await place.json<Published>(publish("bare", "--set", approved), at(hub));
  expect(published.done?.unchanged).toBe(false);
  expect(hub.repositories.get("ada/cat")?.at("main")?.description).toMatch(
    /Approved at the gate licence: messages: unknown .*ours, made for this test/,
  );
}, 120_000);

test("an exported evaluation instance blocks by name; an approval for another finding does not help", async () => {
  await made("verified", "--set", "generate.licence=MIT", "--set", "filter.allowEvaluationInstances=true");
  const approved = "publish.approved=[{gate: contamination, subject: 'astropy__astropy-1', reason: 'x'}]";
  const { code, stderr } = await place.catgen(publish("verified", "--dry-run", "--quiet", "--set", approved), nobody);
  expect(code).toBe(65);
  expect(stderr).toMatch(/contamination, django__django-11099: \d+ rows of an instance of swe-bench/);
}, 120_000);

test("a rejected run on an evaluation task does not travel with those that were rejected for other reasons, and its dataset may go", async () => {
  const input = await place.write(
    "judged.jsonl",
    messageLines([...runs, { instance: "wide__bay-4", resolved: false }, { instance: "django__django-11099" }]),
  );
  const settings = ["generate.licence=MIT", "export.audit=all", "filter.outcome=resolved", "filter.set.nearDuplicateSteps=null"];
  await place.json(["run", "all", "--run", "judged", "--input", input, ...settings.flatMap((one) => ["--set", one])]);
  const { files, leftOut } = JSON.parse(await readFile(exported("judged", "audit/audit.json"), "utf8")) as AuditAccount;
  expect(leftOut).toEqual({ "evaluation-task": 1 });
  expect(files.map(({ path, rows }) => [path, rows])).toContainEqual(["audit/rejected-00000-of-00001.parquet", 1]);
  expect(await readFile(exported("judged", "README.md"), "utf8")).toMatch(
    /1 trajectory is left out of it, rejected and on tasks that models are evaluated on/,
  );
  const { gates } = await place.json<Published>(publish("judged", "--dry-run"), nobody);
  expect(gates.find(({ gate }) => gate === "contamination")?.findings).toEqual([]);
  await place.json([
    "run",
    "1-5",
    "--run",
    "pulled",
    "--input",
    exported("judged", ""),
    "--set",
    "filter.allowEvaluationInstances=true",
    "--set",
    "filter.outcome=null",
  ]);
  const { trajectories } = await place.json<{ trajectories: { id: string }[] }>(["show", "--list", "--run", "pulled"]);
  expect(trajectories.map(({ id }) => id.split("/")[1]).sort()).toEqual(["calm__sea-1", "quiet__lake-2", "wide__bay-3", "wide__bay-4"]);
}, 120_000);

test("a file that was changed after the export blocks, and so does a secret in it; what was left in the folder does not go", async () => {
  await made("edited", "--set", "generate.licence=MIT");
  await appendFile(exported("edited", "README.md"), "\nexport GITHUB_TOKEN=ghp_J8fK2mQ9xR4vT7wY1zB5nC3dE6gH0aLpS2uX\n");
  await writeFile(exported("edited", "recipe.yaml"), "llm: {}\n");
  const { code, stdout, stderr } = await place.catgen(publish("edited", "--dry-run", "--json"), nobody);
  expect(code).toBe(65);
  expect(stderr).toMatch(/digests \(make the dataset anew/);
  const plan = JSON.parse(stdout) as Published;
  expect(plan.leftOut).toEqual([{ path: "recipe.yaml", why: "not written by stage 6" }]);
  const subjects = plan.gates.flatMap(({ gate, findings }) => findings.map(({ subject }) => `${gate} ${subject}`));
  expect(subjects).toEqual(["digests README.md", "secrets README.md: github-token"]);
  expect(stdout + stderr).not.toContain("ghp_J8fK2mQ9");
}, 120_000);

test("an export that is not of today's recipe is not published", async () => {
  const { code, stderr } = await place.catgen(publish("good", "--dry-run", "--set", "export.name=Other"), nobody);
  expect(code).toBe(64);
  expect(stderr).toMatch(/the recipe has changed since.*catgen run all --run good/);
}, 60_000);

test("a name that is no ORG/NAME is refused", async () => {
  const { code, stderr } = await place.catgen(["publish", "--run", "good", "--repo", "ada/../x"], nobody);
  expect(code).toBe(64);
  expect(stderr).toMatch(/ORG\/NAME/);
});
