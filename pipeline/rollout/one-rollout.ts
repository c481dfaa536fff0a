import type { ChatMessage } from "../../schemas/completion.ts";
import { Fault } from "../../schemas/fault.ts";
import type { Rollout, RolloutEnd, RolloutOpening, RolloutTurn } from "../../schemas/rollout.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import type { Mark } from "../../schemas/trajectory.ts";
import type { Verification } from "../../schemas/verification.ts";
import { cleanMessage, wireStyleOf } from "../../stages/generate/rollout/messages.ts";
import { contextPolicies } from "../../stages/generate/rollout/policies/index.ts";
import { rollOut } from "../../stages/generate/rollout/roll-out.ts";
import { checkTask, type VerifierWorld, verify } from "../../stages/generate/verify.ts";
import { contextCall } from "../../stages/lib/personas/persona.ts";
import type { Sandbox, SandboxSpec } from "../../stages/lib/sandbox.ts";
import { scrub } from "../../stages/lib/secrets/scrub.ts";
import { createScrubber } from "../../stages/lib/secrets/scrubber.ts";
import { shellQuoted } from "../../stages/lib/shell-quote.ts";
import type { Settled } from "../keys.ts";
import { costOf } from "../llm/budget.ts";
import type { SandboxKind } from "../sandboxes/kind.ts";
import { scrubOptions } from "../secrets/own.ts";
import { digestOf, sha256 } from "../store/digest.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { openNotes, writeRecord } from "./records.ts";
import type { WantedRollout } from "./wanted.ts";

/** What all runs of one invocation share. */
export interface RolloutWorld {
  readonly run: RunFolder;
  readonly settled: Settled;
  readonly kind: SandboxKind;
  readonly signal: AbortSignal;
  countTokens(text: string): number;
  /** After every turn, for the eyes. */
  onTurn(turn: RolloutTurn): void;
}

const megabyte = 1 << 20;

function specOf(task: TaskInstance, { settled }: RolloutWorld): SandboxSpec {
  const { memoryMegabytes, processes, fileMegabytes, diskMegabytes, cpuSeconds } = settled.recipe.generate.rollout.sandbox;
  const { environment, workdir } = task;
  return {
    image: environment.kind === "image" ? environment.image : null,
    workdir,
    tree: environment.kind === "tree" ? { folder: environment.folder } : null,
    limits: {
      memoryBytes: memoryMegabytes * megabyte,
      processes,
      fileBytes: fileMegabytes * megabyte,
      diskBytes: diskMegabytes * megabyte,
      cpuSeconds,
    },
  };
}

/** What preparing changed becomes part of the one commit; what was there before must not be found in the repository's attic. */
const reseal = `command -v git >/dev/null && [ -e .git ] || exit 0
export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
git -c core.hooksPath=/dev/null add -A && git -c core.hooksPath=/dev/null -c commit.gpgsign=false commit -q --amend --allow-empty --no-verify --no-edit --date='2000-01-01T00:00:00Z' &&
rm -rf .git/logs .git/ORIG_HEAD && git prune --expire=now`;

const preparing = { timeoutMs: 600_000, outputBytes: 8_000 };

/** Images of the SWE-bench family keep the repository's packages in a conda environment, which the agent's own shell must have on. */
const enter = "[ ! -f /opt/miniconda3/bin/activate ] || { . /opt/miniconda3/bin/activate && conda activate testbed; }";

/** A sandbox in the state in which an agent finds the task. */
async function openTask(task: TaskInstance, world: RolloutWorld): Promise<Sandbox> {
  const sandbox = await world.kind.open(specOf(task, world));
  if (task.environment.kind === "image") await sandbox.exec(enter, preparing);
  if (task.prepare === null) return sandbox;
  for (const script of [task.prepare, reseal]) {
    const { exitCode, output } = await sandbox.exec(
      `command bash -c ${shellQuoted(`cd ${shellQuoted(task.workdir)} || exit\n${script}`)}`,
      preparing,
    );
    if (exitCode === 0) continue;
    await sandbox.destroy();
    throw new Fault(
      "TASK_INVALID",
      "skip",
      `${task.source}/${task.instance} could not be prepared (exit code ${exitCode}): ${JSON.stringify(output.slice(-300))}`,
    );
  }
  return sandbox;
}

const verifierWorld = (task: TaskInstance, world: RolloutWorld): VerifierWorld => ({
  openFresh: () => openTask(task, world),
  digest: sha256,
});

/** Throws `TASK_INVALID` when the task is none: its tests cannot be read, or pass before anything was done. */
export async function requireTask(task: TaskInstance, world: RolloutWorld): Promise<void> {
  const checked = await checkTask(task, verifierWorld(task, world));
  if (!checked.ok) throw new Fault("TASK_INVALID", "skip", `${task.source}/${task.instance} is no task: ${checked.why}`);
}

