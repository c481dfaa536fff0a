import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Completion, Reply } from "../../schemas/completion.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import type { RolloutOpening } from "../../schemas/rollout.ts";
import type { LeftOut } from "../../schemas/rollouts.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import { idPart } from "../../stages/generate/identity.ts";
import { wireStyleOf } from "../../stages/generate/rollout/messages.ts";
import { openingOf } from "../../stages/generate/rollout/opening.ts";
import { contextPolicies } from "../../stages/generate/rollout/policies/index.ts";
import { type EvaluationList, evaluationHit } from "../../stages/lib/decontamination.ts";
import { requestVersion } from "../../stages/lib/request-version.ts";
import { scrubVersion } from "../../stages/lib/secrets/scrub-version.ts";
import type { Settled } from "../keys.ts";
import { asIoFault } from "../store/atomic.ts";
import { digestOf } from "../store/digest.ts";
import { readTasks } from "../tasks/read.ts";
import { type Agent, agentFor } from "./agent.ts";

/** Bump when an equal task, recipe and model would give another run. */
const rolloutVersion = 2;

/** One live run that tasks and recipe ask for. */
export interface WantedRollout {
  readonly task: TaskInstance;
  readonly sample: number;
  readonly agent: Agent;
  readonly opening: RolloutOpening;
  readonly key: string;
  /** Of its files: instance, sample and the beginning of the key. */
  readonly name: string;
}

export interface WantedTask {
  readonly kind: "task";
  readonly file: string;
  readonly record: number | null;
  /** Programs without which its tree is of no use. */
  readonly needs: readonly string[];
  readonly rollouts: readonly WantedRollout[];
}

export type TaskNews = WantedTask | ({ readonly kind: "left-out" } & LeftOut);

/** Content of a tree: names, links, bytes and what may be executed, of everything but `.git`. */
async function treeDigest(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const walk = async (place: string, shown: string): Promise<void> => {
    const entries = await readdir(place, { withFileTypes: true }).catch((error: unknown) => {
      throw asIoFault(error, `reading the tree ${place}`);
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === ".git") continue;
      const [path, name] = [join(place, entry.name), `${shown}/${entry.name}`];
      if (entry.isDirectory()) await walk(path, name);
      else if (entry.isSymbolicLink()) hash.update(`${name}\0link\0${await readlink(path)}\0`);
      else if (entry.isFile()) {
        const { mode, size } = await stat(path);
        hash.update(`${name}\0${(mode & 0o111) === 0 ? "file" : "program"}\0${size}\0`);
        for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      }
    }
  };
  await walk(folder, "");
  return hash.digest("hex");
}

/** Everything that decides a run; where a tree lies, and how many runs go on at once, is not in it. */
function keyOf(settled: Settled, task: TaskInstance, tree: string | null, agent: Agent, opening: RolloutOpening, sample: number): string {
  const { window, persona, generate } = settled.recipe;
  const { policy, maxSteps, maxTokens, maxCost, maxMinutes, maxIdleTurns, commandSeconds, observationChars, editorMegabytes, verify } =
    generate.rollout;
  return digestOf({
    version: rolloutVersion,
    task: tree === null ? task : { ...task, environment: { kind: "tree", digest: tree } },
    opening,
    callStyle: wireStyleOf(persona),
    escapes: persona.controlTokens === "escape",
    scrub: { ...generate.scrub, version: scrubVersion },
    window: { tokens: window.tokens, replyTokens: window.replyTokens },
    ...(policy === "none" ? {} : { context: contextKey(settled.recipe) }),
    limits: { maxSteps, maxTokens, maxCost, maxMinutes, maxIdleTurns, commandSeconds, observationChars, editorMegabytes },
    policy,
    verify,
    agent: agent.shape,
    sample,
  });
}

/** What shapes the answers to the agent's own context calls. */
const contextKey = ({ window, persona, condense }: Recipe) => ({
  keepSteps: window.keepSteps,
  callStyle: persona.callStyle,
  memory: { base: condense.memoryBaseTokens, share: condense.memoryShare, cap: condense.memoryCapTokens },
  requestVersion,
});

export interface WantedOptions {
  readonly settled: Settled;
  readonly lists: readonly EvaluationList[];
  complete(request: Completion): Promise<Reply>;
}

/** Tasks of the given paths with the runs they ask for, in a stable order; or why a task is left out. */
export async function* wantedRollouts(paths: readonly string[], { settled, lists, complete }: WantedOptions): AsyncGenerator<TaskNews> {
  const { rollout, maxRecordMegabytes } = settled.recipe.generate;
  const trees = new Map<string, string>();
  for await (const event of readTasks(paths, { maxRecordBytes: maxRecordMegabytes * 1e6 })) {
    const { file, record } = event;
    const leftOut = (why: string): TaskNews => ({ kind: "left-out", file, record, why });
    if (!event.ok) {
      yield leftOut(event.why);
      continue;
    }
    const { task, needs } = event;
    const hit = rollout.allowEvaluationTasks ? null : evaluationHit(task, lists);
    if (hit !== null) {
      yield leftOut(
        `${task.instance} belongs to an evaluation set (its ${hit.by} is in ${hit.list}); to evaluate, allow generate.rollout.allowEvaluationTasks`,
      );
      continue;
    }
    const agent = await agentFor(settled, file, complete);
    if ("why" in agent) {
      yield leftOut(agent.why);
      continue;
    }
    const { environment } = task;
    let tree: string | null = null;
    if (environment.kind === "tree") {
      tree = trees.get(environment.folder) ?? (await treeDigest(environment.folder));
      trees.set(environment.folder, tree);
    }
    const opening = openingOf(task, settled.recipe.persona, contextPolicies[rollout.policy]);
    yield {
      kind: "task",
      file,
      record,
      needs,
      rollouts: Array.from({ length: rollout.samples }, (_, sample) => {
        const key = keyOf(settled, task, tree, agent, opening, sample);
        return { task, sample, agent, opening, key, name: `${idPart(task.instance).slice(0, 120)}.${sample}.${key.slice(0, 12)}` };
      }),
    };
  }
}
