import { sameFile } from "../commands/actions.ts";
import { bodyOf } from "../commands/results.ts";
import { deedsOfCommand } from "./command-match.ts";
import { type Entity, pathOf } from "./entities.ts";
import { changesFiles, type Deed, tries } from "./runs.ts";

/** The last observed state: how runs ended, and what became of files. */

export type Polarity = "passed" | "failed";

/** `null`: the answer says neither, or both. */
export function outcomeOf({ action, call }: Deed): Polarity | null {
  if (action.testResult !== null) {
    const { passed, failed } = action.testResult;
    if (failed !== null && failed > 0) return "failed";
    if (passed === 0 && failed === 0) return null;
    if (action.failed) return "failed";
    return "passed";
  }
  if (action.failed) return "failed";
  if (call.result === null) return null;
  const body = bodyOf(call.result);
  const last = body.slice(-1_000).trimEnd().split("\n").at(-1) ?? "";
  // Behind a pipe no exit code tells. A script that ends well and prints a failure may mean either.
  if (/^\s*(?:ERROR:|error:|FAIL(?:ED|URE)?\b|✗|❌)/.test(last)) return /[|;]/.test(action.command) ? "failed" : null;
  return body.length < 20_000 && /\b(?:fail(?:ed|ure|s)?|error|traceback|exception|✗|❌)\b/i.test(body) ? null : "passed";
}

/** Runs that an entity is about: by command, by the file they ran, by a test that they name. */
export function runsAbout(entity: Entity, deeds: readonly Deed[]): Deed[] {
  if (entity.kind === "command") return deedsOfCommand(entity.words, deeds);
  const runs = deeds.filter(tries);
  if (entity.kind === "path") {
    const path = pathOf(entity.words).toLowerCase();
    const name = path.slice(path.lastIndexOf("/") + 1);
    const executed = new RegExp(
      `(?:python[\\d.]*|node|bash|sh|ruby|php|pytest|test|jest|vitest|mocha|runtests\\.py)\\b[^;&|\\n]{0,200}${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`,
    );
    return runs.filter(({ line }) => executed.test(line.toLowerCase()));
  }
  if (entity.kind === "test") {
    const name = (entity.words.split("::").at(-1) ?? "").replace(/\[.*$/, "").toLowerCase();
    return runs.filter(
      ({ line, action }) => line.toLowerCase().includes(name) || action.failing.some((one) => one.toLowerCase().includes(name)),
    );
  }
  return [];
}

export type FileState = "created" | "edited" | "removed";
export interface FileEvent {
  readonly file: string;
  readonly state: FileState;
  readonly deed: Deed;
}

const removes = /^(?:sudo )?(?:rm|git rm|unlink|del)\b|(?:&&|;|\|\|)\s*(?:rm|git rm)\b/;
const creates = /^(?:create|write|touch)\b/;

/** What each deed did to each file, in order. */
export function fileEvents(deeds: readonly Deed[]): FileEvent[] {
  return deeds.flatMap((deed) => {
    const { action, line } = deed;
    if (!changesFiles(action)) return [];
    const removed = removes.test(action.command) || /(?:^|[;&|\n]\s*)rm\s/.test(line);
    return action.files.map((file): FileEvent => {
      const gone = removed && new RegExp(`\\brm\\b[^\\n;&|]{0,400}${file.slice(-60).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`).test(line);
      return { file, state: gone ? "removed" : creates.test(action.command) ? "created" : "edited", deed };
    });
  });
}

/** Events of one file, whatever its spelling. */
export const eventsOf = (path: string, events: readonly FileEvent[]): FileEvent[] => {
  const wanted = pathOf(path).toLowerCase();
  return events.filter(({ file }) => sameFile(pathOf(file).toLowerCase(), wanted));
};
