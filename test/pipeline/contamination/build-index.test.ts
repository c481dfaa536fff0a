import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeParquet } from "../../../pipeline/adapters/parquet-writer.ts";
import { buildIndex, type IndexRequest } from "../../../pipeline/contamination/build-index.ts";
import { readIndex } from "../../../pipeline/contamination/load.ts";
import { nullable, utf8 } from "../../../schemas/columns.ts";
import { fingerprintsOf } from "../../../stages/lib/decontamination.ts";
import { sha256 } from "../../fakes/fake-ports.ts";
import { folderWith, jsonLines } from "../import/import-folder.ts";

const words = (start: string, count: number): string => Array.from({ length: count }, (_, at) => `${start}${at}`).join(" ");
const rows = [
  { instance_id: "zeta__b-2", problem_statement: words("secretly", 30), patch: words("plus", 20), repo: "zeta/b" },
  { instance_id: "alpha__a-1", problem_statement: words("hidden", 14), patch: null, repo: "alpha/a" },
  { instance_id: "mu__c-3", problem_statement: "too short for a window", patch: "", repo: "mu/c" },
];

const build = async (
  name: string,
  content: string | Buffer,
  more: Partial<IndexRequest> = {},
): Promise<{ bytes: Buffer; built: Awaited<ReturnType<typeof buildIndex>>; out: string }> => {
  const root = await folderWith({ [name]: content });
  const out = more.out === undefined ? join(root, "out.tsv.gz") : join(root, more.out);
  const request = {
    from: join(root, name),
    name: "my-set",
    id: "instance_id",
    text: ["problem_statement"],
    patch: ["patch"],
    ...more,
    out,
  };
  const built = await buildIndex(request, () => undefined);
  return { bytes: await readFile(out), built, out };
};

describe("an index from a local file", () => {
  test("holds ids and hashes, sorted, and no word of the text", async () => {
    const { bytes, built, out } = await build("rows.jsonl", jsonLines(...rows));
    const text = gunzipSync(bytes).toString("utf8");
    expect(text).not.toMatch(/secretly|hidden|plus\d|too short/);
    expect(text.trimEnd().split("\n").slice(5)).toEqual([
      `alpha__a-1\t${fingerprintsOf(words("hidden", 14), sha256).join(" ")}\t`,
      "mu__c-3\t\t",
      `zeta__b-2\t${fingerprintsOf(words("secretly", 30), sha256).join(" ")}\t${fingerprintsOf(words("plus", 20), sha256).join(" ")}`,
    ]);
    expect(built).toEqual({
      out,
      name: "my-set",
      sha256: sha256(bytes as unknown as string),
      bytes: bytes.length,
      rows: 3,
      instances: 3,
      text: { fields: ["problem_statement"], fingerprints: 20, instancesWithout: 1 },
      patch: { fields: ["patch"], fingerprints: 8, instancesWithout: 2 },
    });
    const index = readIndex(out, "my-set");
    expect([index.instances, index.text.prints, index.patch?.prints]).toEqual([["alpha__a-1", "mu__c-3", "zeta__b-2"], 20, 8]);
  });

  test("is the same bytes from JSONL, JSON, gzip and Parquet, in any order of rows", async () => {
    const { bytes } = await build("rows.jsonl", jsonLines(...rows));
    for (const [name, content] of [
      ["rows.jsonl", jsonLines(...rows.toReversed())],
      ["rows.json", JSON.stringify(rows)],
      ["lines.json", jsonLines(...rows)],
      ["rows.jsonl.gz", gzipSync(jsonLines(...rows))],
    ] as const)
      expect([name, (await build(name, content)).bytes.equals(bytes)]).toEqual([name, true]);
    const root = await folderWith({});
    const from = join(root, "rows.parquet");
    const schema = { instance_id: utf8, problem_statement: utf8, patch: nullable(utf8), repo: utf8 };
    await writeParquet(from, schema, rows, { rowGroupBytes: 1_000_000 });
    const out = join(root, "out.tsv.gz");
    await buildIndex({ from, out, name: "my-set", id: "instance_id", text: ["problem_statement"], patch: ["patch"] }, () => undefined);
    expect((await readFile(out)).equals(bytes)).toBe(true);
    expect(bytes[9]).toBe(255);
  });

  test("without a patch field has two columns, as the shipped one, and is plain text where the name says so", async () => {
    const { bytes } = await build("rows.jsonl", jsonLines(...rows), { patch: [], out: "plain.tsv" });
    const lines = bytes.toString("utf8").trimEnd().split("\n");
    expect(lines.slice(0, 4)).toEqual(["# catgen.fingerprints/1", "# name: my-set", "# words: 13", "# text: problem_statement"]);
    expect(lines.slice(4).map((line) => line.split("\t").length)).toEqual([2, 2, 2]);
  });

  test("joins rows of one instance and fields of one kind, with no window across them", async () => {
    const [first, second] = [words("one", 13), words("two", 13)];
    const { built, out } = await build(
      "rows.jsonl",
      jsonLines(
        { instance_id: "a__b-1", problem_statement: first, hints: second },
        { instance_id: "a__b-1", problem_statement: first, hints: "" },
      ),
      { text: ["problem_statement", "hints"], patch: [] },
    );
    expect([built.rows, built.instances, built.text.fingerprints]).toEqual([2, 1, 2]);
    expect(readIndex(out, "x").text.prints).toBe(2);
  });
});

