import { randomUUID } from "node:crypto";
import { Completion, type Reply } from "../../schemas/completion.ts";
import { namesIn } from "../store/run-folder.ts";
import type { EndpointSettings } from "./endpoint.ts";
import { openReplies } from "./replies.ts";
import { wireRequest } from "./request.ts";

/** Thrown where a reply would have to be paid for. No fault: whoever asks the cache alone expects it. */
export class NotCached extends Error {
  readonly label: string;
  constructor(label: string) {
    super(`no reply to ${label} is in the cache`);
    this.label = label;
  }
}

/** A backbone that has the reply cache and no endpoint: it sends nothing, books nothing and writes nothing. null: nothing is cached at all. */
export async function openCachedReplies(
  settings: EndpointSettings,
  cacheDir: string,
): Promise<((request: Completion) => Promise<Reply>) | null> {
  if (!(await namesIn(cacheDir)).some((name) => name.endsWith(".jsonl"))) return null;
  const replies = openReplies(cacheDir, `reader-${randomUUID()}`); // makes no file unless it puts
  return async (request) => {
    const kept = await replies.get(wireRequest(settings, Completion.parse(request)).key);
    if (kept === null) throw new NotCached(request.label);
    return { ...kept, cached: true };
  };
}
