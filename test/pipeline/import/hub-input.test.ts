import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeParquetShards } from "../../../pipeline/adapters/parquet-writer.ts";
import { bool, type ColumnSchema, float64, int32, list, nullable, type Row, struct, utf8 } from "../../../schemas/columns.ts";
import { sha256Of } from "../../fakes/hub/repository.ts";
import { type FakeHub, startFakeHub } from "../../fakes/hub/server.ts";
import type { HubFault } from "../../fakes/hub/world.ts";
import { messageRun } from "../../fakes/message-runs.ts";
import { noise } from "../publish/lib.ts";
import { folderWith, importAll } from "./import-folder.ts";

let hub: FakeHub;
let fault: (request: { path: string; store: boolean }) => HubFault | null = () => null;
const before = { ...process.env };

beforeEach(async () => {
  fault = () => null;
  hub = await startFakeHub({ fault: (request) => fault(request), pageEntries: 2 });
  Object.assign(process.env, { HF_ENDPOINT: hub.address, HF_TOKEN: "", CATGEN_HF_TOKEN: "", HF_HOME: "/nowhere" });
});
afterEach(async () => {
  for (const name of ["HF_ENDPOINT", "HF_TOKEN", "CATGEN_HF_TOKEN", "HF_HOME"]) {
    const old = before[name];
    if (old === undefined) delete process.env[name];
    else process.env[name] = old;
  }
  await hub.close();
});

const message = struct({
  role: utf8,
  content: nullable(utf8),
  name: nullable(utf8),
  tool_call_id: nullable(utf8),
  tool_calls: nullable(list(struct({ id: utf8, type: utf8, function: struct({ name: utf8, arguments: utf8 }) }))),
});

/** As the Hub's tables have it: every field that a message lacks is filled with null. */
const filled = (instance: string): unknown[] =>
  (messageRun({ instance, steps: 6 })["messages"] as Record<string, unknown>[]).map((one) => ({
    role: one["role"],
    content: one["content"] ?? null,
    name: null,
    tool_call_id: one["tool_call_id"] ?? null,
    tool_calls: one["tool_calls"] ?? null,
  }));
const asText = (instance: string): string => JSON.stringify(messageRun({ instance, steps: 6 })["messages"]);

interface PublicSet {
  readonly columns: ColumnSchema;
  row(instance: string): Row;
}

/** Columns of the public sets as their cards state them. */
const publicSets: Readonly<Record<string, PublicSet>> = {
  "nebius/SWE-rebench-openhands-trajectories": {
    columns: {
      trajectory_id: utf8,
      instance_id: utf8,
      repo: utf8,
      trajectory: list(message),
      model_patch: nullable(utf8),
      exit_status: nullable(utf8),
      resolved: int32,
      gen_tests_correct: nullable(float64),
    },
    row: (instance) => ({
      trajectory_id: `t-${instance}`,
      instance_id: instance,
      repo: "o/r",
      trajectory: filled(instance),
      model_patch: null,
      exit_status: "submit",
      resolved: 1,
      gen_tests_correct: null,
    }),
  },
  "SWE-bench/SWE-smith-trajectories": {
    columns: { messages: utf8, instance_id: utf8, resolved: bool, model: utf8, traj_id: utf8, patch: utf8 },
    row: (instance) => ({
      messages: asText(instance),
      instance_id: instance,
      resolved: true,
      model: "m",
      traj_id: `t-${instance}`,
      patch: "",
    }),
  },
  "SWE-Gym/OpenHands-Sampled-Trajectories": {
    columns: {
      instance_id: utf8,
      run_id: utf8,
      resolved: bool,
      messages: list(message),
      test_result: struct({ git_patch: nullable(utf8) }),
    },
    row: (instance) => ({
      instance_id: instance,
      run_id: "gpt",
      resolved: true,
      messages: filled(instance),
      test_result: { git_patch: null },
    }),
  },
  "nvidia/Open-SWE-Traces": {
    columns: {
      instance_id: utf8,
      repo: utf8,
      license: utf8,
      language: utf8,
      trajectory_id: utf8,
      messages: list(message),
      tools: list(utf8),
      resolved: int32,
      metadata: utf8,
    },
    row: (instance) => ({
      instance_id: instance,
      repo: "o/r",
      license: "MIT",
      language: "python",
      trajectory_id: `t-${instance}`,
      messages: filled(instance),
      tools: [],
      resolved: 1,
      metadata: "{}",
    }),
  },
  "togethercomputer/CoderForge-Preview": {
    columns: { trajectory_id: utf8, finish_reason: utf8, image: utf8, messages: utf8, reward: float64, tools: utf8, license: utf8 },
    row: (instance) => ({
      trajectory_id: `${instance}_run1`,
      finish_reason: "submit",
      image: `swerebench/sweb.eval.x86_64.${instance}`,
      messages: asText(instance),
      reward: 1,
      tools: "[]",
      license: "MIT",
    }),
  },
};

