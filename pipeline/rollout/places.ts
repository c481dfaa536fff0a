import { fileURLToPath } from "node:url";
import { Fault } from "../../schemas/fault.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import type { SandboxLimits } from "../../stages/lib/sandbox.ts";
import { shellQuoted } from "../../stages/lib/shell-quote.ts";
import type { Settled } from "../keys.ts";
import type { RunContext } from "../run/context.ts";
import { chooseSandbox } from "../sandboxes/choose.ts";
import { sandboxKinds } from "../sandboxes/index.ts";
import type { SandboxKind } from "../sandboxes/kind.ts";
import { agentKind } from "./agent.ts";

/** Where tasks can be worked on, on this machine. */
export interface Places {
  /** Throws SANDBOX_MISSING where there is none. */
  kindFor(task: TaskInstance): Promise<SandboxKind>;
  /** Why this machine cannot work on the task; null: it can. */
  lacks(task: TaskInstance, needs: readonly string[]): Promise<string | null>;
  /** What stood in the way of the first task that found no sandbox. */
  missing(): Fault | null;
}

const shippedTrees = fileURLToPath(new URL("../../data/demo/projects/", import.meta.url));

/** The demo with its scripted agents: tree, commands and tests are all files of this very package. */
const isOurs = ({ environment }: TaskInstance, settled: Settled): boolean =>
  environment.kind === "tree" && environment.folder.startsWith(shippedTrees) && agentKind(settled) === "scripted";

/** Containers for tasks with images, a sandbox over the host's programs for trees; probed once each, when first needed. */
function kindChooser({ settled, progress }: Pick<RunContext, "settled" | "progress">): Places["kindFor"] {
  const { kind } = settled.recipe.generate.rollout.sandbox;
  const chosen = new Map<string, Promise<SandboxKind>>();
  const choose = async (task: TaskInstance, ours: boolean): Promise<SandboxKind> => {
    try {
      return await chooseSandbox({ kind, image: task.environment.kind === "image", warn: (text) => progress.say(`warning: ${text}`) });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "SANDBOX_MISSING" || kind !== "auto" || !ours) throw error;
      progress.say(
        "note: no sandbox works here, so the demo runs without one: every command is in data/demo/tasks (for others' tasks install bubblewrap)",
      );
      return sandboxKinds.none;
    }
  };
  return (task) => {
    const ours = isOurs(task, settled); // where nothing confines, only these may run: the answer of one must not serve another
    const key = `${task.environment.kind} ${ours}`;
    const known = chosen.get(key) ?? choose(task, ours);
    chosen.set(key, known);
    return known;
  };
}

/** Enough for `--version` of an interpreter. */
const trialLimits: SandboxLimits = { memoryBytes: 2 ** 31, processes: 256, fileBytes: 2 ** 20, diskBytes: 2 ** 24, cpuSeconds: 60 };

/** The host's PATH does not tell: a sandbox shows less of it, and a shim in some user's folder may lead nowhere. 126 and 127 are the shell's. */
async function runs(kind: SandboxKind, program: string): Promise<boolean> {
  const sandbox = await kind.open({ image: null, workdir: "/workspace", tree: null, limits: trialLimits });
  const name = shellQuoted(program);
  const script = `command -v ${name} >/dev/null && { ${name} --version </dev/null >/dev/null 2>&1; [ $? -lt 126 ]; }`;
  try {
    return (await sandbox.exec(script, { timeoutMs: 30_000, outputBytes: 1_000 })).exitCode === 0;
  } finally {
    await sandbox.destroy();
  }
}

export function openPlaces(context: Pick<RunContext, "settled" | "progress">): Places {
  const kindFor = kindChooser(context);
  const known = new Map<string, Promise<boolean>>();
  let fault: Fault | null = null;
  return {
    kindFor,
    missing: () => fault,
    lacks: async (task, needs) => {
      let kind: SandboxKind;
      try {
        kind = await kindFor(task);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "SANDBOX_MISSING") throw error;
        fault ??= error;
        return error.message;
      }
      if (task.environment.kind === "image") return null; // brings its programs along
      const missing: string[] = [];
      for (const program of needs) {
        const key = `${kind.name} ${program}`;
        const found = known.get(key) ?? runs(kind, program);
        known.set(key, found);
        if (!(await found)) missing.push(program);
      }
      return missing.length === 0 ? null : `it needs ${missing.join(", ")}, which cannot be run in the sandbox (${kind.name})`;
    },
  };
}