interface Ran {
  readonly opening: RolloutOpening;
  readonly issue: string;
  readonly turns: readonly RolloutTurn[];
  readonly end: RolloutEnd;
  readonly diverged: boolean;
}

async function ranIn(sandbox: Sandbox, wanted: WantedRollout, world: RolloutWorld): Promise<Ran> {
  const { recipe, endpoint } = world.settled;
  const { rollout } = recipe.generate;
  const notes = await openNotes(world.run, wanted.name);
  const scrubbing = scrubOptions(recipe.generate.scrub, endpoint.apiKey);
  const scrubber = createScrubber(scrubbing);
  const { system, prompt, tools } = wanted.opening;
  const opening = { system: scrubber.text(system), prompt: scrubber.text(prompt), tools: tools.map(scrubber.json) };
  const issue = scrubber.text(wanted.task.issue);
  const policy = contextPolicies[rollout.policy];
  const { countTokens } = world;
  // A policy with a context tool writes by the samples' renderer, which has cleaned what is data and left its own tags.
  const clean = (message: ChatMessage): ChatMessage => (policy.offersContext ? message : cleanMessage(message, recipe.persona));
  let diverged = false;
  const { turns, end } = await rollOut(
    {
      label: `rollout:${wanted.task.instance}:${wanted.sample}`,
      conversation: policy.open({
        opening,
        persona: recipe.persona,
        keepSteps: recipe.window.keepSteps,
        memory: recipe.condense,
        countTokens,
      }),
      workdir: wanted.task.workdir,
      sample: wanted.sample,
      temperature: rollout.temperature,
      windowTokens: recipe.window.tokens,
      replyTokens: recipe.window.replyTokens,
      limits: rollout,
      toolLimits: {
        commandTimeoutMs: rollout.commandSeconds * 1_000,
        observationChars: rollout.observationChars,
        fileBytes: rollout.editorMegabytes * megabyte,
      },
    },
    sandbox,
    {
      complete: (asked) => wanted.agent.complete({ ...asked, messages: asked.messages.map(clean) }),
      countTokens: world.countTokens,
      shown: scrubber.text,
      meant: scrubber.restoreJson,
      now: () => performance.now(),
      costOf: (tokensIn, tokensOut) => costOf(endpoint, tokensIn, tokensOut)?.amount ?? 0,
      onTurn: async (turn, number) => {
        diverged = (await notes.add(number, digestOf([turn.thought, turn.calls, turn.feedback]))) || diverged;
        world.onTurn(turn);
        if (world.signal.aborted)
          throw new Fault("DRAINED", "stop", "stopped between two turns; replies already paid for are kept, run again to go on");
      },
    },
  );
  // Verifier and harness apply the patch, so that a value in it stays what the files hold until the record is imported; ours goes at once.
  const patch = end.patch === null ? null : scrub(end.patch, { ...scrubbing, secrets: false, personal: [] }).text;
  return { opening, issue, turns, end: { ...end, patch }, diverged };
}

/** Runs the agent; when the sandbox breaks, again from the start in a new one: its replies come from the cache. */
async function ran(wanted: WantedRollout, world: RolloutWorld): Promise<Ran> {
  const { retries } = world.settled.recipe.generate.rollout;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const sandbox = await openTask(wanted.task, world);
      try {
        return await ranIn(sandbox, wanted, world);
      } finally {
        await sandbox.destroy();
      }
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "SANDBOX_BROKEN" || attempt >= retries || world.signal.aborted) throw error;
    }
  }
}

function marksOf({ turns, end, diverged }: Ran, verification: Verification | null): Mark[] {
  const marks = new Set<Mark>(end.marks);
  if (turns.some(({ calls }) => calls.some(({ name, malformed }) => name === contextCall.name && !malformed))) marks.add("pre-condensed");
  if (diverged) marks.add("diverged-on-resume");
  if ((verification?.testsTouched.length ?? 0) > 0) marks.add("tests-touched");
  return [...marks].sort();
}

/** One live run from the first prompt to the verdict of the hidden tests; its record is on disk when this returns. */
export async function oneRollout(wanted: WantedRollout, world: RolloutWorld): Promise<Rollout> {
  const { task, sample, agent, key, name } = wanted;
  const { recipe } = world.settled;
  const { rollout } = recipe.generate;
  const result = await ran(wanted, world);
  const verification = rollout.verify ? await verify(task, result.end.patch, verifierWorld(task, world)) : null;
  const record: Rollout = {
    format: "catgen.rollout/1",
    key,
    source: task.source,
    instance: task.instance,
    repository: task.repository,
    licence: task.licence,
    issue: result.issue,
    workdir: task.workdir,
    sample,
    model: agent.model,
    callStyle: wireStyleOf(recipe.persona), // hermes is the text of native calls
    policy: rollout.policy,
    sandbox: world.kind.name,
    opening: result.opening,
    turns: [...result.turns],
    end: { ...result.end, marks: marksOf(result, verification) },
    verification,
  };
  await writeRecord(world.run, name, record);
  return record;
}
