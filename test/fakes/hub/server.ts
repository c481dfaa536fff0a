import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeRepository } from "./repository.ts";
import { answerHub } from "./routes.ts";
import { FakeStore } from "./store.ts";
import type { FakeHubOptions, HubRequest, HubWorld } from "./world.ts";

export interface FakeHub {
  readonly address: string;
  readonly requests: readonly HubRequest[];
  readonly repositories: ReadonlyMap<string, FakeRepository>;
  readonly store: FakeStore;
  /** Makes a dataset, as if somebody had created it on the hub's page. */
  make(repo: string, isPrivate: boolean): FakeRepository;
  /** Content of a file at a revision; null: there is none. */
  content(repo: string, revision: string, path: string): Buffer | null;
  close(): Promise<void>;
}

const listening = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= most) return null;
    }
  } catch {
    return null; // whoever sent it is gone
  }
  return request.complete ? Buffer.concat(chunks) : null;
}

/**
 * A fake of the Hugging Face Hub on loopback, with its store of large files on a second port: accounts, datasets, preupload, LFS in one piece
 * or in parts, commits as ndjson, branches, tags, listings by page, downloads by range. Source: the Hub's documented API and what its own
 * clients send and expect. Nothing of it is the Hub's code.
 */
export async function startFakeHub(options: FakeHubOptions = {}): Promise<FakeHub> {
  const world: HubWorld = { options, repositories: new Map(), store: new FakeStore(), address: "", storeAddress: "" };
  const requests: HubRequest[] = [];

  const serve =
    (store: boolean, act: (request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse) => void) =>
    async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { socket } = request; // gone from the request once it is given up
      const url = new URL(request.url ?? "/", "http://hub");
      const asked = {
        method: request.method ?? "GET",
        path: decodeURIComponent(url.pathname),
        store,
        range: request.headers.range ?? null,
      };
      const fault = options.fault?.(asked) ?? null;
      if (fault?.kind === "close") return void socket.destroy();
      const body = await bodyOf(request, fault?.kind === "close-after" ? fault.bytes : Number.POSITIVE_INFINITY);
      if (body === null) return void socket.destroy();
      requests.push({ ...asked, bytes: body.length });
      if (fault?.kind === "stall") return;
      if (fault?.kind === "status") {
        response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
        response.end(JSON.stringify({ error: fault.error ?? `status ${fault.status}` }));
        return;
      }
      if (fault?.kind === "lost-answer") response.end = () => response.destroy() as never; // acted on, and never told
      act(request, url, body, response);
    };

  const hub = createServer(serve(false, (request, url, body, response) => answerHub(world, request, url, body, response)));
  const store = createServer(serve(true, (request, url, body, response) => world.store.answer(request, url, body, response)));
  [world.address, world.storeAddress] = await Promise.all([listening(hub), listening(store)]);
  const stop = (server: Server): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    address: world.address,
    requests,
    repositories: world.repositories,
    store: world.store,
    make: (repo, isPrivate) => {
      const made = new FakeRepository(isPrivate);
      world.repositories.set(repo, made);
      return made;
    },
    content: (repo, revision, path) => {
      const blob = world.repositories.get(repo)?.at(revision)?.files.get(path);
      if (blob === undefined) return null;
      return blob.kind === "plain" ? blob.content : (world.store.blobs.get(blob.oid) ?? null);
    },
    close: async () => void (await Promise.all([stop(hub), stop(store)])),
  };
}
