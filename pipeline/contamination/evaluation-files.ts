import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gunzipSync } from "node:zlib";
import type { EvaluationDigests } from "../../schemas/contamination.ts";
import { Fault } from "../../schemas/fault.ts";
import type { EvaluationRecipe } from "../../schemas/recipe/evaluation.ts";
import { headOf } from "../../stages/lib/contamination/fingerprint-file.ts";
import { sha256 } from "../store/digest.ts";

/** A file that says what a set that models are evaluated on consists of. */
export interface EvaluationFile {
  readonly kind: keyof EvaluationDigests;
  readonly name: string;
  readonly path: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
}

const shipped = fileURLToPath(new URL("../../data/decontamination/", import.meta.url));

/** The shipped fingerprints are of statements alone and have no first lines to say whose. */
const shippedIndexes = [{ name: "swe-bench-verified", file: "verified-problem-13grams.tsv.gz" }];

const stem = (path: string): string => basename(path).replace(/\.\w+$/, "");
const indexStem = (path: string): string => basename(path).replace(/(?:\.tsv)?(?:\.gz)?$/, "");

/** Without such a file evaluation data would be trained on unseen. */
export const unreadable =
  (path: string) =>
  (cause: unknown): never => {
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `the evaluation set ${path} cannot be read; check the path (recipe: evaluation.lists, evaluation.indexes) and its permissions`,
      { cause },
    );
  };

export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    return unreadable(path)(cause);
  }
}

const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The first lines, without unpacking the rest. */
const headBytes = 4096;
function beginning(bytes: Buffer, path: string): string {
  const first = bytes.subarray(0, headBytes);
  return (isPacked(bytes) ? unpacked(first, path, constants.Z_SYNC_FLUSH) : first).toString("utf8");
}

function unpacked(bytes: Buffer, path: string, finishFlush: number = constants.Z_FINISH): Buffer {
  try {
    return gunzipSync(bytes, { finishFlush });
  } catch (cause) {
    throw new Fault(
      "RECIPE_INVALID",
      "stop",
      `${path} is a damaged gzip file; make the index anew with: catgen decontamination index --from ROWS --name NAME --out ${path}`,
      { cause },
    );
  }
}

/** Whole and unpacked. */
export function readUnpacked(path: string): Buffer {
  const bytes = readBytes(path);
  return isPacked(bytes) ? unpacked(bytes, path) : bytes;
}

const listFile = (path: string): EvaluationFile => ({ kind: "lists", name: stem(path), path, digest: sha256(readBytes(path)) });

function indexFile(path: string, name: string | null): EvaluationFile {
  const bytes = readBytes(path);
  const said = name ?? headOf(beginning(bytes, path).split("\n").slice(0, 20)).name;
  return { kind: "indexes", name: said ?? indexStem(path), path, digest: sha256(bytes) };
}

function refuseTwins(files: readonly EvaluationFile[]): void {
  for (const [at, file] of files.entries()) {
    const twin = files.slice(0, at).find(({ kind, name }) => kind === file.kind && name === file.name);
    if (twin !== undefined)
      throw new Fault(
        "RECIPE_INVALID",
        "stop",
        `two evaluation sets are called ${file.name}: ${twin.path} and ${file.path}; rename one of them, so that hits can be told apart`,
      );
  }
}

/** The sets that come with catgen, sorted by name, then those that the recipe names, in its order. */
export function evaluationFiles({ lists, indexes }: EvaluationRecipe): EvaluationFile[] {
  let names: string[];
  try {
    names = readdirSync(shipped).filter((name) => name.endsWith(".txt"));
  } catch (cause) {
    return unreadable(shipped)(cause);
  }
  const files = [
    ...names.sort().map((name) => listFile(join(shipped, name))),
    ...lists.map(listFile),
    ...shippedIndexes.map(({ file, name }) => indexFile(join(shipped, file), name)),
    ...indexes.map((path) => indexFile(path, null)),
  ];
  refuseTwins(files);
  return files;
}

/** What shapes the measures: names and digests, so that a file that merely moved changes nothing. */
export function evaluationDigests(recipe: EvaluationRecipe): EvaluationDigests {
  const files = evaluationFiles(recipe);
  const of = (wanted: EvaluationFile["kind"]): Record<string, string> =>
    Object.fromEntries(files.filter(({ kind }) => kind === wanted).map(({ name, digest }) => [name, digest]));
  return { lists: of("lists"), indexes: of("indexes") };
}
