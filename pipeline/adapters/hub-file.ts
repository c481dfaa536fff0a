import type { AsyncBuffer } from "hyparquet";
import { Fault } from "../../schemas/fault.ts";
import { realWorld } from "../llm/retry.ts";
import { retryingFetch } from "../publish/retrying-fetch.ts";
import { hubAddress, hubToken } from "../publish/token.ts";
import type { Hub } from "./hub.ts";

/** `hf://ORG/NAME[@REVISION][/PATH]`, as the hub's own tools write it; `hf://datasets/ORG/NAME` is the same. */
export interface HubPath {
  readonly repo: string;
  readonly revision: string;
  /** A file, or a folder of files; "": all of the dataset. */
  readonly path: string;
}

export const isHubPath = (text: string): boolean => text.startsWith("hf://");

export function parseHubPath(text: string): HubPath {
  const found = /^hf:\/\/(?:datasets\/)?([\w.-]+\/[\w.-]+)(?:@([^/]+))?(?:\/(.*))?$/.exec(text);
  const [, repo, revision, path] = found ?? [];
  if (repo === undefined)
    throw new Fault("USAGE", "stop", `expected hf://ORG/NAME, hf://ORG/NAME@REVISION or a path in it, got ${JSON.stringify(text)}`);
  return { repo, revision: revision === undefined ? "main" : decodeURIComponent(revision), path: (path ?? "").replace(/\/+$/, "") };
}

export const hubPathText = ({ repo, revision, path }: HubPath): string => `hf://${repo}@${encodeURIComponent(revision)}/${path}`;

/** A hub to read from, with the token where there is one. Attempts are fewer than for publishing: whoever imports sits beside it. */
export async function readingHub(say: (line: string) => void = () => undefined): Promise<Hub> {
  const { openHub } = await import("./hub.ts"); // the hub's client is forty modules, and most inputs are files
  const { signal } = new AbortController();
  const ask = retryingFetch({ world: realWorld, signal, onBytes: () => undefined, say, attempts: 6 });
  return openHub({ address: hubAddress(undefined), token: await hubToken(), fetch: ask, signal });
}

/** A file on the hub of which only those bytes are fetched that are asked for. `path` names a commit, so that all of them are of one file. */
export async function openHubFile(text: string): Promise<AsyncBuffer> {
  const { repo, revision, path } = parseHubPath(text);
  const hub = await readingHub();
  const bytes = await hub.bytesOf(repo, revision, path);
  if (bytes === null)
    throw new Fault("INPUT_MISSING", "stop", `there is no ${path} in ${repo} at ${revision}; check the path given with --input`);
  return { byteLength: bytes, slice: (start, end = bytes) => hub.read(repo, revision, path, { start, end }) };
}
