import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readParquetRows } from "../../pipeline/adapters/parquet-reader.ts";
import { AuditAccount } from "../../schemas/audit.ts";
import type { Status } from "../../schemas/status.ts";
import { type FakeHub, startFakeHub } from "../fakes/hub/server.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { startFakeServer } from "../fakes/openai-server.ts";
import { memoryText } from "../invariants/placement.ts";
import { makePlace, type Place, repository } from "./harness.ts";

/** A published dataset comes back: the rows of every stage that costs something come with it, and other thresholds judge them anew. */

interface Ran extends Status {
  readonly summary: readonly { readonly step: string; readonly rowsMade: number; readonly rowsReused: number }[];
}

const token = "hf_fakeTokenOfTheTests";
const looser = ["--set", "filter.outcome=not-failed", "--set", "filter.minContextCalls=null"];
const stricter = ["--set", "filter.minSteps=50"];

let place: Place;
let hub: FakeHub;
let env: Record<string, string>;
let snapshot: string;

beforeAll(async () => {
  place = await makePlace();
  hub = await startFakeHub({ accounts: { [token]: { name: "ada", role: "write", writes: ["ada"] } } });
  env = { HF_TOKEN: token, CATGEN_HF_TOKEN: "", HF_HOME: join(place.folder, "hf"), HF_ENDPOINT: hub.address };
  const recipe = [
    "--recipe",
    join(repository, "data/demo/recipe.yaml"),
    "--set",
    "export.audit=all",
    "--set",
    "generate.licence=Apache-2.0",
  ];
  await place.json(["run", "all", "--run", "first", "--input", join(repository, "data/demo/recorded.jsonl"), ...recipe]);
  await place.json(["publish", "--run", "first", "--repo", "ada/cat", "--tag", "v1"], env);
  snapshot = join(place.folder, "snapshot");
  await cp(join(place.runs, "first", "export"), snapshot, { recursive: true });
}, 120_000);
afterAll(async () => {
  await hub.close();
  await place.remove();
});

const pull = (run: string, input: string, ...more: string[]): Promise<Ran> =>
  place.json<Ran>(["run", "all", "--run", run, "--input", input, ...more], env);

const exportedFiles = (run: string, folder = ""): Promise<Map<string, string>> => filesUnder(join(place.runs, run, "export", folder));

async function filesUnder(top: string): Promise<Map<string, string>> {
  const names = await readdir(top, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.sort().map(async (path) => [path.slice(top.length), await readFile(path, "base64")] as const)));
}

async function kept(run: string): Promise<string[]> {
  const { trajectories } = await place.json<{ trajectories: { id: string; kept: boolean }[] }>(["show", "--list", "--run", run]);
  return trajectories.filter((one) => one.kept).map(({ id }) => id);
}

const madeIn = ({ summary }: Ran, step: string): number | undefined => summary.find((one) => one.step === step)?.rowsMade;

async function snapshotWith(name: string, change: (account: AuditAccount) => object): Promise<string> {
  const folder = join(place.folder, name);
  await cp(snapshot, folder, { recursive: true });
  const path = join(folder, "audit", "audit.json");
  await writeFile(path, JSON.stringify(change(AuditAccount.parse(JSON.parse(await readFile(path, "utf8"))))));
  return folder;
}

