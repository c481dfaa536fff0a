import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The command line of a container engine that only pretends, see `container-engine.mjs`; its state lies in `folder`. */
export function fakeEngine(folder: string) {
  mkdirSync(folder);
  const program = join(folder, "engine");
  const script = join(import.meta.dirname, "container-engine.mjs");
  writeFileSync(program, `#!/bin/sh\nFAKE_ENGINE='${folder}' exec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 });
  const calls = join(folder, "calls.jsonl");
  writeFileSync(calls, "");
  return {
    program,
    /** The daemon stops: every call fails as the real client's does. */
    stop: () => writeFileSync(join(folder, "down"), ""),
    calls: () =>
      readFileSync(calls, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as string[]),
  };
}
