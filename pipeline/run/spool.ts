import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Trajectory, Trajectory as TrajectorySchema } from "../../schemas/trajectory.ts";
import { asIoFault, temporaryName } from "../store/atomic.ts";
import { crashPoint } from "../store/crash-point.ts";

interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Trajectories just read, on disk until their shards are written; only their places are held in memory. */
export interface Spool {
  has(id: string): boolean;
  put(trajectory: Trajectory): Promise<void>;
  get(id: string): Promise<Trajectory | null>;
  remove(): Promise<void>;
}

export async function openSpool(folder: string): Promise<Spool> {
  const path = temporaryName(join(folder, "import"));
  const places = new Map<string, Place>();
  let end = 0;
  let handle: FileHandle;
  try {
    await mkdir(folder, { recursive: true });
    handle = await open(path, "ax+");
  } catch (error) {
    throw asIoFault(error, `writing ${path}`);
  }
  return {
    has: (id) => places.has(id),
    put: async (trajectory) => {
      const bytes = Buffer.from(JSON.stringify(trajectory));
      // Not `write`, which may stop short on a full disk and say nothing. Appends: the file is this spool's alone.
      await handle.appendFile(bytes).catch((error: unknown) => {
        throw asIoFault(error, `writing ${path}`);
      });
      places.set(trajectory.id, { offset: end, length: bytes.length });
      end += bytes.length;
      crashPoint("spool-append");
    },
    get: async (id) => {
      const place = places.get(id);
      if (place === undefined) return null;
      const bytes = Buffer.allocUnsafe(place.length);
      await handle.read(bytes, 0, place.length, place.offset);
      return TrajectorySchema.parse(JSON.parse(bytes.toString("utf8")));
    },
    remove: async () => {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}
