import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { FakeHub } from "../../fakes/hub/server.ts";
import type { HubFault, HubRequest } from "../../fakes/hub/world.ts";
import { type OnDisk, onDisk, publishing, smallDataset, startHub } from "./lib.ts";

const hubs: FakeHub[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function hubOf(options: Parameters<typeof startHub>[0] = {}): Promise<FakeHub> {
  const hub = await startHub(options);
  hubs.push(hub);
  return hub;
}

async function dataset(made: Promise<OnDisk> = smallDataset()): Promise<OnDisk> {
  const found = await made;
  folders.push(found.folder);
  return found;
}

const repo = "ada/cat-swe";

/** What arrived is what lies on disk: every file, byte for byte, and no other but the hub's own. */
async function expectArrived(hub: FakeHub, { folder, files }: OnDisk, revision = "main"): Promise<void> {
  for (const { path } of files) expect(hub.content(repo, revision, path)?.equals(await readFile(join(folder, path))), path).toBe(true);
  const there = [...(hub.repositories.get(repo)?.at(revision)?.files.keys() ?? [])].filter((path) => path !== ".gitattributes");
  expect(there.sort()).toEqual(files.map(({ path }) => path).sort());
}

const commitsOf = (hub: FakeHub): number => (hub.repositories.get(repo)?.commits.size ?? 0) - 1; // the hub's own first one aside
const uploadsOf = (hub: FakeHub): readonly HubRequest[] => hub.requests.filter(({ method }) => method === "PUT");

/** The first requests that match go wrong, in this order. */
function first(match: (request: { method: string; path: string; store: boolean }) => boolean, ...faults: HubFault[]) {
  return (request: { method: string; path: string; store: boolean }): HubFault | null => (match(request) ? (faults.shift() ?? null) : null);
}
const upload = ({ method }: { method: string }): boolean => method === "PUT";
const committing = ({ method, path }: { method: string; path: string }): boolean => method === "POST" && path.includes("/commit/");

test("what arrives equals what lies on disk, in a private dataset that was not there before, by one commit", async () => {
  const [hub, small] = [await hubOf(), await dataset()];
  const { done } = await publishing(hub, small);
  await expectArrived(hub, small);
  expect(hub.repositories.get(repo)?.isPrivate).toBe(true);
  expect(commitsOf(hub)).toBe(1);
  expect(done).toMatchObject({ created: true, unchanged: false, removed: [], sentBytes: 501_000 });
  expect(done.commit).toBe(hub.repositories.get(repo)?.branches.get("main"));
});

test("files in parts arrive as they lie on disk, and listings come by page", async () => {
  const [hub, small] = [await hubOf({ partBytes: 70_000, pageEntries: 3 }), await dataset()];
  const { done } = await publishing(hub, small);
  await expectArrived(hub, small);
  expect(uploadsOf(hub).filter(({ path }) => path.startsWith("/parts/"))).toHaveLength(5 + 3);
  expect(done.sentBytes).toBe(501_000);
});

test("more files than one request may name arrive all the same, in one commit", async () => {
  const contents = Object.fromEntries(
    Array.from({ length: 230 }, (_, i) => [`messages/segment/train-${String(i).padStart(5, "0")}-of-00230.parquet`, `rows ${i}`]),
  );
  const [hub, many] = [await hubOf(), await dataset(onDisk({ ...contents, "README.md": "many" }))];
  await publishing(hub, many);
  await expectArrived(hub, many);
  expect(commitsOf(hub)).toBe(1);
});

test("publishing the same again changes nothing, sends nothing and commits nothing", async () => {
  const [hub, small] = [await hubOf(), await dataset()];
  const before = await publishing(hub, small);
  const uploads = uploadsOf(hub).length;
  const { done } = await publishing(hub, small);
  expect(done).toMatchObject({ unchanged: true, created: false, changed: [], commit: before.done.commit, sentBytes: 0 });
  expect(uploadsOf(hub)).toHaveLength(uploads);
  expect(commitsOf(hub)).toBe(1);
});

test("a later publication removes shards of the earlier one in the same commit, and leaves what others put there", async () => {
  const [hub, small] = [await hubOf(), await dataset()];
  const made = hub.make(repo, true);
  made.commit(
    "main",
    "by hand",
    "",
    new Map([...(made.at("main")?.files ?? []), ["notes/mine.txt", { kind: "plain", content: Buffer.from("mine") }]]),
  );
  await publishing(hub, small);
  const fewer = await dataset(onDisk({ "README.md": "# Fewer\n", "messages/segment/train-00000-of-00001.parquet": "one shard" }));
  const { done } = await publishing(hub, fewer);
  expect(done.removed).toEqual([
    "messages/base/train-00000-of-00001.parquet",
    "messages/segment/train-00000-of-00002.parquet",
    "messages/segment/train-00001-of-00002.parquet",
    "stats.json",
  ]);
  expect(hub.content(repo, "main", "notes/mine.txt")?.toString()).toBe("mine");
  expect(hub.content(repo, "main", "messages/segment/train-00000-of-00001.parquet")?.toString()).toBe("one shard");
  expect(hub.content(repo, "main", "stats.json")).toBeNull();
});

describe("the hub breaks off", () => {
  test.each<[string, HubFault]>([
    ["before an upload", { kind: "close" }],
    ["in mid-upload", { kind: "close-after", bytes: 60_000 }],
    ["and says 503", { kind: "status", status: 503 }],
    ["and loses the answer to an upload", { kind: "lost-answer" }],
  ])("%s: the upload is sent again, and what arrives is whole", async (_name, fault) => {
    const [hub, small] = [await hubOf({ fault: first(upload, fault) }), await dataset()];
    const { done, said } = await publishing(hub, small);
    await expectArrived(hub, small);
    expect(said.join("\n")).toMatch(/trying again in 1\.0 s \(attempt 1 of 4\)/);
    expect(done.sentBytes).toBe(501_000); // what has to be sent anew is counted once
    expect(commitsOf(hub)).toBe(1);
  });

  test("by silence: a connection on which nothing moves is given up, and the upload sent again", async () => {
    const [hub, small] = [await hubOf({ fault: first(upload, { kind: "stall" }) }), await dataset()];
    const { said } = await publishing(hub, small, { idleMs: 300 });
    expect(said.join("\n")).toContain("nothing moved for 0.3 s; trying again");
    await expectArrived(hub, small);
  });

  test("for good, in mid-upload: nothing is committed, and the next call sends only what is missing", async () => {
    let down = false;
    let uploads = 0;
    const hub = await hubOf({
      fault: ({ method }) => {
        if (method === "PUT") uploads += 1;
        down ||= uploads > 2;
        return down ? { kind: "close" } : null;
      },
    });
    const small = await dataset();
    await expect(publishing(hub, small)).rejects.toMatchObject({
      code: "HUB_UNREACHABLE",
      message: expect.stringMatching(/nothing is half-published/),
    });
    expect(commitsOf(hub)).toBe(0);
    const stored = new Set(hub.store.blobs.keys());
    expect(stored.size).toBe(2);
    down = false;
    uploads = Number.NEGATIVE_INFINITY;
    const before = uploadsOf(hub).length;
    await publishing(hub, small);
    await expectArrived(hub, small);
    const again = uploadsOf(hub)
      .slice(before)
      .map(({ path }) => path.replace("/blobs/", ""));
    expect(again.filter((oid) => stored.has(oid))).toEqual([]);
    expect(again).toHaveLength(1);
  });

  test("429 with Retry-After: it waits as long as it is told, also by the ratelimit header", async () => {
    const told: HubFault[] = [
      { kind: "status", status: 429, headers: { "retry-after": "37" } },
      { kind: "status", status: 429, headers: { ratelimit: '"api";r=0;t=55' } },
    ];
    const [hub, small] = [await hubOf({ fault: first(committing, ...told) }), await dataset()];
    const { pauses } = await publishing(hub, small);
    expect(pauses).toEqual([37_000, 55_000]);
    await expectArrived(hub, small);
  });

  test("a commit whose answer was lost is not made twice", async () => {
    const [hub, small] = [await hubOf({ fault: first(committing, { kind: "lost-answer" }) }), await dataset()];
    const { done } = await publishing(hub, small);
    expect(commitsOf(hub)).toBe(1);
    expect(done).toMatchObject({ unchanged: false, commit: hub.repositories.get(repo)?.branches.get("main") });
    expect(done.changed).toHaveLength(5);
  });

  test("a dataset whose creation was answered too late counts as there", async () => {
    const [hub, small] = [
      await hubOf({ fault: first(({ path }) => path === "/api/repos/create", { kind: "lost-answer" }) }),
      await dataset(),
    ];
    await publishing(hub, small);
    await expectArrived(hub, small);
  });

  test("500 for ever ends in a fault that says to come again, after all attempts", async () => {
    const [hub, small] = [
      await hubOf({ fault: (request) => (committing(request) ? { kind: "status", status: 500, error: "oops" } : null) }),
      await dataset(),
    ];
    await expect(publishing(hub, small)).rejects.toMatchObject({
      code: "HUB_UNREACHABLE",
      message: expect.stringMatching(/answered 500 too often.*oops/),
    });
    expect(hub.requests.filter(committing)).toHaveLength(4);
  });
});

describe("somebody else writes there", () => {
  test("the branch moves before the commit: it looks again, and both commits stay", async () => {
    const small = await dataset();
    let moved = false;
    const hub: FakeHub = await hubOf({
      fault: (request) => {
        if (!committing(request) || moved) return null;
        moved = true;
        const made = hub.repositories.get(repo);
        made?.commit(
          "main",
          "a colleague's",
          "",
          new Map([...(made.at("main")?.files ?? []), ["notes.txt", { kind: "plain", content: Buffer.from("x") }]]),
        );
        return null;
      },
    });
    const { said } = await publishing(hub, small);
    expect(said.join("\n")).toContain("the branch has moved; looking again");
    expect(hub.content(repo, "main", "notes.txt")?.toString()).toBe("x");
    expect(hub.content(repo, "main", "README.md")?.toString()).toBe("# A dataset 1\n");
    expect(uploadsOf(hub)).toHaveLength(3);
  });

  test("the branch moves every time: it gives up with a fault", async () => {
    const [hub, small] = [
      await hubOf({ fault: (request) => (committing(request) ? { kind: "status", status: 412 } : null) }),
      await dataset(),
    ];
    await expect(publishing(hub, small)).rejects.toMatchObject({ code: "HUB_UNREACHABLE", message: expect.stringMatching(/8 times over/) });
  });

  test("addresses of the store that ran out are asked for anew", async () => {
    let expired = false;
    const hub: FakeHub = await hubOf({
      fault: ({ method }) => {
        if (method === "PUT" && !expired) {
          expired = true;
          hub.store.expireAddresses();
        }
        return null;
      },
    });
    const small = await dataset();
    const { said } = await publishing(hub, small);
    expect(said.join("\n")).toMatch(/the store answered with status 403/);
    await expectArrived(hub, small);
  });
});

describe("rights", () => {
  test.each([
    ["a token the hub does not know", "hf_unknown", /401.*Invalid credentials.*set HF_TOKEN/],
    ["a token that may only read", "hf_mayOnlyRead", /may only read/],
    ["a token of somebody else", "hf_ofAnother", /403.*rights to create a dataset under the namespace "ada"/],
  ])("%s is told before anything is sent", async (_name, given, message) => {
    const [hub, small] = [await hubOf(), await dataset()];
    await expect(publishing(hub, small, { token: given })).rejects.toMatchObject({
      code: "HUB_AUTH",
      message: expect.stringMatching(message),
    });
    expect(uploadsOf(hub)).toEqual([]);
    expect(hub.repositories.size).toBe(0);
  });

  test("neither the token nor a signed address is in a message", async () => {
    const fault = (request: { method: string }): HubFault | null =>
      upload(request)
        ? { kind: "status", status: 400, error: "bad hf_fakeTokenOfTheTests at http://127.0.0.1/blobs/1?X-Amz-Signature=signed-0" }
        : null;
    const [hub, small] = [await hubOf({ fault }), await dataset()];
    const failed = await publishing(hub, small).catch((error: Error) => error.message);
    expect(failed).toMatch(/400/);
    expect(failed).not.toMatch(/hf_fakeToken|Signature/);
  });

  test("a dataset that is there and public is not written to unasked", async () => {
    const [hub, small] = [await hubOf(), await dataset()];
    hub.make(repo, false);
    await expect(publishing(hub, small)).rejects.toMatchObject({
      code: "HUB_REFUSED",
      message: expect.stringMatching(/public.*say --public/),
    });
    await publishing(hub, small, { private: false });
    await expectArrived(hub, small);
  });

  test("a dataset that is there and private is not made public by --public", async () => {
    const [hub, small] = [await hubOf(), await dataset()];
    hub.make(repo, true);
    await expect(publishing(hub, small, { private: false })).rejects.toMatchObject({
      code: "HUB_REFUSED",
      message: expect.stringMatching(/is there and private/),
    });
  });
});

describe("branches and tags", () => {
  test("a branch that is not there is made from main, and main stays as it was", async () => {
    const [hub, small] = [await hubOf(), await dataset()];
    await publishing(hub, small, { branch: "next" });
    await expectArrived(hub, small, "next");
    expect([...(hub.repositories.get(repo)?.at("main")?.files.keys() ?? [])]).toEqual([".gitattributes"]);
  });

  test("a tag names the commit; the same again is fine, and another dataset may not take it", async () => {
    const [hub, small] = [await hubOf(), await dataset()];
    const { done } = await publishing(hub, small, { tag: "v1.0" });
    expect(hub.repositories.get(repo)?.tags.get("v1.0")).toBe(done.commit);
    expect((await publishing(hub, small, { tag: "v1.0" })).done.unchanged).toBe(true);
    const other = await dataset(smallDataset(7));
    await expect(publishing(hub, other, { tag: "v1.0" })).rejects.toMatchObject({
      code: "HUB_REFUSED",
      message: expect.stringMatching(/never moved/),
    });
    expect(commitsOf(hub)).toBe(1); // the tag was looked at before anything was sent
    await publishing(hub, other, { tag: "v1.1" });
    await expectArrived(hub, small, "v1.0");
    await expectArrived(hub, other, "v1.1");
  });

  test("a call that ended between commit and tag is gone on with by the next", async () => {
    const refused: HubFault = { kind: "status", status: 400 };
    const [hub, small] = [await hubOf({ fault: first(({ path }) => path.includes("/tag/"), refused) }), await dataset()];
    await expect(publishing(hub, small, { tag: "v1" })).rejects.toMatchObject({ code: "HUB_REFUSED" });
    const { done } = await publishing(hub, small, { tag: "v1" });
    expect(done.unchanged).toBe(true);
    expect(hub.repositories.get(repo)?.tags.get("v1")).toBe(done.commit);
  });
});
