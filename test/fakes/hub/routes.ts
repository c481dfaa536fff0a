import type { IncomingMessage, ServerResponse } from "node:http";
import { type Blob, type Commit, entryOf, FakeRepository } from "./repository.ts";
import { sendRange } from "./store.ts";
import type { FakeAccount, HubWorld } from "./world.ts";

/** The hub refuses: status, its own words, and the code that its clients look at. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, message: string, code: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Call {
  readonly world: HubWorld;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: Buffer;
  /** null: no token. */
  readonly account: FakeAccount | null;
  /** What the pattern's groups matched, decoded. */
  readonly found: readonly string[];
}

function send(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "x-request-id": "Root=1-fake", ...headers });
  response.end(JSON.stringify(value));
}

const json = <T>({ body }: Call): T => JSON.parse(body.toString("utf8")) as T;

function requireAccount({ account }: Call): FakeAccount {
  if (account === null) throw new Refusal(401, "Invalid username or password.");
  return account;
}

/** To whoever may not read it, a private dataset is none. */
function requireRepo(call: Call, name = call.found[0] ?? ""): FakeRepository {
  const repo = call.world.repositories.get(name);
  const mayRead = repo?.isPrivate === false || call.account?.writes.includes(name.split("/")[0] ?? "") === true;
  if (repo !== undefined && mayRead) return repo;
  if (call.account === null) throw new Refusal(401, "Invalid username or password.");
  throw new Refusal(404, "Repository not found", "RepoNotFound");
}

function requireWrite(call: Call): FakeRepository {
  const account = requireAccount(call);
  const repo = requireRepo(call);
  if (account.role === "read" || !account.writes.includes(call.found[0]?.split("/")[0] ?? ""))
    throw new Refusal(403, "Authorization error: this token has no write access to the repository.");
  return repo;
}

function requireCommit(repo: FakeRepository, revision: string): Commit {
  const commit = repo.at(revision);
  if (commit === null) throw new Refusal(404, `Invalid rev id: ${revision}`, "RevisionNotFound");
  return commit;
}

function createRepo(call: Call): void {
  const account = requireAccount(call);
  const { name, organization, type, visibility } = json<{ name: string; organization?: string; type: string; visibility?: string }>(call);
  const owner = organization ?? account.name;
  if (type !== "dataset") throw new Refusal(400, `this fake has datasets only, not ${type}`);
  if (account.role === "read" || !account.writes.includes(owner))
    throw new Refusal(403, `You don't have the rights to create a dataset under the namespace "${owner}"`);
  const id = `${owner}/${name}`;
  if (call.world.repositories.has(id)) throw new Refusal(409, "You already created this dataset repo");
  call.world.repositories.set(id, new FakeRepository(visibility !== "public"));
  send(call.response, { url: `${call.world.address}/datasets/${id}`, id });
}

function preupload(call: Call): void {
  const repo = requireWrite(call);
  requireCommit(repo, call.found[1] ?? "");
  const { files } = json<{ files: { path: string; size: number; sample: string }[] }>(call);
  if (files.length > 256) throw new Refusal(413, "too many files in one preupload");
  send(call.response, { files: files.map(({ path, size }) => ({ path, uploadMode: repo.uploadMode(path, size), shouldIgnore: false })) });
}

function lfsBatch(call: Call): void {
  requireWrite(call);
  const { transfers, objects, hash_algo } = json<{ transfers: string[]; hash_algo: string; objects: { oid: string; size: number }[] }>(
    call,
  );
  if (hash_algo !== "sha_256" && hash_algo !== "sha256") throw new Refusal(422, "unknown hash_algo");
  const { store, storeAddress, address, options } = call.world;
  const partBytes = transfers.includes("multipart") ? (options.partBytes ?? null) : null;
  send(call.response, {
    transfer: partBytes === null ? "basic" : "multipart",
    objects: objects.map(({ oid, size }) => {
      const actions = store.actions(storeAddress, address, oid, size, partBytes);
      return { oid, size, ...(actions === null ? {} : { authenticated: true, actions }) };
    }),
  });
}

