import { expect, test } from "vitest";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { Prediction } from "../../../schemas/verification.ts";
import { predictionFiles } from "../../../stages/generate/predictions.ts";
import { shortRun } from "../../fakes/steps.ts";

const run = (instance: string, attempt: string, patch: string | null, model: string | null = "org/model"): Trajectory => ({
  format: "catgen.trajectory/1",
  id: `swe-bench/${instance}/${attempt.repeat(12)}`,
  source: "swe-bench",
  instance,
  origin: { dialect: "live", file: "x", record: null, digest: "0".repeat(64), licence: null, model, callStyle: "native" },
  task: { system: null, prompt: "", issue: null, workdir: null, repository: null, tools: [] },
  steps: [...shortRun],
  outcome: { resolved: null, evidence: null, exit: "submitted", rawExit: null, patch },
  marks: [],
});

test("the n-th attempt at an instance goes into the n-th file, whatever the order of the runs", () => {
  const runs = [run("a__a-1", "b", "two"), run("b__b-2", "0", null, null), run("a__a-1", "a", "one"), run("a__a-1", "c", "three")];
  const files = predictionFiles(runs);
  expect(files).toEqual([
    [
      { instance_id: "a__a-1", model_name_or_path: "org/model", model_patch: "one" },
      { instance_id: "b__b-2", model_name_or_path: "unknown", model_patch: "" },
    ],
    [{ instance_id: "a__a-1", model_name_or_path: "org/model", model_patch: "two" }],
    [{ instance_id: "a__a-1", model_name_or_path: "org/model", model_patch: "three" }],
  ]);
  expect(predictionFiles([...runs].reverse())).toEqual(files);
  for (const row of files.flat()) expect(Prediction.parse(row)).toEqual(row);
});

test("no run, no file", () => expect(predictionFiles([])).toEqual([]));
