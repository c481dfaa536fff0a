import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits } from "../../stages/lib/sandbox.ts";
import { bashScript, run } from "./inmate.ts";
import { isOrphan } from "./scratch.ts";

/** What the kernel bounds for all processes of a sandbox together. */
export interface ControlGroup {
  /** Files into which a process writes its id to join; one per hierarchy. */
  readonly entrances: readonly string[];
  /** Where not, somebody has to watch. */
  readonly boundsMemory: boolean;
  remove(): Promise<void>;
}

interface Place {
  /** Folder of the group in which ours is made. */
  readonly folder: string;
  readonly controllers: readonly ("memory" | "pids")[];
  readonly memoryFile: string;
}

/**
 * Groups in which ours could be made: the one we are in, and (version 2) the one above it, because there a group with processes of
 * its own can hand down no controller. Version 1 has a hierarchy per controller, version 2 one for all.
 */
export async function placesOf(root: string, membership: string): Promise<Place[]> {
  const places: Place[] = [];
  for (const line of membership.trim().split("\n")) {
    const [, names = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    for (const controller of ["memory", "pids"] as const)
      if (names.split(",").includes(controller))
        places.push({ folder: resolve(root, controller, `.${path}`), controllers: [controller], memoryFile: "memory.limit_in_bytes" });
    if (names !== "") continue;
    for (const folder of [resolve(root, `.${path}`), resolve(root, `.${dirname(path)}`)]) {
      const handed = (await readFile(join(folder, "cgroup.subtree_control"), "utf8").catch(() => "")).trim().split(/\s+/);
      const controllers = (["memory", "pids"] as const).filter((name) => handed.includes(name));
      if (controllers.length > 0) places.push({ folder, controllers, memoryFile: "memory.max" });
    }
  }
  return places;
}

async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      return await rmdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") return; // gone, or never ours
      await sleep(10); // the kernel counts a dead process a little longer
    }
  }
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (await isOrphan(name)) await removeGroup(join(folder, name));
}

/** For bash: joins the groups whose entrances stand before `--`, then becomes the program behind it. */
export const joinGroups = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"';

/** Makes a group in each place where this user may. */
export async function openControlGroup(
  name: string,
  limits: Pick<SandboxLimits, "memoryBytes" | "processes">,
  root = "/sys/fs/cgroup",
  membershipFile = "/proc/self/cgroup",
): Promise<ControlGroup> {
  const made: string[] = [];
  const bound = new Set<"memory" | "pids">();
  for (const place of await placesOf(root, await readFile(membershipFile, "utf8").catch(() => ""))) {
    if (place.controllers.every((controller) => bound.has(controller))) continue;
    const folder = join(place.folder, name);
    try {
      await sweep(place.folder);
      await mkdir(folder);
      made.push(folder);
      if (place.controllers.includes("memory")) await writeFile(join(folder, place.memoryFile), String(limits.memoryBytes), { flag: "r+" });
      if (place.controllers.includes("pids")) await writeFile(join(folder, "pids.max"), String(limits.processes), { flag: "r+" });
      if (existsSync(join(folder, "memory.swap.max"))) await writeFile(join(folder, "memory.swap.max"), "0", { flag: "r+" });
      const [bash = "", ...script] = bashScript(joinGroups, join(folder, "cgroup.procs"), "--", "true");
      await run(bash, script); // a group may be ours and closed to our processes
      for (const controller of place.controllers) bound.add(controller);
    } catch {
      if (made.at(-1) === folder) await removeGroup(made.pop() ?? ""); // read-only, not ours, or no such controller here
    }
  }
  return {
    entrances: made.map((folder) => join(folder, "cgroup.procs")),
    boundsMemory: bound.has("memory"),
    remove: async () => {
      for (const folder of made) await removeGroup(folder);
    },
  };
}
