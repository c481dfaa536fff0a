import { expect, test } from "vitest";
import { rowKey } from "../../../pipeline/run/row-key.ts";
import { digestOf, sha256 } from "../../../pipeline/store/digest.ts";

test("a row's key is the digest of its canonical JSON, in whatever order its parts were read", () => {
  const stageKey = sha256("stage");
  const [memory, trajectory] = [sha256("memory"), sha256("trajectory")];
  for (const from of [{}, { trajectory }, { trajectory, memory }, { memory, trajectory }])
    expect(rowKey(stageKey, from as Record<string, string>)).toBe(digestOf({ stageKey, from }));
});
