import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Fault, faultCodes } from "../../schemas/fault.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { chooseTokenizer } from "../adapters/model-tokenizer.ts";
import { evaluationDigests } from "../contamination/evaluation-files.ts";
import { asksModel, type Settled, settle } from "../keys.ts";
import { createProgress, type Progress, silentProgress } from "../progress.ts";
import { checkSavedRecipe, meant, parseRecipe } from "../recipe.ts";
import { readEndpoint, writeEndpoint } from "../run/remembered-endpoint.ts";
import { systemFault } from "../store/atomic.ts";
import {
  defaultVerdict,
  openRun,
  type RunFolder,
  readTextIfThere,
  recipePath,
  verdictNames,
  verdictRecipePath,
  withVerdict,
} from "../store/run-folder.ts";

/** Options every command has. */
export interface CommonOptions {
  readonly run: string;
  readonly runs: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  /** The verdict set that is meant; undefined: the one without a name. */
  readonly verdict?: string | undefined;
}

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const inCheckout = (): boolean => existsSync(join(checkout, "Makefile")) && process.cwd().startsWith(checkout);

/** Where runs lie: --runs, CATGEN_RUNS, `data/runs` of a checkout, `./catgen-runs` elsewhere. */
export function runsFolder(option: string | undefined): string {
  const chosen = option ?? process.env["CATGEN_RUNS"];
  if (chosen !== undefined && chosen !== "") return resolve(chosen);
  return inCheckout() ? join(checkout, "data", "runs") : resolve("catgen-runs");
}

/** The reply cache lies beside the runs folder, shared by all runs: another run pays only for what is new. */
export function cacheFolder(runs: string): string {
  const chosen = process.env["CATGEN_CACHE"];
  return chosen !== undefined && chosen !== "" ? resolve(chosen) : join(dirname(runs), "cache", "llm");
}

export const progressFor = (options: Pick<CommonOptions, "quiet">): Progress =>
  options.quiet ? silentProgress : createProgress(process.stderr);

async function recipeIn(path: string): Promise<Recipe | null> {
  const text = await readTextIfThere(path);
  return text === null ? null : checkSavedRecipe(parseRecipe(text, path), path);
}

/** The recipe that a run was last made with, with the filters of the verdict set that is meant; null: a run without one. */
export async function recipeOf(run: RunFolder): Promise<Recipe | null> {
  const recipe = await recipeIn(recipePath(run));
  const own = run.verdict === null ? null : await recipeIn(verdictRecipePath(run));
  return own === null ? recipe : { ...(recipe ?? Recipe.parse({})), filter: own.filter };
}

export const savedRecipe = async (run: RunFolder): Promise<Recipe> => (await recipeOf(run)) ?? Recipe.parse({});

/** An existing run as the verdict set that is meant sees it; a set that is not there is a fault that names those that are. */
export async function openJudged(options: Pick<CommonOptions, "run" | "runs" | "verdict">): Promise<RunFolder> {
  const found = await openRun(runsFolder(options.runs), options.run);
  const run = withVerdict(found, options.verdict ?? null);
  if (run.verdict === null) return run;
  const names = await verdictNames(run);
  if (names.includes(run.verdict)) return run;
  throw new Fault(
    "USAGE",
    "stop",
    `run ${run.name} has no verdict set ${JSON.stringify(run.verdict)}${names.length === 0 ? ", and no other by name" : `; ${meant(run.verdict, [defaultVerdict, ...names])}`}; make it with: catgen run 5 --run ${run.name} --verdict ${run.verdict} --recipe FILE`,
  );
}

/** Everything settled that depends on the machine. An endpoint comes from the recipe, else the environment, else the run's own past. */
export async function settleHere(recipe: Recipe, run: RunFolder | null): Promise<Settled> {
  const past = run === null ? null : await readEndpoint(run.root);
  const remembered = past === null ? {} : { CATGEN_BASE_URL: past.baseUrl, CATGEN_MODEL: past.model };
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined && value !== ""));
  return settle(recipe, { ...remembered, ...given }, await chooseTokenizer(recipe.tokenizer), evaluationDigests(recipe.evaluation));
}

export async function rememberEndpoint(run: RunFolder, settled: Settled): Promise<void> {
  const { baseUrl, model } = settled.endpoint;
  if (asksModel(settled)) await writeEndpoint(run.root, { baseUrl, model });
}

/** An existing run with its recipe. */
export async function openWithRecipe(options: CommonOptions): Promise<{ run: RunFolder; settled: Settled }> {
  const run = await openJudged(options);
  return { run, settled: await settleHere(await savedRecipe(run), run) };
}

/** stdout is for results alone: one JSON object with --json, text without. */
export function print(options: Pick<CommonOptions, "json">, value: unknown, text: () => string): void {
  process.stdout.write(options.json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
}

/** What went wrong, for a person; the exit status says it to a script. */
export function report(thrown: unknown): number {
  const error = systemFault(thrown);
  if (error instanceof Fault) {
    process.stderr.write(`catgen: ${error.message} [${error.code}]\n`);
    return faultCodes[error.code].exit;
  }
  const chain: string[] = [];
  for (let cause: unknown = error; cause !== undefined && chain.length < 5; cause = cause instanceof Error ? cause.cause : undefined)
    chain.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  process.stderr.write(`catgen: this is a bug; please report it with the lines below\n${chain.join("\ncaused by: ")}\n`);
  return 1;
}

export const rule = (widths: readonly number[], cells: readonly string[]): string =>
  cells
    .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
    .join("  ")
    .trimEnd();

/** A plain table: first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, index) => Math.max(cell.length, ...rows.map((row) => row[index]?.length ?? 0)));
  return [
    rule(widths, head),
    rule(
      widths,
      widths.map((width) => "-".repeat(width)),
    ),
    ...rows.map((row) => rule(widths, row)),
  ].join("\n");
}