/** Puts a file of these rows into a public dataset on the fake hub; the same file lies in a folder. */
async function onHub(
  repo: string,
  columns: ColumnSchema,
  rows: readonly Row[],
  path = "data/train-00000-of-00001.parquet",
): Promise<string> {
  const folder = await folderWith({});
  const { shards } = await writeParquetShards(folder, "train", columns, rows, { rowGroupBytes: 100_000, shardBytes: 1e9 });
  const content = await readFile(join(folder, shards[0]?.name ?? ""));
  const made = hub.repositories.get(repo) ?? hub.make(repo, false);
  hub.store.blobs.set(sha256Of(content), content);
  made.commit(
    "main",
    "data",
    "",
    new Map([...(made.at("main")?.files ?? []), [path, { kind: "lfs", oid: sha256Of(content), size: content.length }]]),
  );
  return folder;
}

describe.each(Object.entries(publicSets))("%s", (repo, { columns, row }) => {
  test("is imported where it lies, and gives the trajectories that the downloaded file gives", async () => {
    const folder = await onHub(repo, columns, ["calm__sea-1", "quiet__lake-2"].map(row));
    const [there, here] = [await importAll([`hf://${repo}`]), await importAll([folder])];
    expect(there.broken).toEqual([]);
    expect(there.runs.map(({ instance }) => instance)).toEqual(["calm__sea-1", "quiet__lake-2"]);
    const placeless = ({ origin: { file: _, ...origin }, ...run }: (typeof there.runs)[number]) => ({ ...run, origin });
    expect(there.runs.map(placeless)).toEqual(here.runs.map(placeless));
    expect(there.runs[0]).toMatchObject({ outcome: { resolved: true }, origin: { licence: "license" in columns ? "MIT" : null } });
    expect(there.runs[0]?.steps).toHaveLength(6);
  });
});

const smith = publicSets["SWE-bench/SWE-smith-trajectories"] as PublicSet;

test("a column that nothing reads is not fetched, and a file is never asked for as a whole", async () => {
  const heavy = Array.from({ length: 200_000 }, (_, index) => String.fromCharCode(33 + ((index * 7919) % 90))).join("");
  const columns = { ...smith.columns, eval_logs: utf8 };
  const rows = ["a__b-1", "c__d-2", "e__f-3"].map((instance, index) => ({
    ...smith.row(instance),
    eval_logs: heavy.slice(index) + heavy.slice(0, index) + Math.random(),
  }));
  await onHub("ada/heavy", columns, rows);
  const { runs, reports } = await importAll(["hf://ada/heavy"]);
  expect(runs).toHaveLength(3);
  const stored = hub.requests.filter(({ store }) => store);
  expect(stored.every(({ range }) => range !== null)).toBe(true);
  expect(reports[0]?.file).toBe("ada/heavy/data/train-00000-of-00001.parquet");
});

