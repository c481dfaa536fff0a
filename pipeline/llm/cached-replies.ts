import { randomUUID } from "node:crypto";
import { Completion, type Reply } from "../../schemas/completion.ts";
import { ownSecrets } from "../secrets/own.ts";
import { namesIn } from "../store/run-folder.ts";
import type { EndpointSettings } from "./endpoint.ts";
import { hider, withoutOwn } from "./hide-own.ts";
import { type Memo, negotiated } from "./negotiate.ts";
import { openReplies } from "./replies.ts";
import type { WireRequest } from "./request.ts";

/** Thrown where a reply would have to be paid for. No fault: whoever asks the cache alone expects it. */
export class NotCached extends Error {
  readonly label: string;
  constructor(label: string) {
    super(`no reply to ${label} is in the cache`);
    this.label = label;
  }
}

/** Nothing is learned where nothing is sent. */
const silentMemo: Memo = { works: async () => null, learn: async () => undefined };

/** A backbone that has the reply cache and no endpoint: it sends nothing, books nothing and writes nothing. null: nothing is cached at all. */
export async function openCachedReplies(
  settings: EndpointSettings,
  cacheDir: string,
): Promise<((request: Completion) => Promise<Reply>) | null> {
  if (!(await namesIn(cacheDir)).some((name) => name.endsWith(".jsonl"))) return null;
  const replies = openReplies(cacheDir, `reader-${randomUUID()}`); // makes no file unless it puts
  const answer = async ({ key, request }: WireRequest): Promise<Reply> => {
    const kept = await replies.get(key);
    if (kept === null) throw new NotCached(request.label);
    return { ...kept, cached: true };
  };
  const complete = negotiated({ settings, memo: silentMemo, trustMemo: false, kept: ({ key }) => replies.get(key), answer });
  const hide = hider(ownSecrets(settings.apiKey));
  return (request) => complete(withoutOwn(Completion.parse(request), hide));
}
