import { describe, expect, test } from "vitest";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { dialects } from "../../stages/generate/dialects/index.ts";
import { importRecord } from "../../stages/generate/import-record.ts";
import { drawer } from "../../stages/lib/drawer.ts";
import { oneRun } from "../stages/generate/one-run.ts";
import { mutate } from "./mutate.ts";
import { fault } from "./oracle.ts";
import { runCases } from "./run-cases.ts";
import { seedsByDialect } from "./seeds.ts";

const seeds = seedsByDialect();

/** The short form of `dialects.fuzz.ts`, which runs thousands. */
describe.each(Object.keys(dialects))("damaged runs of %s", (name) => {
  test("are imported without invention, or say why not", () => {
    const { failures, outcomes } = runCases(name, seeds.get(name) ?? [], 0, 150);
    expect(failures).toEqual([]);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(150);
  });
  test("are not damaged already: every seed is read", () => {
    for (const seed of seeds.get(name) ?? []) expect([seed.name, fault(JSON.parse(seed.text)).wrong]).toEqual([seed.name, null]);
  });
});

test("damage is the same for the same seed and differs between seeds", () => {
  const damaged = (seed: number): string => {
    const value: unknown = JSON.parse('{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}');
    mutate(value, drawer(seed));
    return JSON.stringify(value);
  };
  expect(damaged(1)).toBe(damaged(1));
  expect(new Set(Array.from({ length: 50 }, (_, seed) => damaged(seed))).size).toBeGreaterThan(25);
});

describe("a wrong reader is found out", () => {
  const wrongly =
    (change: (row: Trajectory) => Trajectory): typeof importRecord =>
    (value, origin, digest) => {
      const read = importRecord(value, origin, digest);
      return read.ok ? { ...read, trajectory: change(structuredClone(read.trajectory)) } : read;
    };
  const result = (row: Trajectory, step: number, text: string): Trajectory => {
    const call = row.steps[step]?.calls[0];
    if (call) call.result = text;
    return row;
  };
  const judged = (name: string, change: (row: Trajectory) => Trajectory) => fault(oneRun[name], wrongly(change)).wrong;
  test("that invents a result", () => {
    expect(judged("codex-rollout/made", (row) => result(row, 1, "Your implementation satisfies the task."))).toMatch(/not in the source/);
  });
  test("that gives a call the result of another", () => {
    for (const name of ["messages/openai", "claude-code/made", "pi/session", "trae/run"]) {
      const swap = (row: Trajectory) => {
        const [first, second] = row.steps.map((step) => step.calls[0]?.result ?? "");
        return result(result(row, 0, second ?? ""), 1, first ?? "");
      };
      expect([name, judged(name, swap)]).toEqual([name, expect.stringMatching(/another call's result/)]);
    }
  });
  test("that says a thing twice", () => {
    const twice = (row: Trajectory) => ({ ...row, steps: [...row.steps, ...row.steps] });
    expect(judged("sharegpt/function-calls", twice)).toMatch(/times in the source/);
  });
  test("that makes up a verdict", () => {
    const evidence = { kind: "row" as const, detail: "x", digest: null };
    expect(judged("pi/session", (row) => ({ ...row, outcome: { ...row.outcome, resolved: true, evidence } }))).toMatch(/no field says so/);
  });
  test("that throws, or changes what it reads", () => {
    const thrown = () => {
      throw new TypeError("x is undefined");
    };
    expect(judged("atif/run", thrown)).toMatch(/^threw TypeError/);
    const touching: typeof importRecord = (value, origin, digest) => {
      (value as Record<string, unknown>)["touched"] = true;
      return importRecord(value, origin, digest);
    };
    expect(fault({ ...(oneRun["atif/run"] as object) }, touching).wrong).toMatch(/^threw TypeError/);
  });
});
