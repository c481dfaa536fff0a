import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openHub } from "../../../pipeline/adapters/hub.ts";
import { silentProgress } from "../../../pipeline/progress.ts";
import { publishDataset } from "../../../pipeline/publish/publish-dataset.ts";
import { retryingFetch } from "../../../pipeline/publish/retrying-fetch.ts";
import type { PublishFile } from "../../../schemas/publish.ts";
import { sha256Of } from "../../fakes/hub/repository.ts";
import { type FakeHub, startFakeHub } from "../../fakes/hub/server.ts";
import type { FakeHubOptions } from "../../fakes/hub/world.ts";

export const token = "hf_fakeTokenOfTheTests";
export const accounts: NonNullable<FakeHubOptions["accounts"]> = {
  [token]: { name: "ada", role: "write", writes: ["ada", "lab"] },
  hf_mayOnlyRead: { name: "ada", role: "read", writes: ["ada"] },
  hf_ofAnother: { name: "eve", role: "write", writes: ["eve"] },
};

export interface OnDisk {
  readonly folder: string;
  readonly files: readonly PublishFile[];
}

/** Bytes that no compression and no chance repeats. */
export const noise = (bytes: number, seed: number): Buffer => {
  const made = Buffer.alloc(bytes);
  let state = seed * 2_654_435_761 + 1;
  for (let index = 0; index < bytes; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    made[index] = state >>> 16;
  }
  return made;
};

export async function onDisk(contents: Readonly<Record<string, string | Buffer>>): Promise<OnDisk> {
  const folder = await mkdtemp(join(tmpdir(), "catgen-publish-"));
  const files: PublishFile[] = [];
  for (const [path, content] of Object.entries(contents)) {
    const bytes = Buffer.from(content);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
    files.push({ path, bytes: bytes.length, sha256: sha256Of(bytes) });
  }
  return { folder, files };
}

export const smallDataset = (seed = 1) =>
  onDisk({
    "README.md": `# A dataset ${seed}\n`,
    "stats.json": "{}\n",
    "messages/segment/train-00000-of-00002.parquet": noise(300_000, seed),
    "messages/segment/train-00001-of-00002.parquet": noise(200_000, seed + 1),
    "messages/base/train-00000-of-00001.parquet": noise(1_000, seed + 2),
  });

export interface Publishing {
  readonly repo?: string;
  readonly branch?: string;
  readonly tag?: string | null;
  readonly private?: boolean;
  readonly token?: string;
  readonly attempts?: number;
  readonly idleMs?: number;
  readonly description?: string;
}

/** Publishes to a fake hub without ever sleeping; the pauses that were asked for are kept. */
export async function publishing(hub: FakeHub, dataset: OnDisk, options: Publishing = {}) {
  const pauses: number[] = [];
  const said: string[] = [];
  let sent = 0;
  const { signal } = new AbortController();
  const world = { now: () => 0, random: () => 1, sleep: async (ms: number) => void pauses.push(ms) };
  const ask = retryingFetch({
    world,
    signal,
    onBytes: (bytes) => {
      sent += bytes;
    },
    say: (line) => void said.push(line),
    attempts: options.attempts ?? 4,
    idleMs: options.idleMs ?? 60_000,
  });
  const done = publishDataset({
    hub: openHub({ address: hub.address, token: options.token ?? token, fetch: ask, signal }),
    repo: options.repo ?? "ada/cat-swe",
    branch: options.branch ?? "main",
    tag: options.tag ?? null,
    private: options.private ?? true,
    folder: dataset.folder,
    files: dataset.files,
    title: "a dataset",
    description: options.description ?? "",
    progress: { ...silentProgress, say: (line) => void said.push(line) },
    sentBytes: () => sent,
  });
  return { done: await done, pauses, said };
}

export const startHub = (options: Omit<FakeHubOptions, "accounts"> = {}): Promise<FakeHub> => startFakeHub({ accounts, ...options });
