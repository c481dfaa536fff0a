import { type PartName, parts } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import type { ShardManifest } from "../../schemas/manifest.ts";
import type { Row } from "../../schemas/row.ts";
import { stepKey } from "../keys.ts";
import { type AnyOutline, writerOf } from "../plan.ts";
import { readOwnRows, readRows } from "../store/rows.ts";
import { runOptions } from "../store/run-folder.ts";
import type { RunContext } from "./context.ts";

/** The input of one record: a row of every part the stage reads, all of one id; `waiting` names a part in which the record failed. */
export interface Joined {
  readonly id: string;
  readonly rows: ReadonlyMap<PartName, Row<unknown>>;
  readonly waiting: PartName | null;
}
interface Reader {
  readonly part: PartName;
  /** Stretches of rows; `here` is the one being read. */
  readonly stretches: AsyncGenerator<Iterable<Row<unknown>>>;
  here: Iterator<Row<unknown>>;
  /** Ids on which the part's stage broke: they have no row there. */
  readonly failed: ReadonlySet<string>;
  head: Row<unknown> | null;
}

/** On to the next row; a promise only where a stretch has ended. */
function advance(reader: Reader): Promise<void> | null {
  const next = reader.here.next();
  if (next.done === true) return nextStretch(reader);
  reader.head = next.value;
  return null;
}

async function nextStretch(reader: Reader): Promise<void> {
  for (;;) {
    const stretch = await reader.stretches.next();
    reader.head = null;
    if (stretch.done === true) return;
    reader.here = stretch.value[Symbol.iterator]();
    const first = reader.here.next();
    if (first.done === true) continue;
    reader.head = first.value;
    return;
  }
}

/** Rows of a part in stretches; those that today's code has written are taken at their digest's word. */
export function partRows(
  { run, settled }: Pick<RunContext, "run" | "settled">,
  part: PartName,
  manifest: ShardManifest,
): AsyncGenerator<Iterable<Row<unknown>>> {
  const { name, step } = writerOf(part);
  const own = manifest.stageKey === stepKey(name, settled).stageKey;
  return own ? readOwnRows(run, step, manifest, parts[part]) : oneByOne(readRows(run, step, manifest, parts[part]));
}

async function* oneByOne(rows: AsyncGenerator<Row<unknown>>): AsyncGenerator<Iterable<Row<unknown>>> {
  for await (const row of rows) yield [row];
}

/** Walks the parts of a shard side by side; all have the same ids in the same order, but for records that failed, or something is stale. */
export async function* joinParts(
  context: Pick<RunContext, "run" | "settled">,
  stage: AnyOutline,
  shard: number,
  manifests: ReadonlyMap<PartName, ShardManifest>,
): AsyncGenerator<Joined> {
  const readers = [...manifests].map(([part, manifest]): Reader => {
    const failed = new Set(manifest.failures.map((failure) => failure.id));
    return { part, stretches: partRows(context, part, manifest), here: [].values(), failed, head: null };
  });
  try {
    for (const reader of readers) await advance(reader);
    for (;;) {
      let id: string | null = null;
      for (const { head } of readers) if (head !== null && (id === null || head.id < id)) id = head.id;
      if (id === null) return;
      const absent = readers.filter((reader) => reader.head?.id !== id);
      const lost = absent.find((reader) => !reader.failed.has(id));
      if (lost !== undefined)
        throw new Fault(
          "ROWS_CORRUPT",
          "stop",
          `${stage.name} shard ${shard}: ${id} has no ${lost.part}; run the earlier stages again: catgen run all ${runOptions(context.run)}`,
        );
      const rows = new Map<PartName, Row<unknown>>();
      for (const reader of readers) {
        if (reader.head?.id !== id) continue;
        rows.set(reader.part, reader.head);
        const waiting = advance(reader);
        if (waiting !== null) await waiting;
      }
      yield { id, rows, waiting: absent[0]?.part ?? null };
    }
  } finally {
    for (const reader of readers) await reader.stretches.return(undefined); // whoever stops early must not leave files open
  }
}
