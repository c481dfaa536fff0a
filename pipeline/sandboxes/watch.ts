import type { SandboxLimits } from "../../stages/lib/sandbox.ts";
import type { Cell } from "./cell.ts";

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** What exceeds its limit now, as the agent is told; null: nothing does. */
export async function excess(cell: Cell, limits: SandboxLimits): Promise<string | null> {
  if ((await cell.writtenBytes(limits.diskBytes)) > limits.diskBytes)
    return `more than ${mebibytes(limits.diskBytes)} written to disk; delete files before you go on`;
  const resident = await cell.residentBytes?.();
  return resident !== undefined && resident > limits.memoryBytes ? `more than ${mebibytes(limits.memoryBytes)} of memory in use` : null;
}

const everyMs = 250;

/** Looks at the limits that no kernel enforces while a command runs, and calls `stop` when one is exceeded. Returns how to end it. */
export function watch(cell: Cell, limits: SandboxLimits, stop: (why: string) => Promise<void>): () => void {
  let timer: NodeJS.Timeout | null = null;
  let over = false;
  const look = async (): Promise<void> => {
    const why = await excess(cell, limits).catch(() => null); // removed under our feet
    if (over) return;
    if (why !== null) return stop(why);
    timer = setTimeout(look, everyMs);
  };
  timer = setTimeout(look, everyMs);
  return () => {
    over = true;
    if (timer !== null) clearTimeout(timer);
  };
}
