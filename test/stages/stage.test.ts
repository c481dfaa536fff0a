import { expect, expectTypeOf, test } from "vitest";
import type { Metrics } from "../../schemas/metrics.ts";
import type { Memory, Workspace } from "../../schemas/sidecars.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { judge } from "../../stages/filter/judge.ts";
import type { measure } from "../../stages/filter/measure.ts";
import type { Outcome } from "../../stages/stage.ts";

test("judging can only ever see metrics: asking for text does not compile", () => {
  expectTypeOf<keyof Parameters<typeof judge.run>[0]>().toEqualTypeOf<"metrics">();
  expectTypeOf<Parameters<typeof judge.run>[0]["metrics"]>().toEqualTypeOf<Metrics>();
  expect(judge.reads).toEqual(["metrics"]);
});

test("a stage that may go on without a part sees its outcome, never a missing value", () => {
  type Seen = Parameters<typeof measure.run>[0];
  expectTypeOf<Seen["trajectory"]>().toEqualTypeOf<Trajectory>();
  expectTypeOf<Seen["memory"]>().toEqualTypeOf<Outcome<Memory>>();
  expectTypeOf<Seen["workspace"]>().toEqualTypeOf<Outcome<Workspace>>();
});