type Operation =
  | { key: "header"; value: { summary: string; description?: string; parentCommit?: string } }
  | { key: "file"; value: { path: string; content: string; encoding: string } }
  | { key: "lfsFile"; value: { path: string; algo: string; oid: string; size: number } }
  | { key: "deletedFile"; value: { path: string } };

function applied(call: Call, files: Map<string, Blob>, { key, value }: Operation): void {
  if (key === "file") files.set(value.path, { kind: "plain", content: Buffer.from(value.content, "base64") });
  else if (key === "lfsFile") {
    if (call.world.store.blobs.get(value.oid)?.length !== value.size)
      throw new Refusal(400, `Your push was rejected because an LFS pointer pointed to a file that does not exist: ${value.path}`);
    files.set(value.path, { kind: "lfs", oid: value.oid, size: value.size });
  } else if (key === "deletedFile" && !files.delete(value.path))
    throw new Refusal(400, `A file with the name ${value.path} does not exist`);
}

function commit(call: Call): void {
  const repo = requireWrite(call);
  const branch = call.found[1] ?? "";
  const head = requireCommit(repo, branch);
  if (!repo.branches.has(branch)) throw new Refusal(400, `${branch} is no branch`);
  if (call.request.headers["content-type"] !== "application/x-ndjson") throw new Refusal(415, "expected application/x-ndjson");
  const [header, ...operations] = call.body
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Operation);
  if (header?.key !== "header") throw new Refusal(400, "the first line must be the header");
  const { summary, description, parentCommit } = header.value;
  if (parentCommit !== undefined && parentCommit !== head.oid)
    throw new Refusal(412, "A commit has happened since. Please refresh and try again.");
  const files = new Map(head.files);
  for (const operation of operations) applied(call, files, operation);
  const made = repo.commit(branch, summary, description ?? "", files);
  send(call.response, {
    success: true,
    commitOid: made.oid,
    commitUrl: `${call.world.address}/datasets/${call.found[0]}/commit/${made.oid}`,
    hookOutput: "",
  });
}

function refs(call: Call): void {
  const repo = requireRepo(call);
  const listed = (map: ReadonlyMap<string, string>, kind: string) =>
    [...map].map(([name, targetCommit]) => ({ name, ref: `refs/${kind}/${name}`, targetCommit }));
  send(call.response, { branches: listed(repo.branches, "heads"), tags: listed(repo.tags, "tags"), converts: [] });
}

function newRef(kind: "branches" | "tags") {
  return (call: Call): void => {
    const repo = requireWrite(call);
    const given = json<{ startingPoint?: string; tag?: string }>(call);
    const [name, from] =
      kind === "branches" ? [call.found[1] ?? "", given.startingPoint ?? "main"] : [given.tag ?? "", call.found[1] ?? ""];
    if (repo[kind].has(name)) throw new Refusal(409, `Reference already exists: ${name}`);
    repo[kind].set(name, requireCommit(repo, from).oid);
    send(call.response, {});
  };
}

function tree(call: Call): void {
  const { oid } = requireCommit(requireRepo(call), call.found[1] ?? "");
  const repo = requireRepo(call);
  const all = repo.entries(requireCommit(repo, oid), call.found[2] ?? "", call.url.searchParams.get("recursive") === "true");
  const page = call.world.options.pageEntries ?? 1_000;
  const from = Number(call.url.searchParams.get("cursor") ?? 0);
  const next = new URL(call.url.pathname + call.url.search, call.world.address);
  next.searchParams.set("cursor", String(from + page));
  send(call.response, all.slice(from, from + page), 200, from + page < all.length ? { link: `<${next}>; rel="next"` } : {});
}

function pathsInfo(call: Call): void {
  const { files } = requireCommit(requireRepo(call), call.found[1] ?? "");
  const { paths } = json<{ paths: string[] }>(call);
  send(
    call.response,
    paths.flatMap((path) => (files.has(path) ? [entryOf(path, files.get(path) as Blob)] : [])),
  );
}

