import { type Bundle, type PartName, parts } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import type { ShardManifest } from "../../schemas/manifest.ts";
import type { Row } from "../../schemas/row.ts";
import { stepTable, writerOf } from "../plan.ts";
import { readManifest } from "../store/manifests.ts";
import { readRows, shardOf } from "../store/rows.ts";
import type { RunFolder } from "../store/run-folder.ts";
import type { RunContext } from "./context.ts";
import { partRows } from "./join-parts.ts";

/** All that is stored about one trajectory: its row of every part, null where a stage has not run. */
export type StoredBundle = { readonly id: string } & { readonly [K in PartName]: Row<Bundle[K]> | null };

const allParts = Object.keys(parts) as PartName[];
type RowsOf = (part: PartName, manifest: ShardManifest) => AsyncGenerator<Row<unknown>>;

const strictly =
  (run: RunFolder): RowsOf =>
  (part, manifest) =>
    readRows(run, writerOf(part).step, manifest, parts[part]);

const asKnown = (context: Pick<RunContext, "run" | "settled">): RowsOf =>
  async function* rows(part, manifest) {
    for await (const stretch of partRows(context, part, manifest)) yield* stretch;
  };

/** Every part of a shard, side by side in order of id; a part whose stage has not run is null. One record in memory at a time. */
export async function* readBundles(
  run: RunFolder,
  shard: number,
  wanted: readonly PartName[] = allParts,
  rowsOf: RowsOf = strictly(run),
): AsyncGenerator<StoredBundle> {
  const readers: { part: PartName; rows: AsyncGenerator<Row<unknown>>; head: Row<unknown> | null }[] = [];
  for (const { step, writes } of stepTable) {
    if (writes === null || !wanted.includes(writes)) continue;
    const manifest = await readManifest(run, step, shard);
    if (manifest === null) continue;
    const rows = rowsOf(writes, manifest);
    const first = await rows.next();
    readers.push({ part: writes, rows, head: first.done === true ? null : first.value });
  }
  try {
    for (;;) {
      const ids = readers.flatMap((reader) => (reader.head === null ? [] : [reader.head.id])).sort();
      const [id] = ids;
      if (id === undefined) return;
      const bundle: Record<string, unknown> = { id };
      for (const part of Object.keys(parts)) bundle[part] = null;
      for (const reader of readers) {
        if (reader.head?.id !== id) continue;
        bundle[reader.part] = reader.head;
        const next = await reader.rows.next();
        reader.head = next.done === true ? null : next.value;
      }
      yield bundle as StoredBundle;
    }
  } finally {
    for (const reader of readers) await reader.rows.return(undefined); // whoever stops early must not leave files open
  }
}

/** All bundles of a run, shard by shard. */
export async function* readAllBundles(run: RunFolder, wanted?: readonly PartName[]): AsyncGenerator<StoredBundle> {
  for (let shard = 0; shard < run.shards; shard += 1) yield* readBundles(run, shard, wanted);
}

/** The same where the steps are known to be fresh, which spares parsing their rows strictly. */
export async function* readFreshBundles(
  context: Pick<RunContext, "run" | "settled">,
  wanted?: readonly PartName[],
): AsyncGenerator<StoredBundle> {
  for (let shard = 0; shard < context.run.shards; shard += 1) yield* readBundles(context.run, shard, wanted, asKnown(context));
}

/** The bundle of one trajectory; `wanted` may be a whole id or any part of one that names it alone. */
export async function findBundle(run: RunFolder, wanted: string): Promise<StoredBundle> {
  const near: string[] = [];
  for await (const bundle of readBundles(run, shardOf(wanted, run.shards))) if (bundle.id === wanted) return bundle;
  for await (const { id } of readAllBundles(run, ["trajectory"])) if (id.includes(wanted)) near.push(id);
  const [only] = near;
  if (only !== undefined && near.length === 1) return findBundle(run, only);
  if (near.length > 1)
    throw new Fault(
      "USAGE",
      "stop",
      `${near.length} trajectories match ${JSON.stringify(wanted)}: ${near.slice(0, 8).join(", ")}${near.length > 8 ? ", ..." : ""}; give more of the id`,
    );
  throw new Fault(
    "USAGE",
    "stop",
    `no trajectory of run ${run.name} has ${JSON.stringify(wanted)} in its id; \`catgen show --list --run ${run.name}\` lists them`,
  );
}
