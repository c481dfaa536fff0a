import { describe, expect, test } from "vitest";
import type { Trajectory } from "../../../../schemas/trajectory.ts";
import {
  contaminationOf,
  type EvaluationSets,
  noEvaluationSets,
  withIndexLists,
} from "../../../../stages/lib/contamination/contamination.ts";
import { FingerprintReader, headLines, headOf } from "../../../../stages/lib/contamination/fingerprint-file.ts";
import { fingerprintsOf, parseEvaluationList } from "../../../../stages/lib/decontamination.ts";
import { sha256 } from "../../../fakes/fake-ports.ts";
import { uncontaminated } from "../../../fakes/no-evaluation.ts";
import { folderWith, importAll, jsonLines, row } from "../../../pipeline/import/import-folder.ts";

const words = (start: string, count: number): string => Array.from({ length: count }, (_, at) => `${start}${at}`).join(" ");
const statement = words("issue", 40);
const reference = words("diff", 40);

function indexOf(name: string, instance: string, text: string, patch: string) {
  const reader = new FingerprintReader();
  const why = reader.line(`${instance}\t${fingerprintsOf(text, sha256).join(" ")}\t${fingerprintsOf(patch, sha256).join(" ")}`);
  expect(why).toBeNull();
  return reader.index(name);
}

const sets: EvaluationSets = withIndexLists({
  lists: [parseEvaluationList("bench", "owner__name-1\nowner/name\n").list, parseEvaluationList("lite", "owner__name-1\n").list],
  indexes: [indexOf("mine", "other__thing-5", statement, reference), indexOf("empty", "third__one-1", "too short", "")],
});

async function trajectoryWith(
  change: Partial<Pick<Trajectory, "instance">> & { task?: Partial<Trajectory["task"]>; file?: string; patch?: string },
): Promise<Trajectory> {
  const root = await folderWith({ "runs.jsonl": jsonLines(row("plain__task-9")) });
  const [found] = (await importAll([root])).runs;
  if (found === undefined) throw new Error("the row was not imported");
  return {
    ...found,
    instance: change.instance ?? found.instance,
    task: { ...found.task, repository: null, ...change.task },
    origin: { ...found.origin, file: change.file ?? "runs.jsonl" },
    outcome: { ...found.outcome, patch: change.patch ?? null },
  };
}

const of = async (change: Parameters<typeof trajectoryWith>[0]) => contaminationOf(await trajectoryWith(change), sets, sha256);

describe("contamination", () => {
  test("of a run that has nothing to do with any set is nothing, and against no set nothing is read", async () => {
    expect(await of({})).toEqual(uncontaminated);
    const never = (): string => {
      throw new Error("no window is digested");
    };
    expect(contaminationOf(await trajectoryWith({ task: { prompt: statement } }), noEvaluationSets, never)).toEqual(uncontaminated);
  });

  test("by id names every set that has the instance, an index's too, and each set once", async () => {
    expect(await of({ instance: "Owner__name-1" })).toMatchObject({ instance: ["bench", "lite"], repository: ["bench"] });
    expect(await of({ instance: "other__thing-5" })).toMatchObject({ instance: ["mine"], repository: ["mine"] });
    expect((await of({ instance: "owner__name-1", file: "owner__name-1/owner__name-1.traj.json" })).instance).toEqual(["bench", "lite"]);
  });

  test("by id is seen in the name of a file or folder, where the run does not say its task", async () => {
    for (const file of ["owner__name-1.traj.json.gz", "runs/owner__name-1/events.jsonl", "a/sweb.eval.x86_64.owner_1776_name-1.json"])
      expect([file, (await of({ file })).instance]).toEqual([file, ["bench", "lite"]]);
    expect((await of({ file: "owner__name-12.json" })).instance).toEqual([]);
  });

  test("by repository is no matter of the instance", async () => {
    expect(await of({ task: { repository: "https://github.com/OWNER/name.git" } })).toEqual({ ...uncontaminated, repository: ["bench"] });
  });

  test("by text is seen in prompt, system prompt and statement, whatever stands around it", async () => {
    const whole = [{ list: "mine", instance: "other__thing-5", share: 1 }];
    expect(
      (await of({ task: { prompt: `Solve this:\n<issue>\n${statement.toUpperCase().replaceAll(" ", ",\n")}\n</issue>` } })).text,
    ).toEqual(whole);
    expect((await of({ task: { system: `You are ... ${statement}` } })).text).toEqual(whole);
    expect((await of({ task: { issue: statement } })).text).toEqual(whole);
    const half = statement.split(" ").slice(0, 26).join(" ");
    expect((await of({ task: { prompt: half } })).text).toEqual([{ list: "mine", instance: "other__thing-5", share: 0.5 }]);
  });

  test("by patch is seen in the patch alone, and the statement is no patch", async () => {
    expect(await of({ patch: reference })).toEqual({ ...uncontaminated, patch: [{ list: "mine", instance: "other__thing-5", share: 1 }] });
    expect((await of({ patch: statement })).patch).toEqual([]);
  });
});

describe("a file of fingerprints", () => {
  test("says in its first lines what it is, and may say nothing", () => {
    expect(headOf(headLines("my-set", ["a"], ["b"]))).toEqual({ format: "catgen.fingerprints/1", name: "my-set", words: 13 });
    expect(headOf(["some__id-1\t0123456789abcdef"])).toEqual({ format: null, name: null, words: null });
  });

  test.each([
    ["prose", "does not begin with an instance id"],
    ["two words\t0123456789abcdef", "does not begin with an instance id"],
    ["a__b-1\t0123456789abcde", "16 hex digits"],
    ["a__b-1\t0123456789abcdeg", "16 hex digits"],
    ["a__b-1\t0123456789abcdef  0123456789abcdef", "16 hex digits"],
    ["a__b-1\t\t\t", "more than three columns"],
    ["known__id-1\t0123456789abcdef", "a second time"],
  ])("is refused for the line %j", (line, why) => {
    const reader = new FingerprintReader();
    expect(reader.line("known__id-1\t")).toBeNull();
    if (line === "prose") expect(reader.line(`${line} and more`)).toContain(why);
    else expect(reader.line(line)).toContain(why);
  });

  test("without patches has no table of them", () => {
    const reader = new FingerprintReader();
    reader.line("a__b-1\t0123456789abcdef 0123456789abcdef");
    const index = reader.index("x");
    expect([index.text.prints, index.patch]).toEqual([1, null]);
  });
});
