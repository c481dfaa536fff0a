import type { EvaluationDigests } from "../../schemas/contamination.ts";
import { Fault } from "../../schemas/fault.ts";
import type { EvaluationRecipe } from "../../schemas/recipe/evaluation.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import { type EvaluationSets, withIndexLists } from "../../stages/lib/contamination/contamination.ts";
import {
  type FingerprintIndex,
  FingerprintReader,
  fingerprintFormat,
  headOf,
  listOf,
} from "../../stages/lib/contamination/fingerprint-file.ts";
import { wordsPerPrint } from "../../stages/lib/contamination/windows.ts";
import type { EvaluationList } from "../../stages/lib/decontamination.ts";
import { loadEvaluationLists, loadList } from "../tasks/decontamination.ts";
import { type EvaluationFile, evaluationFiles, readUnpacked } from "./evaluation-files.ts";

const illFormed = (path: string, line: number, why: string): Fault =>
  new Fault(
    "RECIPE_INVALID",
    "stop",
    `${path}:${line}: expected an instance id, a tab and fingerprints of 16 hex digits, and the line ${why}; make the index anew with: catgen decontamination index --from ROWS --name NAME --out ${path}`,
  );

function checkHead(path: string, lines: readonly string[]): void {
  const { format, words } = headOf(lines);
  if (format !== null && format !== fingerprintFormat) throw illFormed(path, 1, `says ${format}, this catgen reads ${fingerprintFormat}`);
  if (words !== null && words !== wordsPerPrint)
    throw illFormed(path, 1, `says that fingerprints are of ${words} words, and those of ${wordsPerPrint} can be compared`);
}

/** One index, line by line: unpacked it is held as bytes, never as one string. */
export function readIndex(path: string, name: string): FingerprintIndex {
  const bytes = readUnpacked(path);
  const reader = new FingerprintReader();
  const head: string[] = [];
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.toString("utf8", start, end > start && bytes[end - 1] === 13 ? end - 1 : end);
    number += 1;
    if (line.startsWith("#")) head.push(line);
    const why = reader.line(line);
    if (why !== null) throw illFormed(path, number, why);
    start = end + 1;
  }
  checkHead(path, head);
  const index = reader.index(name);
  if (index.text.prints + (index.patch?.prints ?? 0) === 0) throw illFormed(path, 1, "is in a file without any fingerprint");
  return index;
}

function unchanged(file: EvaluationFile, digests: EvaluationDigests): EvaluationFile {
  if (digests[file.kind][file.name] === file.digest) return file;
  throw new Fault("RECIPE_INVALID", "stop", `the evaluation set ${file.path} was changed while this command ran; run it again`);
}

/** All sets whole; `digests`: what the keys of this command were made of. About 30 ms and 4 MB with those that are shipped. */
export async function loadEvaluationSets(recipe: EvaluationRecipe, digests: EvaluationDigests): Promise<EvaluationSets> {
  const files = evaluationFiles(recipe).map((file) => unchanged(file, digests));
  const lists = await Promise.all(files.filter(({ kind }) => kind === "lists").map(({ path }) => loadList(path)));
  const indexes = files.filter(({ kind }) => kind === "indexes").map(({ path, name }) => readIndex(path, name));
  return withIndexLists({ lists, indexes });
}

/** By id alone: shipped sets, those of the recipe, and the instances that its indexes name. */
export async function loadIdLists({ lists, indexes }: EvaluationRecipe): Promise<EvaluationList[]> {
  const files = evaluationFiles({ lists: [], indexes }).filter(({ path }) => indexes.includes(path));
  return [...(await loadEvaluationLists(lists)), ...files.map(({ path, name }) => listOf(readIndex(path, name)))];
}

/** What live agents are not given: those, and what the rollouts leave out. */
export const loadTaskLists = ({ evaluation, generate }: Pick<Recipe, "evaluation" | "generate">): Promise<EvaluationList[]> =>
  loadIdLists({ ...evaluation, lists: [...evaluation.lists, ...generate.rollout.exclude] });

/** The port: loaded when the first trajectory is measured, once per process or thread. */
export function evaluationPort(settled: {
  readonly recipe: { readonly evaluation: EvaluationRecipe };
  readonly evaluation: EvaluationDigests;
}): () => Promise<EvaluationSets> {
  let sets: Promise<EvaluationSets> | null = null;
  return () => {
    sets ??= loadEvaluationSets(settled.recipe.evaluation, settled.evaluation);
    return sets;
  };
}