describe("what cannot be indexed is said, and nothing is written", () => {
  const good = { instance_id: "a__b-1", problem_statement: words("w", 20), patch: "" };
  test.each([
    ["rows.jsonl", jsonLines(good), { text: ["problem"] }, /has no field problem; it has instance_id, patch, problem_statement/],
    [
      "rows.jsonl",
      jsonLines(good),
      { id: "id" },
      /row 0: expected an instance id without white space in the field id, got nothing; the row has instance_id, .*--id/,
    ],
    ["rows.jsonl", jsonLines(good, { ...good, instance_id: "a b" }), {}, /row 1: expected an instance id without white space/],
    ["rows.jsonl", jsonLines({ ...good, problem_statement: ["w"] }), {}, /row 0: expected text in the field problem_statement, got object/],
    ["rows.jsonl", jsonLines({ ...good, problem_statement: "short" }), {}, /has 13 words, so there is nothing to compare/],
    ["rows.jsonl", "", {}, /has no rows/],
    ["rows.jsonl", "{not json\n", {}, /row 0: expected rows with named fields, got no valid JSON/],
    ["rows.json", "[1]", {}, /row 0: expected rows with named fields, got number/],
    ["rows.csv", "a,b\n", {}, /expected a file of rows \(\.parquet, \.jsonl/],
    ["rows.parquet", "no parquet at all", {}, /expected a whole Parquet file/],
    ["rows.jsonl.gz", gzipSync(jsonLines(good)).subarray(0, 30), {}, /is damaged and cannot be unpacked/],
  ] as const)("%s %#", async (name, content, more, message) => {
    const root = await folderWith({ [name]: content });
    const out = join(root, "out.tsv.gz");
    await writeFile(out, "kept");
    const request = { from: join(root, name), name: "x", id: "instance_id", text: ["problem_statement"], patch: [], ...more, out };
    await expect(buildIndex(request as IndexRequest, () => undefined)).rejects.toThrow(message);
    expect(await readFile(out, "utf8")).toBe("kept");
  });

  test("a file that is not there", async () => {
    const request = { from: "/nowhere/rows.jsonl", out: "/nowhere/out", name: "x", id: "instance_id", text: ["t"], patch: [] };
    await expect(buildIndex(request, () => undefined)).rejects.toMatchObject({ code: "INPUT_MISSING" });
  });
});