/** Bytes of files that each request asked for. */
const pieces = (): number[] =>
  hub.requests.flatMap(({ store, range }) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    return store && end !== undefined ? [Number(end) - Number(start) + 1] : [];
  });
const fetchedBytes = (): number => pieces().reduce((sum, bytes) => sum + bytes, 0);

/** 120,000 characters that no packing makes much shorter. */
const heavyText = (seed: number): string => noise(90_000, seed).toString("base64");

test("of a table with what a run was tested by, a twentieth is fetched: the columns that a dialect looks at", async () => {
  const tested = { FAIL_TO_PASS: list(utf8), PASS_TO_PASS: list(utf8), test_patch: utf8, test_output: utf8 };
  const rows = Array.from({ length: 12 }, (_, index) => ({
    ...smith.row(`a__b-${index}`),
    FAIL_TO_PASS: [heavyText(index)],
    PASS_TO_PASS: [heavyText(index + 20)],
    test_patch: heavyText(index + 40),
    test_output: heavyText(index + 60),
  }));
  const folder = await onHub("ada/tested", { ...smith.columns, ...tested }, rows);
  const { runs } = await importAll(["hf://ada/tested"]);
  expect(runs).toHaveLength(12);
  const [name = ""] = await readdir(folder);
  const whole = (await readFile(join(folder, name))).length;
  expect(fetchedBytes()).toBeGreaterThan(0);
  expect(fetchedBytes() / whole).toBeLessThan(0.05);
});

test("a table of anything else is refused by all of its columns, those that no dialect looks at included", async () => {
  await onHub("ada/other", { question: utf8, answer: utf8, id: utf8 }, [{ question: "q", answer: "a", id: "1" }]);
  const { reports } = await importAll(["hf://ada/other"]);
  expect(reports[0]).toMatchObject({ disposition: "refused", why: expect.stringMatching(/keys question, answer, id/) });
});

/** Puts a plain file into a public dataset on the fake hub. */
function fileOnHub(repo: string, path: string, content: Buffer): void {
  const made = hub.repositories.get(repo) ?? hub.make(repo, false);
  hub.store.blobs.set(sha256Of(content), content);
  const file = { kind: "lfs", oid: sha256Of(content), size: content.length } as const;
  made.commit("main", "data", "", new Map([...(made.at("main")?.files ?? []), [path, file]]));
}

describe("one run per line", () => {
  const instances = ["calm__sea-1", "quiet__lake-2", "wide__bay-3"];
  const text = Buffer.from(instances.map((instance) => `${JSON.stringify(messageRun({ instance, steps: 6 }))}\n`).join(""));

  test.each<[string, Buffer]>([
    ["train.jsonl", text],
    ["data/train.jsonl.gz", gzipSync(text)],
  ])("%s is imported where it lies, and gives the trajectories that the downloaded file gives", async (path, content) => {
    fileOnHub("ada/lines", path, content);
    const there = await importAll(["hf://ada/lines"]);
    const here = await importAll([await folderWith({ [path]: content })]);
    expect(there.broken).toEqual([]);
    expect(there.runs.map(({ instance }) => instance)).toEqual(instances);
    expect(there.runs.map(({ id, origin }) => [id, origin.digest])).toEqual(here.runs.map(({ id, origin }) => [id, origin.digest]));
    expect(hub.requests.filter(({ store }) => store).every(({ range }) => range !== null)).toBe(true);
  });

  test("Zstandard is unpacked, too", async () => {
    const packed = await readFile(join(import.meta.dirname, "../../fixtures/dialects/rows.jsonl.zst"));
    fileOnHub("ada/packed", "rows.jsonl.zst", packed);
    const [there, here] = [await importAll(["hf://ada/packed"]), await importAll([await folderWith({ "rows.jsonl.zst": packed })])];
    expect(there.runs.length).toBeGreaterThan(0);
    expect(there.runs.map(({ id }) => id)).toEqual(here.runs.map(({ id }) => id));
  });

  test("is fetched piece by piece: no request asks for more than 8 MiB", async () => {
    const long = Buffer.from(
      Array.from({ length: 1_500 }, (_, index) => JSON.stringify(messageRun({ instance: `a__b-${index}`, steps: 6 }))).join("\n"),
    );
    expect(long.length).toBeGreaterThan(9 << 20);
    fileOnHub("ada/long", "train.jsonl", long);
    expect((await importAll(["hf://ada/long/train.jsonl"])).runs).toHaveLength(1_500);
    expect(pieces().length).toBeGreaterThan(1);
    expect(Math.max(...pieces())).toBe(8 << 20);
    expect(fetchedBytes()).toBe(long.length);
  });

  test("a dataset that has its rows as Parquet, too, is read once", async () => {
    await onHub("ada/both", smith.columns, [smith.row("a__b-1")]);
    fileOnHub("ada/both", "train.jsonl", text);
    expect((await importAll(["hf://ada/both"])).runs.map(({ instance }) => instance)).toEqual(["a__b-1"]);
    expect((await importAll(["hf://ada/both/train.jsonl"])).runs.map(({ instance }) => instance)).toEqual(instances);
  });

  test("a hub that breaks off in mid-file is trouble of the world, packed or not", async () => {
    for (const [repo, path, content] of [
      ["ada/cut", "train.jsonl", text],
      ["ada/cut-packed", "train.jsonl.gz", gzipSync(text)],
    ] as const) {
      fileOnHub(repo, path, content);
      fault = ({ store }) => (store ? { kind: "status", status: 404 } : null);
      await expect(importAll([`hf://${repo}`])).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
      fault = () => null;
    }
  });
});

