import { field } from "../lenient.ts";
import { isPlainRow } from "./lib-install-config.ts";
import { repositoryIn } from "./lib-row.ts";
import { inTestbed, type TestRun, testFilesIn, words } from "./lib-tests.ts";

/**
 * SWE-Gym's eleven repositories with their test commands. Source: `swebench/harness/constants.py` of SWE-Gym/SWE-Bench-Fork, MIT, as
 * collected by a later project for its own harness. mypy's tests are cases inside data files and are chosen by name.
 * Keys are lower-case.
 */
const commands: Readonly<Record<string, string>> = {
  "python/mypy": "pytest -n0 -rA -k",
  "getmoto/moto": "pytest -n0 -rA",
  "conan-io/conan": "pytest -n0 -rA",
  "dask/dask": "pytest -n0 -rA --color=no",
  "project-monai/monai": "pytest -rA",
  "iterative/dvc": "pytest -rA",
  "bokeh/bokeh": "pytest -rA -n0",
  "modin-project/modin": "pytest -n0 -rA",
  "pydantic/pydantic": "pytest -rA --tb=short -vv -o console_output_style=classic --no-header",
  "pandas-dev/pandas": "pytest -rA --tb=long",
  "facebookresearch/hydra": "pytest -rA --tb=long",
};

const repositoryKey = (value: unknown): string => (repositoryIn(value) ?? "").toLowerCase();

/** Of the shape of SWE-bench, except that SWE-bench's rows have `environment_setup_commit`; the repositories tell them from other sets. */
export const isSweGymRow = (value: unknown): boolean =>
  isPlainRow(value) && field(value, "environment_setup_commit") === undefined && Object.hasOwn(commands, repositoryKey(value));

/** null: the test patch names nothing to run. */
export function sweGymRun(value: unknown, patch: string | null): TestRun | null {
  const repository = repositoryKey(value);
  const command = commands[repository];
  const chosen = repository === "python/mypy" ? mypyCases(patch) : testFilesIn(patch);
  return command === undefined || chosen.length === 0 ? null : { command: inTestbed(runOf(repository, command, chosen)), log: "pytest" };
}

// conan is not installed in its image but found on the path.
function runOf(repository: string, command: string, chosen: readonly string[]): string {
  const run = words(command, chosen);
  return repository === "conan-io/conan" ? `export PYTHONPATH="\${PYTHONPATH:-}:$(pwd)" && ${run}` : run;
}

/** `[case testName]` in the lines that the diff shows -> one expression for `-k`. */
function mypyCases(patch: string | null): string[] {
  const names = [...(patch ?? "").matchAll(/\[case ([^\]]+)\]/g)].map((match) => match[1] ?? "");
  return names.length === 0 ? [] : [[...new Set(names)].join(" or ")];
}
