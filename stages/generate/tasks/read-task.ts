import { TaskInstance } from "../../../schemas/task-instance.ts";
import { describe, field, isFields, listAt, WrongShape } from "../lenient.ts";
import { taskReaders } from "./index.ts";
import type { ReadTask, TaskHint, TaskReader } from "./reader.ts";

/** A value of unknown kind -> a task, or why it is none. Never throws because of what the value holds. */
export function readTask(value: unknown, hint: TaskHint): ReadTask {
  const matching = Object.values<TaskReader>(taskReaders).filter((reader) => reader.recognises(value));
  const [reader, other] = matching;
  if (reader === undefined) return { ok: false, why: refusal(value) };
  if (other !== undefined) return { ok: false, why: `ambiguous: both ${reader.name} and ${other.name} recognise it` };
  return readAs(reader, value, hint);
}

/** For a value whose kind is known from elsewhere, so that the reason speaks of that kind. */
export function readAs(reader: TaskReader, value: unknown, hint: TaskHint): ReadTask {
  const read = attempt(reader, value, hint);
  const wrong = read.ok ? TaskInstance.safeParse(read.task).error?.issues[0] : undefined;
  const why = wrong ? `${wrong.path.join(".")}: ${wrong.message}` : read.ok ? null : read.why;
  return why === null ? read : { ok: false, why: `${reader.name}: ${why}` };
}

function attempt(reader: TaskReader, value: unknown, hint: TaskHint): ReadTask {
  try {
    return reader.read(value, hint);
  } catch (error) {
    if (!(error instanceof WrongShape)) throw error;
    return { ok: false, why: error.message };
  }
}

const evaluationReport = (value: unknown): boolean =>
  isFields(value) && ["tests_status", "resolved_ids"].some((key) => Object.hasOwn(value, key));

function refusal(value: unknown): string {
  if (field(value, "before_repo_set_cmd") !== undefined || field(value, "selected_test_files_to_run") !== undefined)
    return "a row of SWE-bench Pro, which is for evaluation and for which there is no reader";
  if (["trajectory", "messages", "history"].some((key) => listAt(value, key) !== null))
    return "a run, not a task: import it as a trajectory";
  const entries = isFields(value) ? Object.values(value) : [];
  if (evaluationReport(value) || (entries.length > 0 && entries.every((entry) => typeof entry === "boolean")))
    return "a report of results, not a task";
  if (entries.some(evaluationReport)) return "a report of results, not a task";
  return `no task instance: expected a row with instance_id, repo, base_commit, problem_statement and FAIL_TO_PASS, got ${describe(value)}`;
}
