/** Where a process may be told to die, to prove that what it leaves behind is sound. One name per write, in the order they are passed. */
export const crashPoints = [
  "spool-append", // import: a trajectory went to the spool
  "journal-append", // a row in progress went to the journal
  "rows-written", // a rows file is complete under its temporary name, not yet flushed
  "rows-flushed", // ... and flushed
  "rows-renamed", // ... and has its name; no manifest points at it yet
  "file-written", // any small file (manifest, recipe, inputs) is complete under its temporary name
  "file-flushed",
  "file-renamed",
  "old-rows-removed", // the manifest is published, what it replaced is gone
  "journals-removed",
  "inputs-forgotten", // import: the old account is gone, the new one not yet written
  "export-written", // the dataset is complete in its temporary folder
  "export-forgotten", // the old export manifest is gone
  "export-moved-away", // the old dataset has been moved aside
  "export-placed", // the new one is in place, its manifest not yet written
  "reply-kept", // a paid reply went to the cache
] as const;
export type CrashPoint = (typeof crashPoints)[number];

const seen = new Map<string, number>();

/** Kills this process where `CATGEN_CRASH_AT=<point>` or `<point>:<n>` (the n-th time) says so; otherwise does nothing. */
export function crashPoint(point: CrashPoint): void {
  const wanted = process.env["CATGEN_CRASH_AT"];
  if (wanted === undefined || wanted === "") return;
  const count = (seen.get(point) ?? 0) + 1;
  seen.set(point, count);
  const [name, nth = "1"] = wanted.split(":");
  if (name === point && Number(nth) === count) process.kill(process.pid, "SIGKILL");
}
