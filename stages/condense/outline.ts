import type { StageOutline } from "../stage.ts";
import { CondenseParams } from "./params.ts";

export const condenseOutline: StageOutline<"trajectory" | "detection", never, "memory", CondenseParams> = {
  name: "condense",
  version: 2,
  reads: ["trajectory", "detection"],
  readsIfKept: [],
  writes: "memory",
  params: CondenseParams,
};
