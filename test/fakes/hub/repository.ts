import { createHash } from "node:crypto";

/** A large file is a pointer to its content, which the store has; a small one is its content. */
export type Blob =
  | { readonly kind: "lfs"; readonly oid: string; readonly size: number }
  | { readonly kind: "plain"; readonly content: Buffer };

export interface Commit {
  readonly oid: string;
  readonly parent: string | null;
  readonly title: string;
  readonly description: string;
  readonly files: ReadonlyMap<string, Blob>;
}

const hex = (algorithm: "sha1" | "sha256", data: string | Buffer): string => createHash(algorithm).update(data).digest("hex");
export const sha256Of = (data: Buffer): string => hex("sha256", data);

const pointerOf = (oid: string, size: number): Buffer =>
  Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`);

/** Git's name for what git itself stores: of a large file, its pointer. */
const gitOid = (blob: Blob): string => {
  const content = blob.kind === "plain" ? blob.content : pointerOf(blob.oid, blob.size);
  return hex("sha1", Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]));
};

/** As the hub writes it into every new dataset, in short. */
const gitAttributes =
  "*.parquet filter=lfs diff=lfs merge=lfs -text\n*.arrow filter=lfs diff=lfs merge=lfs -text\n*.gz filter=lfs diff=lfs merge=lfs -text\n";

const lfsBytes = 10_000_000; // the hub takes no larger file outside LFS

/** A fake of one dataset on the hub: commits, branches and tags, all in memory. */
export class FakeRepository {
  readonly commits = new Map<string, Commit>();
  readonly branches = new Map<string, string>();
  readonly tags = new Map<string, string>();
  isPrivate: boolean;

  constructor(isPrivate: boolean) {
    this.isPrivate = isPrivate;
    this.commit("main", "initial commit", "", new Map([[".gitattributes", { kind: "plain", content: Buffer.from(gitAttributes) }]]));
  }

  commit(branch: string, title: string, description: string, files: ReadonlyMap<string, Blob>): Commit {
    const parent = this.branches.get(branch) ?? null;
    const listing = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, blob]) => `${path} ${gitOid(blob)}`);
    const oid = hex("sha1", JSON.stringify([parent, title, description, listing, this.commits.size]));
    const made = { oid, parent, title, description, files };
    this.commits.set(oid, made);
    this.branches.set(branch, oid);
    return made;
  }

  /** By branch, tag or commit; `HEAD` is main. */
  at(revision: string): Commit | null {
    const name = revision === "HEAD" ? "main" : revision;
    return this.commits.get(this.branches.get(name) ?? this.tags.get(name) ?? name) ?? null;
  }

  /** What the hub decides about a file before it is sent. */
  uploadMode(path: string, size: number): "lfs" | "regular" {
    return size >= lfsBytes || /\.(?:parquet|arrow|gz)$/.test(path) ? "lfs" : "regular";
  }

  /** As the tree endpoint lists it. */
  entries(commit: Commit, folder: string, recursive: boolean): Record<string, unknown>[] {
    const prefix = folder === "" ? "" : `${folder}/`;
    const folders = new Set<string>();
    const files: Record<string, unknown>[] = [];
    for (const [path, blob] of [...commit.files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!path.startsWith(prefix)) continue;
      const inner = path.slice(prefix.length).split("/");
      for (let depth = 1; depth < (recursive ? inner.length : Math.min(inner.length, 2)); depth += 1)
        folders.add(prefix + inner.slice(0, depth).join("/"));
      if (recursive || inner.length === 1) files.push(entryOf(path, blob));
    }
    return [...[...folders].map((path) => ({ type: "directory", oid: hex("sha1", path), size: 0, path })), ...files];
  }
}

export function entryOf(path: string, blob: Blob): Record<string, unknown> {
  const oid = gitOid(blob);
  if (blob.kind === "plain") return { type: "file", oid, size: blob.content.length, path };
  const pointerSize = pointerOf(blob.oid, blob.size).length;
  return { type: "file", oid, size: blob.size, path, lfs: { oid: blob.oid, size: blob.size, pointerSize } };
}
