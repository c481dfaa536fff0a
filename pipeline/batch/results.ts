import { z } from "zod";
import { Fault } from "../../schemas/fault.ts";
import { readLines } from "../store/lines.ts";
import { jsonOf } from "../store/run-folder.ts";
import type { Waves } from "./waves.ts";

/**
 * A line of results. OpenAI: `{id, custom_id, response: {status_code, request_id, body}, error}`, failures in a file of their own with a
 * status or with `response: null` and an `error` such as `batch_expired`. vLLM: the same, with `body: null` beside an `error`.
 */
const ResultLine = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.int().nullish(), body: z.unknown() }).nullish(),
  error: z.unknown(),
});
export type ResultLine = z.infer<typeof ResultLine>;

const foreign = (path: string, what: string): Fault => new Fault("BATCH_FOREIGN", "stop", `${path}: ${what}; nothing was read`);

const shown = (ids: readonly string[]): string =>
  `${ids
    .slice(0, 3)
    .map((id) => JSON.stringify(id))
    .join(", ")}${ids.length > 3 ? ` and ${ids.length - 3} more` : ""}`;

function lineOf(path: string, text: string, number: number, whole: boolean): ResultLine {
  const value = jsonOf(text);
  if (value === null && !whole) throw foreign(path, `line ${number}, the last, breaks off: the file is half downloaded; fetch it again`);
  if (value === null) throw foreign(path, `line ${number} is no JSON: expected the output of OpenAI's Batch API or of \`vllm run-batch\``);
  if (typeof value === "object" && value !== null && "custom_id" in value && "body" in value && "method" in value)
    throw foreign(path, "these are the requests; expected the results that the batch gave for them");
  const parsed = ResultLine.safeParse(value);
  if (!parsed.success)
    throw foreign(path, `line ${number} has no custom_id and response: expected the output of OpenAI's Batch API or of \`vllm run-batch\``);
  return parsed.data;
}

/** The lines of a file, one after the other; blank ones are passed over. */
export async function* resultsIn(path: string): AsyncGenerator<ResultLine> {
  let number = 0;
  for await (const { text, whole } of readLines(path)) {
    number += 1;
    if (text.trim() !== "") yield lineOf(path, text, number, whole);
  }
}

/** Reads whole files before anything is believed: results of other requests, a request answered twice and broken files are refused. */
export async function checkResults(paths: readonly string[], waves: Waves): Promise<void> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const unknown: string[] = [];
    let lines = 0;
    for await (const { custom_id: id } of resultsIn(path)) {
      lines += 1;
      const before = seen.get(id);
      if (before !== undefined)
        throw foreign(
          path,
          `${JSON.stringify(id)} has two results${before === path ? "" : ` (the other is in ${before})`}; give each request's result once`,
        );
      seen.set(id, path);
      if (!waves.entries.has(id)) unknown.push(id);
    }
    if (lines === 0) throw foreign(path, "the file is empty");
    if (unknown.length === lines) throw foreign(path, `none of its ${lines} results belongs to this run (${shown(unknown)}): check --run`);
    if (unknown.length > 0)
      throw foreign(path, `${unknown.length} of its ${lines} results belong to no request of this run (${shown(unknown)})`);
  }
}
