import { inTestbed, type TestRun, words } from "./lib-tests.ts";

/** How one repository runs the test files of a `test_patch`; null: nothing among them can be run. A text says why it cannot be read. */
export type RepositoryRun = (files: readonly string[], version: string) => TestRun | null | string;

const pytest =
  (command: string): RepositoryRun =>
  (files) =>
    files.length === 0 ? null : { command: inTestbed(words(command, files)), log: "pytest" };

/** `tests/a/b.py` -> `a.b`, as `runtests.py` wants them. */
const djangoModule = (file: string): string =>
  file
    .replace(/\.py$/, "")
    .replace(/^tests\//, "")
    .replaceAll("/", ".");

const isDjangoTest = (file: string): boolean => /(?:^|\/)(?:tests\.py|test_[^/]*)$|\/tests\/|\/test_/.test(file);

const locale = "export LANG=en_US.UTF-8 LC_ALL=en_US.UTF-8 LANGUAGE=en_US:en PYTHONIOENCODING=utf8";

const django: RepositoryRun = (files, version) => {
  const modules = files.filter(isDjangoTest).map(djangoModule);
  if (modules.length === 0) return null;
  const runner =
    version === "1.9" ? "./tests/runtests.py --verbosity 2" : "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1";
  // Up to 3.2 some tests print beyond ASCII, and the image sets no locale.
  const command = /^[123]\./.test(version) ? `${locale} && ${words(runner, modules)}` : words(runner, modules);
  return { command: inTestbed(command), log: "unittest" };
};

const astropy: RepositoryRun = (files, version) =>
  pytest(/^(?:0\.[1-4]|1\.[123])$/.test(version) ? "pytest -rA -vv -o console_output_style=classic --tb=no -p no:nose" : "pytest -rA")(
    files,
    version,
  );

const usual = pytest("pytest -rA");

/**
 * The repositories of SWE-bench (test and dev) with the test command of the official harness. Source: `MAP_REPO_VERSION_TO_SPECS_PY` in
 * `swebench/harness/constants/python.py` of SWE-bench/SWE-bench at 096a15a, MIT. Left out: the harness installs the package again before
 * it tests, for which a sandbox without network has no means; edits of C or Cython sources are thus tested as they were built.
 * Keys are lower-case.
 */
export const sweBenchRuns: Readonly<Record<string, RepositoryRun>> = {
  "astropy/astropy": astropy,
  "django/django": django,
  "matplotlib/matplotlib": usual,
  "mwaskom/seaborn": pytest("pytest --no-header -rA"),
  "pallets/flask": usual,
  "psf/requests": usual,
  "pydata/xarray": usual,
  "pylint-dev/pylint": usual,
  "pytest-dev/pytest": usual,
  "scikit-learn/scikit-learn": usual,
  // The images' tox.ini calls `pytest -rA`.
  "sphinx-doc/sphinx": pytest("tox --current-env -epy39 -v --"),
  "sympy/sympy": () => "sympy's own runner (bin/test) prints bare function names, and none of our log formats reads those",
  "marshmallow-code/marshmallow": usual,
  "pvlib/pvlib-python": usual,
  "pydicom/pydicom": usual,
  "pylint-dev/astroid": usual,
  "pyvista/pyvista": usual,
  "sqlfluff/sqlfluff": usual,
};
