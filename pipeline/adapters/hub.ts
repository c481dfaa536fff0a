import { pathToFileURL } from "node:url";
import { type CommitOperation, commitIter, createBranch, createRepo, HubApiError, listFiles, whoAmI } from "@huggingface/hub";
import { z } from "zod";
import { Fault } from "../../schemas/fault.ts";

/** Everything we ask of a hub, one dataset at a time. */
export interface HubOptions {
  /** Without a slash at its end. */
  readonly address: string;
  /** null: only what is public. */
  readonly token: string | null;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** sha256 of a large file; null: a small one, of which the hub knows `git` alone. */
  readonly sha256: string | null;
  /** Git's name for the blob. */
  readonly git: string;
}

export interface HubChange {
  readonly title: string;
  readonly description: string;
  readonly branch: string;
  /** The commit that the change was worked out against; another one since is a conflict. */
  readonly parent: string;
  readonly files: readonly { readonly path: string; readonly from: string }[];
  readonly removed: readonly string[];
}

export interface HubRefs {
  readonly branches: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, string>;
}

/** The commit was worked out against a branch that has moved since, or an upload's address has run out: look again, and go on from there. */
export class HubMoved extends Error {
  override readonly name = "HubMoved";
}

export interface Hub {
  readonly address: string;
  /** Name, and what the token may do; null where the hub does not say. */
  whoAmI(): Promise<{ readonly name: string; readonly role: string | null }>;
  /** Whether it is private, null: there is none that the token may see. */
  visibility(repo: string): Promise<{ readonly private: boolean } | null>;
  /** false: it was there already. */
  create(repo: string, isPrivate: boolean): Promise<boolean>;
  refs(repo: string): Promise<HubRefs>;
  /** A commit for a branch, a tag or a commit; null: there is none of this name. */
  commitOf(repo: string, revision: string): Promise<string | null>;
  createBranch(repo: string, branch: string, from: string): Promise<void>;
  files(repo: string, revision: string): Promise<HubFile[]>;
  commit(repo: string, change: HubChange): Promise<{ readonly commit: string; readonly url: string }>;
  tag(repo: string, tag: string, commit: string): Promise<void>;
  /** Length of a file; null: there is none. */
  bytesOf(repo: string, revision: string, path: string): Promise<number | null>;
  /** Bytes [start, end) of a file, or all of it. */
  read(repo: string, revision: string, path: string, range?: { readonly start: number; readonly end: number }): Promise<ArrayBuffer>;
}

const Refs = z.object({
  branches: z.array(z.object({ name: z.string(), targetCommit: z.string() })),
  tags: z.array(z.object({ name: z.string(), targetCommit: z.string() })).default([]),
});

/** The hub's own words, short, without addresses (theirs are signed) and without the token. */
function wordsOf(error: HubApiError, token: string | null): string {
  const data = z.object({ error: z.string().optional(), message: z.string().optional() }).safeParse(error.data ?? {}).data;
  const text = (data?.error ?? data?.message ?? "")
    .replace(/https?:\/\/\S+/g, "(address)")
    .replace(/\s+/g, " ")
    .trim();
  const short = text.length > 300 ? `${text.slice(0, 300)}...` : text;
  return token === null ? short : short.replaceAll(token, "(token)");
}

const said = (words: string): string => (words === "" ? "" : `: ${words}`);

