import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sha256Of } from "./repository.ts";

/** The store refuses: status, and S3's name for why. */
class StoreRefusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

/** Where the hub keeps large files: S3's manners, behind signed addresses on another origin. */
export class FakeStore {
  readonly blobs = new Map<string, Buffer>();
  private readonly parts = new Map<string, Map<number, Buffer>>();
  /** An address made before this has run out. */
  private round = 0;

  expireAddresses(): void {
    this.round += 1;
  }

  /** `X-Amz-Signature` stands for what is secret in a signed address. */
  sign(base: string, path: string): string {
    return `${base}${path}?X-Amz-Signature=signed-${this.round}`;
  }

  /** Actions of an LFS batch for one object; null: it is there. */
  actions(base: string, hubBase: string, oid: string, size: number, partBytes: number | null): Record<string, unknown> | null {
    if (this.blobs.has(oid)) return null;
    const verify = { href: `${hubBase}/lfs-verify` };
    if (partBytes === null || size <= partBytes) return { upload: { href: this.sign(base, `/blobs/${oid}`) }, verify };
    const header: Record<string, string> = { chunk_size: String(partBytes) };
    for (let part = 1; part <= Math.ceil(size / partBytes); part += 1)
      header[String(part).padStart(5, "0")] = this.sign(base, `/parts/${oid}/${part}`);
    return { upload: { href: this.sign(base, `/complete/${oid}`), header }, verify };
  }

  answer(request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse): void {
    try {
      this.act(request, url, body, response);
    } catch (error) {
      if (!(error instanceof StoreRefusal)) throw error;
      response.writeHead(error.status, { "content-type": "application/xml" });
      response.end(`<?xml version="1.0"?><Error><Code>${error.message}</Code></Error>`);
    }
  }

  private act(request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse): void {
    if (request.headers.authorization !== undefined) throw new StoreRefusal(400, "OnlyOneAuthMechanismAllowed");
    if (url.searchParams.get("X-Amz-Signature") !== `signed-${this.round}`) throw new StoreRefusal(403, "RequestHasExpired");
    const [, kind, oid = "", part] = url.pathname.split("/");
    if (request.method === "PUT") {
      if (request.headers["content-length"] === undefined) throw new StoreRefusal(411, "MissingContentLength");
      this.put(kind ?? "", oid, Number(part), body, response);
    } else if (request.method === "POST" && kind === "complete") this.complete(oid, body, response);
    else {
      const blob = this.blobs.get(oid);
      if (kind !== "blobs" || blob === undefined) throw new StoreRefusal(404, "NoSuchKey");
      sendRange(request, response, blob);
    }
  }

  private put(kind: string, oid: string, part: number, body: Buffer, response: ServerResponse): void {
    if (kind === "parts") {
      const known = this.parts.get(oid) ?? new Map<number, Buffer>();
      this.parts.set(oid, known.set(part, body));
      response.writeHead(200, { etag: `"${createHash("md5").update(body).digest("hex")}"` });
    } else if (sha256Of(body) !== oid) throw new StoreRefusal(400, "BadDigest");
    else {
      this.blobs.set(oid, body);
      response.writeHead(200);
    }
    response.end();
  }

  private complete(oid: string, body: Buffer, response: ServerResponse): void {
    const asked = (JSON.parse(body.toString("utf8")) as { parts: { partNumber: number; etag: string }[] }).parts;
    const known = this.parts.get(oid) ?? new Map<number, Buffer>();
    const pieces = asked.map(({ partNumber, etag }) => {
      const piece = known.get(partNumber);
      return piece !== undefined && etag === `"${createHash("md5").update(piece).digest("hex")}"` ? piece : null;
    });
    if (pieces.includes(null)) throw new StoreRefusal(400, "InvalidPart");
    const whole = Buffer.concat(pieces.filter((piece) => piece !== null));
    if (sha256Of(whole) !== oid) throw new StoreRefusal(400, "BadDigest");
    this.blobs.set(oid, whole);
    this.parts.delete(oid);
    response.writeHead(200, { "content-type": "application/json" });
    response.end("{}");
  }
}

/** A file, or the bytes that `Range` asks for. */
export function sendRange(request: IncomingMessage, response: ServerResponse, content: Buffer, headers: Record<string, string> = {}): void {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = range === null ? 0 : Number(range[1]);
  const end = range === null || range[2] === "" ? content.length : Math.min(content.length, Number(range[2]) + 1);
  if (range !== null && start >= content.length) {
    response.writeHead(416, { "content-range": `bytes */${content.length}` });
    response.end();
    return;
  }
  response.writeHead(range === null ? 200 : 206, {
    "content-length": String(end - start),
    "accept-ranges": "bytes",
    etag: `"${sha256Of(content).slice(0, 32)}"`,
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${content.length}` }),
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : content.subarray(start, end));
}