test("from the hub and from a folder it comes back whole: no row of stages 2, 3 and 5-measure is made, and the dataset has the same bytes", async () => {
  for (const [run, input] of [
    ["from-hub", "hf://ada/cat@v1"],
    ["from-folder", snapshot],
  ] as const) {
    const ran = await pull(run, input);
    expect(["2-detect", "3-condense", "5-measure"].map((step) => madeIn(ran, step))).toEqual([0, 0, 0]);
    expect(ran.summary.find(({ step }) => step === "3-condense")?.rowsReused).toBe(8);
    expect(await exportedFiles(run), run).toEqual(await exportedFiles("first"));
    const verified = await place.catgen(["verify", "--run", run]);
    expect(verified.code, verified.stderr).toBe(0);
  }
  const samples = hub.requests.filter(({ method, path }) => method === "GET" && /resolve.*\/(?:messages|input-output)\//.test(path));
  expect(samples).toEqual([]);
}, 120_000);

test("looser and stricter thresholds keep what they keep in the run it came from, and give the same Parquet bytes", async () => {
  await place.json(["run", "1-5", "--run", "other", "--input", snapshot]);
  const sets: string[][] = [];
  for (const thresholds of [looser, stricter]) {
    for (const run of ["first", "other"]) await place.json(["run", "5-6", "--run", run, ...thresholds]);
    expect(await kept("other")).toEqual(await kept("first"));
    expect(await exportedFiles("other", "messages")).toEqual(await exportedFiles("first", "messages"));
    sets.push(await kept("other"));
  }
  expect(sets[0]?.length).toBeGreaterThan(sets[1]?.length ?? 0);
}, 120_000);

/** Every sample of the dataset with all that its row says, in an order of its own: that of the files is the shards'. */
async function samplesOf(run: string): Promise<unknown[]> {
  const top = join(place.runs, run, "export", "messages");
  const names = (await readdir(top, { recursive: true })).filter((name) => name.endsWith(".parquet")).sort();
  const rows: Record<string, unknown>[] = [];
  for (const name of names) for await (const row of readParquetRows(join(top, name))) rows.push({ ...row, file: name.split("/")[0] });
  const keyOf = (row: Record<string, unknown>): string => `${row["file"]} ${row["cat_sample_id"]}`;
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

test("under another number of shards no row of a stage that costs is made anew either, and other thresholds keep the same", async () => {
  const fewer = "few-shards";
  const more = "more-shards"; // more than there are journals open at once
  for (const [run, shards] of [
    [fewer, 3],
    [more, 70],
  ] as const) {
    const ran = await pull(run, "hf://ada/cat@v1", "--set", `run.shards=${shards}`);
    expect([run, ...["2-detect", "3-condense", "5-measure"].map((step) => madeIn(ran, step))]).toEqual([run, 0, 0, 0]);
    expect(ran.summary.find(({ step }) => step === "3-condense")?.rowsReused).toBe(8);
    expect((await readdir(join(place.runs, run, "stages", "3-condense", "manifests"))).length).toBe(shards);
  }
  const whole = "one-shard";
  await pull(whole, snapshot);
  for (const run of [fewer, more]) expect(await samplesOf(run)).toEqual(await samplesOf(whole));
  for (const run of [whole, fewer]) await place.json(["run", "5-6", "--run", run, ...looser]);
  expect((await kept(fewer)).sort()).toEqual((await kept(whole)).sort());
  expect(await samplesOf(fewer)).toEqual(await samplesOf(whole));
  expect((await samplesOf(fewer)).length).toBeGreaterThan((await samplesOf(more)).length);
}, 180_000);

test("killed while it lays rows by, the same command goes on, to the same dataset", async () => {
  const name = "killed";
  for (const crash of ["journal-append:5", "journal-append:20", "inputs-forgotten", "rows-renamed:3"]) {
    const { code, stderr } = await place.catgen(["run", "all", "--run", name, "--input", snapshot], { ...env, CATGEN_CRASH_AT: crash });
    expect(code, `${crash}: ${stderr}`).toBeNull();
  }
  const ran = await pull(name, snapshot);
  expect([madeIn(ran, "2-detect"), madeIn(ran, "3-condense")]).toEqual([0, 0]);
  expect(await filesUnder(join(place.runs, name, "export"))).toEqual(await filesUnder(snapshot));
}, 120_000);

test("memories of a model come back without an endpoint, and its address stays at home", async () => {
  const server = await startFakeServer({ reply: () => memoryText("noted in request") });
  const input = await place.write("model.jsonl", messageLines([{ instance: "a__a-1" }, { instance: "b__b-2", steps: 50 }]));
  const asked = { CATGEN_BASE_URL: server.baseUrl, CATGEN_MODEL: "fake-model", CATGEN_CACHE: join(place.folder, "cache-model") };
  await place.json(
    ["run", "all", "--run", "model", "--input", input, "--set", "generate.licence=MIT", "--set", "condense.thought=template"],
    asked,
  );
  const calls = server.requests.length;
  expect(calls).toBeGreaterThan(0);
  await server.close();
  const ran = await pull("model-back", join(place.runs, "model", "export"));
  expect([madeIn(ran, "3-condense"), ran.spent.calls]).toEqual([0, 0]);
  expect(await exportedFiles("model-back", "messages")).toEqual(await exportedFiles("model", "messages"));
  for (const [path, bytes] of await exportedFiles("model"))
    expect(Buffer.from(bytes, "base64").includes(new URL(server.baseUrl).host), path).toBe(false);
}, 120_000);

test("a parameter changed on the way in makes its stages anew and says which", async () => {
  const { code, stderr } = await place.catgen(
    ["run", "all", "--run", "changed", "--input", snapshot, "--set", "condense.memoryCapTokens=512"],
    env,
  );
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/3-condense is made anew: condense\.memoryCapTokens changed from \d+ to 512/);
}, 60_000);

test("a damaged shard of what came with it is mended from where it came from", async () => {
  await pull("mended", snapshot);
  const rows = join(place.runs, "mended", "stages", "3-condense", "rows");
  const [file = ""] = await readdir(rows);
  await rm(join(rows, file));
  expect((await place.catgen(["repair", "--run", "mended"])).code).toBe(0);
  expect(await readdir(rows)).toContain(file);
}, 60_000);

test("by default those that the thresholds keep travel along; a dataset without its trajectories says so", async () => {
  await place.json(["run", "6", "--run", "first", "--set", "export.audit=kept"]);
  const account = AuditAccount.parse(JSON.parse(await readFile(join(place.runs, "first/export/audit/audit.json"), "utf8")));
  expect(account.files.map(({ path }) => path)).toEqual(["audit/kept-00000-of-00001.parquet"]);
  await place.json(["run", "6", "--run", "first", "--set", "export.audit=none"]);
  expect(await readdir(join(place.runs, "first", "export"))).not.toContain("audit");
  const { code, stderr } = await place.catgen(["run", "all", "--run", "bare", "--input", join(place.runs, "first", "export")]);
  expect(code).toBe(65);
  expect(stderr).toMatch(/published without its trajectories .*--set export\.audit=kept/);
}, 60_000);

test("half of its files, files of another dataset, another format and another version are each refused by name", async () => {
  const half = await snapshotWith("half", (account) => account);
  await rm(join(half, "audit", "rejected-00000-of-00001.parquet"));
  const swapped = await snapshotWith("swapped", ({ files, ...account }) => ({
    ...account,
    files: files.map((file) => ({ ...file, bytes: 7 })),
  }));
  const format = await snapshotWith("format", (account) => ({ ...account, format: "catgen.audit/9", catgen: "9.9.9" }));
  const version = await snapshotWith("version", ({ steps, ...account }) => ({
    ...account,
    steps: { ...steps, condense: { ...steps.condense, version: 1 } },
  }));
  const cases: [string, number, RegExp][] = [
    [half, 64, /of its 2 files 1 are missing, the first: audit\/rejected-00000-of-00001\.parquet; download the dataset again/],
    [swapped, 64, /2 are not those that were published/],
    [format, 65, /format catgen\.audit\/9, written by catgen 9\.9\.9/],
    [version, 78, /condense: condense is version \d+ now, the rows were made by version 1.*--recipe FILE/],
  ];
  for (const [input, status, words] of cases) {
    const { code, stderr } = await place.catgen(["run", "all", "--run", `refused-${status}`, "--input", input, "--quiet"], env);
    expect(`${code} ${stderr}`).toMatch(words);
    expect(code).toBe(status);
  }
  const anew = await pull("anew", version, "--recipe", join(repository, "data/demo/recipe.yaml"));
  expect(madeIn(anew, "3-condense")).toBe(8);
}, 120_000);
