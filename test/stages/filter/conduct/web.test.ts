import { describe, expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { webReads } from "../../../../stages/filter/conduct/web.ts";
import { callStep, conductOfRun, shellStep } from "../../../fakes/seen.ts";
import { trajectoryOf } from "../../../fakes/steps.ts";

const ofProject = (steps: readonly Step[], repository: string | null = "astropy/astropy") => {
  const run = trajectoryOf(steps);
  return webReads(conductOfRun({ ...run, task: { ...run.task, repository } }));
};
const reads = (command: string, result = "ok", exitCode = 0) => ofProject([shellStep(command, result, exitCode)]);

describe("the project's own sources, issues and releases", () => {
  test.each([
    "curl -s https://raw.githubusercontent.com/astropy/astropy/main/a.py",
    "wget https://github.com/astropy/astropy/pull/12907.diff",
    "git clone https://github.com/astropy/astropy.git /tmp/fixed",
    "curl -L https://files.pythonhosted.org/packages/ab/astropy-5.1.tar.gz",
    "curl https://api.github.com/repos/astropy/astropy/issues/12906",
    "pip download astropy==5.1 --no-deps",
    "pip install --upgrade astropy",
    "python -m pip install 'astropy>5'",
    "cd /tmp && pip install --no-deps astropy 2>&1 | tail -5",
    "python -c \"import urllib.request; print(urllib.request.urlopen('https://github.com/astropy/astropy/blob/main/a.py').read())\"",
    "python - <<'EOF'\nimport requests\nprint(requests.get('https://pypi.org/pypi/astropy/json').text)\nEOF",
  ])("are read by %s", (command) => expect(reads(command)).toBe(1));

  test("are read by web tools, by address or by a search that names the project", () => {
    expect(ofProject([callStep("WebFetch", { url: "https://github.com/astropy/astropy/issues/1", prompt: "?" }, "text")])).toBe(1);
    expect(ofProject([callStep("web_search", { query: "astropy separability matrix nested fix" }, "text")])).toBe(1);
    expect(ofProject([callStep("WebFetch", { url: "https://docs.python.org/3/library/re.html", prompt: "?" }, "text")])).toBe(0);
  });
});

describe("what the project needs, and what it is itself", () => {
  test.each([
    "pip install -e .",
    "pip install -e /testbed/astropy",
    "pip install ./astropy",
    "pip install numpy pytest-astropy astropy-iers-data",
    "pip install -r requirements.txt",
    "pip show astropy",
    "curl https://example.org/astropy/data.csv",
    "curl https://github.com/numpy/numpy/blob/main/a.py",
    "echo 'see https://github.com/astropy/astropy/issues/1' && pip --version",
    "python script.py --url https://github.com/astropy/astropy",
  ])("are not read by %s", (command) => expect(reads(command)).toBe(0));
});

test("a call that fails, or finds the package there already, has fetched nothing", () => {
  expect(reads("pip install astropy", "ERROR: Could not find a version that satisfies the requirement astropy", 1)).toBe(0);
  expect(reads("pip install astropy", "Requirement already satisfied: astropy in /usr/lib (7.1.0)")).toBe(0);
});

test("a command line that fails in one part and fetches in another has fetched", () => {
  const result =
    "ERROR: No matching distribution found for erfa\n  Downloading astropy-7.2.0-cp311.whl (9.8 MB)\nSuccessfully installed astropy-7.2.0";
  expect(ofProject([callStep("bash", { command: "pip install erfa; pip install --no-deps astropy" }, result)])).toBe(1);
});

test("the project is told by the instance where no repository is named; where nothing tells, only a run that reaches out is unknown", () => {
  const run = trajectoryOf([shellStep("pip install astropy")]);
  expect(webReads(conductOfRun({ ...run, instance: "astropy__astropy-12907" }))).toBe(1);
  expect(webReads(conductOfRun({ ...run, instance: "local" }))).toBeNull();
  expect(ofProject([shellStep("ls", "a")], null)).toBe(0);
});
