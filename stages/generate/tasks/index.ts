import { folder } from "./folder.ts";
import { r2e } from "./r2e.ts";
import type { TaskReader } from "./reader.ts";
import { sweBench } from "./swe-bench.ts";
import { sweGym } from "./swe-gym.ts";
import { sweRebench } from "./swe-rebench.ts";
import { sweRebenchV2 } from "./swe-rebench-v2.ts";
import { sweSmith } from "./swe-smith.ts";

/** Every kind of task instance we read, by name. At most one recognises a value, so the order decides nothing. */
export const taskReaders = {
  "swe-bench": sweBench,
  "swe-smith": sweSmith,
  "swe-rebench": sweRebench,
  "swe-rebench-v2": sweRebenchV2,
  "swe-gym": sweGym,
  r2e,
  folder,
} satisfies Record<string, TaskReader>;

export type TaskReaderName = keyof typeof taskReaders;