/** What a status means to the person at the keyboard. */
function faultOf(error: unknown, doing: string, { address, token, signal }: HubOptions): unknown {
  if (error instanceof Fault || error instanceof HubMoved) return error;
  if (signal.aborted) return new Fault("DRAINED", "stop", `stopped while ${doing}; nothing is half-published, run the same command again`);
  if (!(error instanceof HubApiError)) {
    const network = error instanceof TypeError && error.message === "fetch failed" ? error.cause : error;
    if (!(network instanceof Error) || !("code" in network || /^nothing moved/.test(network.message))) return error;
    const why = network.message || String((network as NodeJS.ErrnoException).code);
    return new Fault(
      "HUB_UNREACHABLE",
      "retry",
      `${address} broke off while ${doing} (${why}); nothing is half-published, run the same command again`,
      { cause: error },
    );
  }
  const { statusCode } = error;
  const words = said(wordsOf(error, token));
  if (!error.url.startsWith(address) && error.url !== "") return new HubMoved(`the store answered with status ${statusCode}${words}`);
  if (statusCode === 412) return new HubMoved("the branch has moved");
  if (statusCode === 401)
    return new Fault(
      "HUB_AUTH",
      "stop",
      `${address} does not know the token (401, ${doing})${words}; make a new one at ${address}/settings/tokens and set HF_TOKEN`,
    );
  if (statusCode === 403)
    return new Fault(
      "HUB_AUTH",
      "stop",
      `the token may not do this (403, ${doing})${words}; take one with the right to write to this owner's datasets, made at ${address}/settings/tokens`,
    );
  if (statusCode === 429 || statusCode >= 500)
    return new Fault(
      "HUB_UNREACHABLE",
      "retry",
      `${address} answered ${statusCode} too often while ${doing}${words}; nothing is half-published, run the same command later`,
    );
  return new Fault("HUB_REFUSED", "stop", `${address} refuses (${statusCode}, ${doing})${words}`);
}

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** The only place that knows the hub's library and its addresses. */
export function openHub(options: HubOptions): Hub {
  const { address, token, fetch: ask, signal } = options;
  const access = { hubUrl: address, fetch: ask, ...(token === null ? {} : { accessToken: token }) };
  const authorized = token === null ? undefined : { Authorization: `Bearer ${token}` };
  const named = (name: string) => ({ type: "dataset" as const, name });

  const trying = async <T>(doing: string, work: () => Promise<T>, mayMove = false): Promise<T> => {
    try {
      signal.throwIfAborted();
      return await work();
    } catch (error) {
      const fault = faultOf(error, doing, options);
      if (!(fault instanceof HubMoved) || mayMove) throw fault;
      throw new Fault("HUB_UNREACHABLE", "retry", `${address}: ${fault.message} (${doing}); run the same command again`, { cause: error });
    }
  };

  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await ask(`${address}${path}`, { ...init, headers: { ...authorized, ...init.headers }, signal });
    if (response.ok) return response;
    const error = new HubApiError(response.url, response.status);
    const text = await response.text();
    error.data = { error: /^\s*\{/.test(text) ? ((JSON.parse(text) as { error?: string }).error ?? "") : text.slice(0, 300) };
    throw error;
  };

  const orNull = async <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      if (error instanceof HubApiError && error.statusCode === 404) return null;
      throw error;
    });

  return {
    address,
    whoAmI: () =>
      trying("asking who the token belongs to", async () => {
        const found = await whoAmI({ ...access, accessToken: token ?? "" });
        return { name: found.name, role: found.auth.accessToken?.role ?? null };
      }),
    visibility: (repo) =>
      trying(`looking for ${repo}`, async () => {
        const response = await orNull(request(`/api/datasets/${repo}`));
        return response === null ? null : z.object({ private: z.boolean() }).parse(await response.json());
      }),
    create: (repo, isPrivate) =>
      trying(`creating ${repo}`, async () => {
        try {
          await createRepo({ ...access, accessToken: token ?? "", repo: named(repo), visibility: isPrivate ? "private" : "public" });
          return true;
        } catch (error) {
          if (error instanceof HubApiError && error.statusCode === 409) return false; // somebody was faster, or our first answer was lost
          throw error;
        }
      }),
    refs: (repo) =>
      trying(`reading the branches of ${repo}`, async () => {
        const { branches, tags } = Refs.parse(await (await request(`/api/datasets/${repo}/refs`)).json());
        const mapped = (list: typeof branches) => new Map(list.map(({ name, targetCommit }) => [name, targetCommit]));
        return { branches: mapped(branches), tags: mapped(tags) };
      }),
    commitOf: (repo, revision) =>
      trying(`looking for revision ${revision} of ${repo}`, async () => {
        const response = await orNull(request(`/api/datasets/${repo}/revision/${encodeURIComponent(revision)}`));
        return response === null ? null : z.object({ sha: z.string() }).parse(await response.json()).sha;
      }),
    createBranch: (repo, branch, from) =>
      trying(`creating branch ${branch}`, async () => {
        await createBranch({ ...access, repo: named(repo), branch, revision: from });
      }),
    files: (repo, revision) =>
      trying(`listing the files of ${repo}`, async () => {
        const found: HubFile[] = [];
        for await (const { type, path, size, oid, lfs } of listFiles({
          ...access,
          repo: named(repo),
          recursive: true,
          revision: encodeURIComponent(revision),
        }))
          if (type === "file") found.push({ path, bytes: lfs?.size ?? size, sha256: lfs?.oid ?? null, git: oid ?? "" });
        return found;
      }),
    commit: (repo, { title, description, branch, parent, files, removed }) =>
      trying(
        `publishing to ${repo}`,
        async () => {
          const operations: CommitOperation[] = [
            ...files.map(({ path, from }) => ({ operation: "addOrUpdate" as const, path, content: pathToFileURL(from) })),
            ...removed.map((path) => ({ operation: "delete" as const, path })),
          ];
          // Plain LFS, not Xet: whole files under their sha256, so that what was sent is found again by a later try, and nothing else can arrive.
          const steps = commitIter({
            ...access,
            repo: named(repo),
            title,
            description,
            branch,
            parentCommit: parent,
            operations,
            useXet: false,
            abortSignal: signal,
          });
          let step = await steps.next();
          while (step.done !== true) step = await steps.next();
          if (step.value === undefined) throw new Error("a dataset's commit has no output");
          return { commit: step.value.commit.oid, url: step.value.commit.url };
        },
        true,
      ),
    tag: (repo, tag, commit) =>
      trying(`tagging ${repo} with ${tag}`, async () => {
        const body = JSON.stringify({ tag });
        await request(`/api/datasets/${repo}/tag/${encodeURIComponent(commit)}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        });
      }),
    bytesOf: (repo, revision, path) =>
      trying(`looking for ${path} of ${repo}`, async () => {
        const body = JSON.stringify({ paths: [path], expand: false });
        const response = await request(`/api/datasets/${repo}/paths-info/${encodeURIComponent(revision)}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        });
        const [found] = z.array(z.object({ type: z.string(), size: z.number() })).parse(await response.json());
        return found?.type === "file" ? found.size : null;
      }),
    read: (repo, revision, path, range) =>
      trying(`reading ${path} of ${repo}`, async () => {
        const headers = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
        const response = await request(`/datasets/${repo}/resolve/${encodeURIComponent(revision)}/${encoded(path)}`, { headers });
        const bytes = await response.arrayBuffer();
        const wanted = range === undefined ? bytes.byteLength : range.end - range.start;
        if (bytes.byteLength === wanted) return bytes;
        if (range !== undefined && response.status === 200) return bytes.slice(range.start, range.end); // a proxy that knows no ranges
        throw new Fault(
          "HUB_UNREACHABLE",
          "retry",
          `expected ${wanted} bytes of ${path} from ${address}, got ${bytes.byteLength}; run the same command again`,
        );
      }),
  };
}
