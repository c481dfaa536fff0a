import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { evaluationDigests } from "../../../pipeline/contamination/evaluation-files.ts";
import { evaluationPort, loadEvaluationSets, loadTaskLists, readIndex } from "../../../pipeline/contamination/load.ts";
import { Recipe } from "../../../schemas/recipe.ts";
import { folderWith } from "../import/import-folder.ts";

const print = "0123456789abcdef";
const load = (recipe: { lists: string[]; indexes: string[] }) => loadEvaluationSets(recipe, evaluationDigests(recipe));
const only = (path: string) => load({ lists: [], indexes: [path] });

describe("evaluation sets", () => {
  test("that come with catgen are three lists and one index, which has all statements of Verified", async () => {
    const { lists, indexes } = await load({ lists: [], indexes: [] });
    expect(lists.map(({ name }) => name)).toEqual(["swe-bench-lite", "swe-bench-pro", "swe-bench-verified", "swe-bench-verified"]);
    expect(indexes.map(({ name, instances, text, patch }) => [name, instances.length, text.prints, patch])).toEqual([
      ["swe-bench-verified", 500, 107_094, null],
    ]);
    const [byId, byIndex] = lists.slice(2);
    expect([...(byIndex?.instances ?? [])].sort()).toEqual([...(byId?.instances ?? [])].sort());
  });

  test("of the recipe come after them: lists under the file's name, indexes under their own or the file's", async () => {
    const root = await folderWith({
      "mine.txt": "some__thing-1\n",
      "plain.tsv": `a__b-1\t${print}\n`,
      "named.tsv.gz": gzipSync(`# catgen.fingerprints/1\n# name: my-set\n# words: 13\nc__d-1\t\t${print}\n`),
      "old.tsv.gz": gzipSync(`e__f-1\t${print}\r\n`),
    });
    const recipe = {
      lists: [join(root, "mine.txt")],
      indexes: ["plain.tsv", "named.tsv.gz", "old.tsv.gz"].map((name) => join(root, name)),
    };
    const { lists, indexes } = await load(recipe);
    expect(indexes.map(({ name }) => name)).toEqual(["swe-bench-verified", "plain", "my-set", "old"]);
    expect(lists.map(({ name }) => name).slice(3)).toEqual(["mine", "swe-bench-verified", "plain", "my-set", "old"]);
    expect(indexes[2]?.patch?.prints).toBe(1);
    const tasks = await loadTaskLists(Recipe.parse({ evaluation: recipe }));
    expect(tasks.map(({ name }) => name)).toEqual([
      "swe-bench-lite",
      "swe-bench-pro",
      "swe-bench-verified",
      "mine",
      "plain",
      "my-set",
      "old",
    ]);
  });

  test("are told apart by what is in them, not by where they lie", async () => {
    const root = await folderWith({ "a/mine.txt": "x__y-1\n", "b/mine.txt": "x__y-1\n", "c/mine.txt": "x__y-2\n" });
    const of = (folder: string) => evaluationDigests({ lists: [join(root, folder, "mine.txt")], indexes: [] });
    expect(of("a")).toEqual(of("b"));
    expect(of("a").lists["mine"]).not.toBe(of("c").lists["mine"]);
    expect(of("c").indexes).toEqual(of("a").indexes);
  });

  test("are loaded once, at the first question", async () => {
    const recipe = Recipe.parse({});
    const port = evaluationPort({ recipe, evaluation: evaluationDigests(recipe.evaluation) });
    expect(await port()).toBe(await port());
  });
});

describe("a set that cannot be used stops the run and says why", () => {
  test("missing or unreadable", async () => {
    const root = await folderWith({ "x.txt": "a__b-1\n" });
    for (const [lists, indexes] of [
      [[join(root, "gone.txt")], []],
      [[], [join(root, "gone.tsv.gz")]],
      [[root], []],
    ] as const)
      expect(() => evaluationDigests({ lists: [...lists], indexes: [...indexes] })).toThrow(
        expect.objectContaining({ code: "INPUT_MISSING", remedy: "stop", message: expect.stringContaining("evaluation.lists") }),
      );
  });

  test.each([
    ["prose.tsv", "An essay about tests\n", /prose\.tsv:1: .* does not begin with an instance id/],
    ["second.tsv", `a__b-1\t${print}\na__b-2\tnonsense\n`, /second\.tsv:2: .*"nonsense"/],
    ["other.tsv", `# catgen.fingerprints/2\na__b-1\t${print}\n`, /other\.tsv:1: .* this catgen reads catgen\.fingerprints\/1/],
    ["eight.tsv", `# catgen.fingerprints/1\n# words: 8\na__b-1\t${print}\n`, /eight\.tsv:1: .* of 8 words/],
    ["empty.tsv", "a__b-1\t\n", /empty\.tsv:1: .* without any fingerprint/],
    ["nothing.tsv", "", /nothing\.tsv:1: .* without any fingerprint/],
  ])("ill-formed: %s", async (name, text, message) => {
    const root = await folderWith({ [name]: text });
    await expect(only(join(root, name))).rejects.toMatchObject({ code: "RECIPE_INVALID", message: expect.stringMatching(message) });
  });

  test("half downloaded", async () => {
    const packed = gzipSync(Array.from({ length: 2_000 }, (_, at) => `a__b-${at}\t${at.toString(16).padStart(16, "0")}\n`).join(""));
    const root = await folderWith({
      "half.tsv.gz": packed.subarray(0, packed.length - 100),
      "odd.tsv.gz": Buffer.from([0x1f, 0x8b, 1, 2, 3]),
    });
    await expect(only(join(root, "half.tsv.gz"))).rejects.toThrow(/half\.tsv\.gz is a damaged gzip file; make the index anew/);
    expect(() => evaluationDigests({ lists: [], indexes: [join(root, "odd.tsv.gz")] })).toThrow(/odd\.tsv\.gz is a damaged gzip file/);
  });

  test("under the name of another", async () => {
    const root = await folderWith({ "a/mine.txt": "x__y-1\n", "b/mine.txt": "x__y-2\n", "swe-bench-verified.tsv": `a__b-1\t${print}\n` });
    const twins = { lists: [join(root, "a/mine.txt"), join(root, "b/mine.txt")], indexes: [] };
    expect(() => evaluationDigests(twins)).toThrow(/two evaluation sets are called mine: .*a\/mine\.txt and .*b\/mine\.txt/);
    expect(() => evaluationDigests({ lists: [], indexes: [join(root, "swe-bench-verified.tsv")] })).toThrow(
      /two evaluation sets are called/,
    );
  });

  test("changed while the command ran", async () => {
    const root = await folderWith({ "mine.txt": "x__y-1\n" });
    const recipe = { lists: [join(root, "mine.txt")], indexes: [] };
    const before = evaluationDigests(recipe);
    await expect(loadEvaluationSets(recipe, { ...before, lists: { ...before.lists, mine: "0".repeat(64) } })).rejects.toThrow(
      /was changed while/,
    );
  });
});

test("the shipped index is read as a user's copy of it would be", () => {
  const path = join(import.meta.dirname, "../../../data/decontamination/verified-problem-13grams.tsv.gz");
  expect(readFileSync(path).length).toBeGreaterThan(1e6);
  expect(readIndex(path, "copy").text.prints).toBe(107_094);
});
