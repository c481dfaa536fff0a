import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { evaluationDigests } from "../../../pipeline/contamination/evaluation-files.ts";
import { loadEvaluationSets } from "../../../pipeline/contamination/load.ts";
import { planInputs } from "../../../pipeline/import/plan.ts";
import { readUnit } from "../../../pipeline/import/read.ts";
import { sha256 } from "../../../pipeline/store/digest.ts";
import type { Contamination } from "../../../schemas/contamination.ts";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { contaminationOf } from "../../../stages/lib/contamination/contamination.ts";
import { largestShare } from "../../../stages/lib/contamination/largest-share.ts";
import { fingerprintsOf } from "../../../stages/lib/decontamination.ts";

/** Real runs held against the shipped sets: what the proof in data/decontamination/README.md rests on. */

const folder = join(import.meta.dirname, "../../../../shared/trajectories");
export const haveRuns = existsSync(join(folder, "manifest.jsonl"));
export const skipped = `skipped: the collection of real runs is not at ${folder}`;

const recipe = { lists: [], indexes: [] };
const sets = await loadEvaluationSets(recipe, evaluationDigests(recipe));
export const listed = (name: string): ReadonlySet<string> => sets.lists.find((list) => list.name === name)?.instances ?? new Set();

export const shareOf = (run: Trajectory): number => largestShare(held(run).text);
export const held = (run: Trajectory): Contamination => contaminationOf(run, sets, sha256);

export interface RealRun {
  readonly run: Trajectory;
  /** The task as the collection's own manifest states it, whatever the run says; else what the run says. */
  readonly task: string;
}

interface Entry {
  readonly file: string;
  readonly instance_id?: string;
}

export async function realRuns(): Promise<RealRun[]> {
  const entries = readFileSync(join(folder, "manifest.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Entry);
  const known = new Map(entries.flatMap(({ file, instance_id }) => (instance_id === undefined ? [] : [[file, instance_id] as const])));
  const runs: RealRun[] = [];
  const seen = new Set<string>();
  for (const unit of await planInputs([folder]))
    for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256e6 }))
      if (event.kind === "run" && !seen.has(event.trajectory.id)) {
        seen.add(event.trajectory.id); // one run lies there twice
        runs.push({ run: event.trajectory, task: (known.get(event.trajectory.origin.file) ?? event.trajectory.instance).toLowerCase() });
      }
  return runs;
}

const isPath = (piece: string): boolean => piece.includes("/");

/** Without the task's id, without `owner/name` in any spelling, and without every word that has a slash in it: paths, addresses, some code. */
function withoutNames(text: string | null, task: string): string | null {
  const repository = task.replace(/-\d+$/, "");
  return (
    text
      ?.split(/(\s+)/)
      .map((piece) => (isPath(piece) ? "" : piece))
      .map((piece) => [task, repository, repository.replace("__", "/")].reduce((left, name) => left.replaceAll(name, ""), piece))
      .join("") ?? null
  );
}

/** The run as someone would publish it who does not want its task to be found. */
export const anonymous = ({ run, task }: RealRun): Trajectory => ({
  ...run,
  id: "x/x/000000000000",
  instance: "unknown",
  origin: { ...run.origin, file: "runs.jsonl" },
  task: {
    ...run.task,
    repository: null,
    workdir: null,
    system: withoutNames(run.task.system, task),
    prompt: withoutNames(run.task.prompt, task) ?? "",
    issue: withoutNames(run.task.issue, task),
  },
});

const statements = (): Map<string, Set<string>> => {
  const path = join(import.meta.dirname, "../../../data/decontamination/verified-problem-13grams.tsv.gz");
  const lines = gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
  return new Map(lines.map((line) => line.split("\t")).map(([id = "", prints = ""]) => [id, new Set(prints.split(" "))]));
};

const shareIn = (wanted: ReadonlySet<string>, there: ReadonlySet<string>): number => {
  let found = 0;
  for (const print of wanted) if (there.has(print)) found += 1;
  return wanted.size === 0 ? 0 : found / wanted.size;
};

/**
 * The hardest other texts there are: of each statement of Verified the largest share that another of the 500 has, most of them of the same
 * repository. The other is taken out of the index first, as a text that is not in it. `own`: fingerprints that only one task has; else all.
 */
export function sharesAmongStatements(own: boolean): { readonly task: string; readonly other: string; readonly share: number }[] {
  const all = statements();
  const holders = new Map<string, string[]>();
  for (const [task, prints] of all) for (const print of prints) holders.set(print, [...(holders.get(print) ?? []), task]);
  const share = (task: string, other: string): number => {
    const counting = own
      ? [...(all.get(task) ?? [])].filter((print) => holders.get(print)?.every((holder) => holder === task || holder === other))
      : [...(all.get(task) ?? [])];
    return shareIn(new Set(counting), all.get(other) ?? new Set());
  };
  return [...all]
    .map(([task, prints]) => {
      const others = [...new Set([...prints].flatMap((print) => holders.get(print) ?? []))].filter((other) => other !== task);
      return others
        .map((other) => ({ task, other, share: share(task, other) }))
        .reduce((a, b) => (b.share > a.share ? b : a), { task, other: "", share: 0 });
    })
    .sort((a, b) => b.share - a.share);
}

/** Patches of real runs held against one another: shares between runs on one task, and between runs on different ones. */
export function sharesAmongPatches(runs: readonly RealRun[]): {
  readonly same: number[];
  readonly other: { share: number; tasks: string }[];
} {
  const patches = runs.flatMap(({ run, task }) =>
    run.outcome.patch === null ? [] : [{ task, prints: new Set(fingerprintsOf(run.outcome.patch, sha256)) }],
  );
  const same: number[] = [];
  const other: { share: number; tasks: string }[] = [];
  for (const [at, a] of patches.entries())
    for (const [place, b] of patches.entries()) {
      if (at === place || a.prints.size === 0) continue;
      if (a.task === b.task) same.push(shareIn(a.prints, b.prints));
      else other.push({ share: shareIn(a.prints, b.prints), tasks: `${a.task}, ${b.task}` });
    }
  return { same: same.sort((a, b) => a - b), other: other.sort((a, b) => b.share - a.share) };
}
