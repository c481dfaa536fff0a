import { ok, rejected } from "../../stage.ts";
import type { Verifier } from "./verifier.ts";

/** The whole command as one test named `exit-code`: for runners that nobody reads here. 126 and 127 are the shell's: nothing was run. */
export const exitCode: Verifier = (_log, code) =>
  code === null || code === 126 || code === 127
    ? rejected(`expected the exit code of a test run, got ${code === null ? "none" : `${code}, the shell's own`}`)
    : ok(new Map([["exit-code", code === 0 ? "passed" : "failed"]]));
