import { readFile, writeFile } from "node:fs/promises";
import { runsFolder } from "../../pipeline/commands/shared.ts";
import { finishedRecords } from "../../pipeline/rollout/records.ts";
import { openRun } from "../../pipeline/store/run-folder.ts";

/** Records the demo run: what the agents did and saw, one line per task, for whoever needs the same trajectories on every machine. */

const run = await openRun(runsFolder(undefined), "demo");
const paths = (await finishedRecords(run)).sort();
const records = await Promise.all(paths.map((path) => readFile(path, "utf8")));
await writeFile(new URL("recorded.jsonl", import.meta.url), records.join(""));
console.log(`data/demo/recorded.jsonl: ${records.length} runs`);