/** Small files come at once, large ones from the store. */
function resolve(call: Call): void {
  const commitFound = requireCommit(requireRepo(call), call.found[1] ?? "");
  const blob = commitFound.files.get(call.found[2] ?? "");
  if (blob === undefined) throw new Refusal(404, "Entry not found", "EntryNotFound");
  if (blob.kind === "plain") {
    sendRange(call.request, call.response, blob.content, { "x-repo-commit": commitFound.oid });
    return;
  }
  const location = call.world.store.sign(call.world.storeAddress, `/blobs/${blob.oid}`);
  call.response.writeHead(302, {
    location,
    "x-repo-commit": commitFound.oid,
    "x-linked-size": String(blob.size),
    "x-linked-etag": `"${blob.oid}"`,
  });
  call.response.end();
}

const repo = "([^/]+/[^/]+)";
const routes: readonly (readonly [method: string, pattern: RegExp, act: (call: Call) => void])[] = [
  [
    "GET",
    /^\/api\/whoami-v2$/,
    (call) => {
      const { name, role, writes } = requireAccount(call);
      const orgs = writes.filter((owner) => owner !== name).map((owner) => ({ name: owner, type: "org" }));
      send(call.response, {
        type: "user",
        id: "1",
        name,
        orgs,
        auth: { type: "access_token", accessToken: { displayName: "fake", role } },
      });
    },
  ],
  ["POST", /^\/api\/repos\/create$/, createRepo],
  ["POST", new RegExp(`^/api/datasets/${repo}/preupload/([^/]+)$`), preupload],
  ["POST", new RegExp(`^/datasets/${repo}\\.git/info/lfs/objects/batch$`), lfsBatch],
  ["POST", new RegExp(`^/api/datasets/${repo}/commit/([^/]+)$`), commit],
  ["GET", new RegExp(`^/api/datasets/${repo}/refs$`), refs],
  ["POST", new RegExp(`^/api/datasets/${repo}/branch/([^/]+)$`), newRef("branches")],
  ["POST", new RegExp(`^/api/datasets/${repo}/tag/([^/]+)$`), newRef("tags")],
  ["GET", new RegExp(`^/api/datasets/${repo}/tree/([^/]+)(?:/(.+))?$`), tree],
  ["POST", new RegExp(`^/api/datasets/${repo}/paths-info/([^/]+)$`), pathsInfo],
  [
    "GET",
    new RegExp(`^/api/datasets/${repo}/revision/([^/]+)$`),
    (call) => {
      const { isPrivate } = requireRepo(call);
      send(call.response, { id: call.found[0], sha: requireCommit(requireRepo(call), call.found[1] ?? "").oid, private: isPrivate });
    },
  ],
  [
    "GET",
    new RegExp(`^/api/datasets/${repo}$`),
    (call) => send(call.response, { id: call.found[0], private: requireRepo(call).isPrivate, likes: 0 }),
  ],
  ["GET", new RegExp(`^/datasets/${repo}/resolve/([^/]+)/(.+)$`), resolve],
  ["HEAD", new RegExp(`^/datasets/${repo}/resolve/([^/]+)/(.+)$`), resolve],
];

function accountOf(world: HubWorld, request: IncomingMessage): FakeAccount | null {
  const given = request.headers.authorization;
  if (given === undefined) return null;
  const account = world.options.accounts?.[given.replace(/^Bearer /, "")];
  if (account === undefined) throw new Refusal(401, "Invalid credentials in Authorization header");
  return account;
}

/** Finds the route for a request; whatever it refuses is told in the hub's form. */
export function answerHub(world: HubWorld, request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse): void {
  try {
    const account = accountOf(world, request);
    for (const [method, pattern, act] of routes) {
      const found = method === request.method ? pattern.exec(url.pathname) : null;
      if (found === null) continue;
      act({ world, request, response, url, body, account, found: found.slice(1).map((text) => decodeURIComponent(text ?? "")) });
      return;
    }
    throw new Refusal(404, `no route ${request.method} ${url.pathname}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    send(
      response,
      { error: error.message },
      error.status,
      error.code === null ? {} : { "x-error-code": error.code, "x-error-message": error.message },
    );
  }
}