test("a revision and a folder are read, and nothing beside them", async () => {
  await onHub("ada/two", smith.columns, [smith.row("a__b-1")], "tool/train-00000-of-00001.parquet");
  hub.repositories.get("ada/two")?.tags.set("v1", hub.repositories.get("ada/two")?.branches.get("main") ?? "");
  await onHub("ada/two", smith.columns, [smith.row("c__d-2")], "xml/train-00000-of-00001.parquet");
  const instances = async (input: string) => (await importAll([input])).runs.map(({ instance }) => instance);
  expect(await instances("hf://ada/two")).toEqual(["a__b-1", "c__d-2"]);
  expect(await instances("hf://ada/two@v1")).toEqual(["a__b-1"]);
  expect(await instances("hf://datasets/ada/two/xml")).toEqual(["c__d-2"]);
});

test("a hub that breaks off is trouble of the world, not of the data: nothing is quarantined as damaged", async () => {
  await onHub("ada/gone", smith.columns, [smith.row("a__b-1")]);
  fault = ({ store }) => (store ? { kind: "status", status: 404 } : null);
  await expect(importAll(["hf://ada/gone"])).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
});

test("samples that catgen has made are not taken for runs", async () => {
  const columns = { ...smith.columns, cat_sample_id: utf8 };
  await onHub(
    "ada/ours",
    columns,
    [{ ...smith.row("a__b-1"), cat_sample_id: "x#segment0" }],
    "messages/segment/train-00000-of-00001.parquet",
  );
  const { runs, reports } = await importAll(["hf://ada/ours"]);
  expect(runs).toEqual([]);
  expect(reports[0]).toMatchObject({ disposition: "refused", why: expect.stringMatching(/samples of a catgen dataset/) });
});

test("what is not there, private or no name is told", async () => {
  await expect(importAll(["hf://ada/none"])).rejects.toMatchObject({ code: expect.stringMatching(/INPUT_MISSING|HUB_AUTH/) });
  await expect(importAll(["hf://ada"])).rejects.toMatchObject({ code: "USAGE" });
  hub.make("ada/empty", false);
  await expect(importAll(["hf://ada/empty"])).rejects.toMatchObject({
    code: "INPUT_MISSING",
    message: expect.stringMatching(/no Parquet or JSONL file/),
  });
});
