import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadEvaluationLists } from "../../../pipeline/tasks/decontamination.ts";
import { evaluationHit, fingerprintsOf } from "../../../stages/lib/decontamination.ts";
import { digest, folderWith } from "../import/import-folder.ts";

const packed = readFileSync(join(import.meta.dirname, "../../../data/decontamination/verified-problem-13grams.tsv.gz"));

/** Instance -> fingerprints of its statement. */
const shippedPrints = new Map(
  gunzipSync(packed)
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))
    .map(([instance, prints]) => [instance ?? "", (prints ?? "").split(" ").filter(Boolean)]),
);

test("the shipped lists hold what their README says", async () => {
  const lists = await loadEvaluationLists([]);
  expect(lists.map(({ name, instances }) => [name, instances.size])).toEqual([
    ["swe-bench-lite", 300],
    ["swe-bench-pro", 730],
    ["swe-bench-verified", 500],
  ]);
  for (const list of lists) {
    for (const instance of list.instances)
      expect(evaluationHit({ instance, repository: null }, [{ ...list, instances: new Set() }])).not.toBeNull();
  }
});

test("further lists come last, under the names of their files", async () => {
  const root = await folderWith({ "mine.txt": "# ours\nsome__thing-1\nowner/name\n" });
  const lists = await loadEvaluationLists([join(root, "mine.txt")]);
  expect(lists.at(-1)?.name).toBe("mine");
  expect(evaluationHit({ instance: "Owner__Name.12345678.x__y", repository: null }, lists)).toEqual({ list: "mine", by: "repository" });
  expect(evaluationHit({ instance: "some__thing-1", repository: null }, lists)).toEqual({ list: "mine", by: "instance" });
});

test("a list that is missing, empty or of another kind stops the run and is named with the line", async () => {
  const root = await folderWith({ "empty.txt": "# nothing\n", "prose.txt": "ok__ok-1\nan essay about tests\n" });
  await expect(loadEvaluationLists([join(root, "gone.txt")])).rejects.toMatchObject({
    code: "INPUT_MISSING",
    message: expect.stringContaining("gone.txt"),
  });
  await expect(loadEvaluationLists([join(root, "empty.txt")])).rejects.toMatchObject({ code: "RECIPE_INVALID" });
  await expect(loadEvaluationLists([join(root, "prose.txt")])).rejects.toThrow(/prose\.txt:2: expected one instance id/);
});

test("the fingerprints are those of 500 statements, sorted, 16 hex digits each", () => {
  expect(shippedPrints.size).toBe(500);
  for (const prints of shippedPrints.values()) {
    expect(prints).toEqual([...new Set(prints)].sort());
    expect(prints.every((print) => /^[0-9a-f]{16}$/.test(print))).toBe(true);
  }
});

const runs = join(import.meta.dirname, "../../../../shared/trajectories/mini-swe-agent-gemini3/trajs");

test("a real statement of Verified has exactly the fingerprints that are shipped for it", (context) => {
  if (!existsSync(runs)) context.skip("../shared/trajectories is not here");
  const checked = readdirSync(runs).map((name) => {
    const run = JSON.parse(readFileSync(join(runs, name), "utf8")) as { instance_id: string; messages: { content: string }[] };
    const prompt = run.messages[1]?.content ?? "";
    const statement = /Consider the following PR description:\n([\s\S]*)\n<\/pr_description>/.exec(prompt)?.[1] ?? "";
    expect(fingerprintsOf(statement, digest), run.instance_id).toEqual(shippedPrints.get(run.instance_id));
    return name;
  });
  expect(checked).toHaveLength(9);
});
