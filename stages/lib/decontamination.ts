import { eachWindow } from "./contamination/windows.ts";

/** A set that models are evaluated on. Ids and repositories as `instanceKey` and lower case leave them. */
export interface EvaluationList {
  readonly name: string;
  readonly instances: ReadonlySet<string>;
  readonly repositories: ReadonlySet<string>;
}

export interface EvaluationHit {
  readonly list: string;
  readonly by: "instance" | "repository";
}

/** GitHub's owners have no underscores, so the first `__` parts owner and name. */
const mangled = /^([A-Za-z0-9][A-Za-z0-9-]*)__(.+)$/;

/** `.acb0f10f` of SWE-smith's mirrors and everything behind it (kind and hash of the bug). */
const mirrorCommit = /\.[0-9a-f]{8}(?:\..*)?$/i;

/** Images replace `__`, which Docker refuses: `_1776_` (SWE-bench, SWE-smith, SWE-rebench), `_s_` (SWE-Gym). */
const joined = (text: string): string => text.replace(/_1776_|_s_/, "__");

/**
 * `owner/name` behind what datasets call a repository: itself, an address on GitHub, `swesmith/owner__name.commit8`, `swesmith_owner__name.commit8`,
 * `SWE-bench/owner__name`, `owner__name`; null: no repository can be told.
 */
export function plainRepository(text: string): string | null {
  const path = text
    .trim()
    .replace(/^(?:https?:\/\/|git@)?(?:www\.)?github\.com[/:]/i, "")
    .replace(/(?:\.git)?\/*$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  const mirror = mangled.exec(joined(last.replace(/^swesmith_/i, "")));
  if (mirror) return `${mirror[1]}/${mirror[2]?.replace(mirrorCommit, "")}`;
  return /^[\w.-]+\/[\w.-]+$/.test(path) ? path : null;
}

/**
 * `owner/name` behind an instance's id or the name of its image: `owner__name-123`, `owner__name.commit8.bug__hash`,
 * `instance_owner__name-<sha>-v<sha>` (Pro), `swebench/sweb.eval.x86_64.owner_1776_name-123:latest`.
 */
export function repositoryOf(instance: string): string | null {
  const repository = plainRepository(bareInstance(instance));
  return repository?.replace(/-(?:\d+|[0-9a-f]{40})(?:-v\w+)?(?:_\d+)?$/i, "") ?? null;
}

const bareInstance = (instance: string): string =>
  joined(
    instance
      .trim()
      .replace(/^.*\//, "")
      .replace(/[:@].*$/, "")
      .replace(/^(?:sweb\.eval|swesmith)\.[^.]+\./i, "")
      .replace(/^instance_/i, ""),
  );

/** What two spellings of one instance have in common; Pro's ids come with and without `instance_` and the version behind. */
export const instanceKey = (instance: string): string =>
  bareInstance(instance)
    .toLowerCase()
    .replace(/(-[0-9a-f]{40})-v(?:[0-9a-f]+|nan)$/, "$1");

/** Names of the lists that hold the instance, and of those that hold its repository, by the row's field or by the id, in the lists' order. */
export interface EvaluationHits {
  readonly instance: readonly string[];
  readonly repository: readonly string[];
}

/** Case does not matter. */
export function evaluationHits(
  task: { readonly instance: string; readonly repository: string | null },
  lists: readonly EvaluationList[],
): EvaluationHits {
  const key = instanceKey(task.instance);
  const given = task.repository === null ? null : plainRepository(task.repository);
  const names = [given, repositoryOf(task.instance)].flatMap((name) => name?.toLowerCase() ?? []);
  const named = (list: EvaluationList): string => list.name;
  return {
    instance: lists.filter((list) => list.instances.has(key)).map(named),
    repository: lists.filter((list) => names.some((name) => list.repositories.has(name))).map(named),
  };
}

/** The first list that names the instance, else the first that names its repository. */
export function evaluationHit(
  task: { readonly instance: string; readonly repository: string | null },
  lists: readonly EvaluationList[],
): EvaluationHit | null {
  const { instance, repository } = evaluationHits(task, lists);
  if (instance[0] !== undefined) return { list: instance[0], by: "instance" };
  return repository[0] === undefined ? null : { list: repository[0], by: "repository" };
}

/** One entry per line, `#` starts a comment; with a slash it is a repository, else an instance. `wrong`: lines that are neither, from 1. */
export function parseEvaluationList(name: string, text: string): { readonly list: EvaluationList; readonly wrong: readonly number[] } {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*/, "").trim());
  const entries = lines.filter((line) => line !== "" && isEntry(line));
  return {
    list: {
      name,
      instances: new Set(entries.filter((entry) => !entry.includes("/")).map(instanceKey)),
      repositories: new Set(entries.filter((entry) => entry.includes("/")).flatMap((entry) => plainRepository(entry)?.toLowerCase() ?? [])),
    },
    wrong: lines.flatMap((line, index) => (line === "" || isEntry(line) ? [] : [index + 1])),
  };
}

const isEntry = (line: string): boolean => (line.includes("/") ? plainRepository(line) !== null : /^[\w.-]+$/.test(line));

/**
 * Fingerprints of a text, sorted, each once: every window of 13 words (runs of `[a-z0-9]` of the lower-cased text) joined by one space, the
 * first 8 bytes of its SHA-256 in hex. A text under 13 words has none. `digest`: SHA-256 as hex.
 */
export function fingerprintsOf(text: string, digest: (text: string) => string): string[] {
  const prints = new Set<string>();
  eachWindow(text, (window) => prints.add(digest(window).slice(0, 16)));
  return [...prints].sort();
}
