import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadEvaluationLists } from "../../../pipeline/tasks/decontamination.ts";
import { readTasks } from "../../../pipeline/tasks/read.ts";
import { type EvaluationHit, evaluationHit } from "../../../stages/lib/decontamination.ts";
import { folderWith, jsonLines } from "../import/import-folder.ts";

const real = join(import.meta.dirname, "../../../../shared/trajectories");
const lists = await loadEvaluationLists([]);
const hit = (instance: string, repository: string | null = null): EvaluationHit | null => evaluationHit({ instance, repository }, lists);
const instances = (name: string): string[] => [...(lists.find((list) => list.name === name)?.instances ?? [])];

async function reasons(paths: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for await (const event of readTasks(paths, { maxRecordBytes: 64 << 20 }))
    said.push(event.ok ? `${event.task.source}/${event.task.instance}` : event.why);
  return said;
}

describe.skipIf(!existsSync(real))(`real rows${existsSync(real) ? "" : " (skipped: ../shared/trajectories is not here)"}`, () => {
  test("of task sets are read or refused for a reason that fits", async () => {
    expect(await reasons([join(real, "instances")])).toEqual([
      "a report of results, not a task",
      "swe-rebench-v2: install_config.log_parser: parse_log_jq (c) is none that our log formats read",
    ]);
    expect(await reasons([join(real, "swe-smith/meta")])).toEqual(["a report of results, not a task"]);
  });

  test("that OpenHands kept beside its runs have no tests and say so", async () => {
    const lines = readFileSync(join(real, "openhands-v0-events/multi_swe_bench__examples__output.jsonl"), "utf8").trim().split("\n");
    const kept = lines.map((line) => (JSON.parse(line) as { instance: unknown }).instance);
    const root = await folderWith({ "rows.jsonl": jsonLines(...kept) });
    expect(await reasons([root])).toEqual(Array(3).fill(expect.stringMatching(/^swe-bench: FAIL_TO_PASS: expected at least one test/)));
  });

  test("of SWE-smith are hit by no list", () => {
    const sample = readFileSync(join(real, "adp/swe-smith/sample_raw.json"), "utf8");
    const ids = [...sample.matchAll(/"instance_id": *"([^"]*)"/g)].map((match) => match[1] ?? "");
    expect(ids.length).toBeGreaterThan(3);
    expect(ids.map((id) => hit(id))).toEqual(ids.map(() => null));
  });

  test("of Pro are hit by instance, all 730", () => {
    const ids = Object.keys(
      JSON.parse(readFileSync(join(real, "instances/swe-bench-pro__eval_results__claude-45sonnet.json"), "utf8")) as object,
    );
    expect(ids.map((id) => hit(id))).toEqual(Array(730).fill({ list: "swe-bench-pro", by: "instance" }));
  });
});

test("every Verified and Lite instance is hit by instance, also in the spelling of its image", () => {
  for (const id of [...instances("swe-bench-verified"), ...instances("swe-bench-lite")]) {
    expect(hit(id)?.by, id).toBe("instance");
    expect(hit(`swebench/sweb.eval.x86_64.${id.replace("__", "_1776_")}:latest`)?.by, id).toBe("instance");
    expect(hit("x", id.replace(/-\d+$/, "").replace("__", "/"))?.by, id).toBe("repository");
  }
});

/** Some of SWE-smith's 128 mirrors (profiles of SWE-bench/SWE-smith at 032f1a1). */
const mirrors =
  "pydantic__pydantic.acb0f10f getmoto__moto.694ce1f4 pylint-dev__astroid.b114f6b5 django-money__django-money.835c1ab8 pytest-dev__iniconfig.16793ead pydata__patsy.a5d16484 pallets__click.fde47b4b django__daphne.32ac73e1 kennethreitz__records.5941ab27";
const evaluated = "sympy__sympy.2ab64612 pallets__flask.bc098406 astropy__astropy.26d14786 psf__requests.1234abcd PyCQA__pylint.1234abcd";

test("SWE-smith's rows are hit only where their repository is evaluated, in the id as in the field", () => {
  for (const mirror of mirrors.split(" ")) {
    expect(hit(`${mirror}.func_basic__1mp4v2ik`), mirror).toBeNull();
    expect(hit(`${mirror}.func_basic__1mp4v2ik`, `swesmith/${mirror}`), mirror).toBeNull();
  }
  for (const mirror of evaluated.split(" ")) {
    expect(hit(`${mirror}.pr_8316`)?.by, mirror).toBe("repository");
    expect(hit("x", `swesmith/${mirror}`)?.by, mirror).toBe("repository");
  }
});
