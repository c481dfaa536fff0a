import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Analysis, VerdictDiff } from "../../schemas/analysis.ts";
import { StatsAnswer } from "../../schemas/stats.ts";
import type { Status } from "../../schemas/status.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { makePlace, type Place } from "./harness.ts";

/** Verdict sets side by side, presets, analyze and the funnel, through the real command line. */

interface Ran extends Status {
  readonly summary: readonly { step: string; shardsMade: number; rowsMade: number; rowsReused: number }[];
}

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await place.write(
    "in/runs.jsonl",
    messageLines([
      { instance: "acme__web-1", steps: 60 },
      { instance: "beta__core-7", resolved: false, steps: 50 },
      { instance: "beta__core-8", steps: 24 },
      { instance: "gamma__cli-3", steps: 90 },
    ]),
  );
}, 60_000);
afterAll(() => place.remove());

const made = ({ summary }: Ran): string[] => summary.filter((one) => one.shardsMade > 0).map((one) => one.step);
const run = (stages: string, ...more: string[]): Promise<Ran> => place.json<Ran>(["run", stages, "--run", "mine", ...more]);
const inRun = (...parts: string[]): string => join(place.runs, "mine", ...parts);
const bytesOf = async (folder: string): Promise<string> =>
  (await Promise.all((await readdir(folder)).sort().map(async (name) => readFile(join(folder, name), "latin1")))).join("\n");

test("before anything is measured, analyze and stats say what to run", async () => {
  await run("1", "--input", join(place.folder, "in"), "--set", "run.shards=2");
  const early = await place.catgen(["analyze", "--run", "mine"]);
  expect([early.code, early.stderr]).toEqual([64, expect.stringContaining("no metrics yet; measure first: catgen run 1-5 --run mine")]);
  const stats = await place.catgen(["stats", "--run", "mine"]);
  expect([stats.code, stats.stdout]).toEqual([0, expect.stringContaining("measure first: catgen run 1-5")]);
  const diff = await place.catgen(["analyze", "--run", "mine", "--diff", "default", "strict"]);
  expect([diff.code, diff.stderr]).toEqual([64, expect.stringContaining('no verdict set "strict", and no other by name')]);
});

test("a second verdict set judges and exports beside the first, and leaves it as it is", async () => {
  await run("all");
  const before = await bytesOf(inRun("stages", "5-judge", "rows"));
  const strict = await run("5-6", "--verdict", "loose", "--recipe", "lenient");
  expect(made(strict)).toEqual(["5-judge", "5-select", "6-export"]);
  expect(strict).toMatchObject({ verdict: "loose", verdicts: ["loose"] });
  expect(await bytesOf(inRun("stages", "5-judge", "rows"))).toBe(before);
  expect(await bytesOf(inRun("stages", "5-judge-loose", "rows"))).not.toBe(before);
  expect((await stat(inRun("export-loose", "README.md"))).isFile()).toBe(true);
  expect(await readFile(inRun("stages", "5-judge-loose", "filter.yaml"), "utf8")).toContain("too-many-calls: drop-last");
  expect(await readFile(inRun("recipe.yaml"), "utf8")).not.toContain("drop-last");
  expect(made(await run("5-6", "--verdict", "loose"))).toEqual([]);
  expect(made(await run("all"))).toEqual([]);
});

test("a changed threshold of one set judges that set alone, and files made of the same samples are taken from earlier exports", async () => {
  const changed = await run("5-6", "--verdict", "loose", "--set", "filter.maxSteps=5000");
  expect(made(changed)).toEqual(["5-judge", "6-export"]);
  const exported = changed.summary.find(({ step }) => step === "6-export");
  expect(exported?.rowsMade).toBeGreaterThan(0);
  expect(exported?.rowsReused).toBe(exported?.rowsMade);
  expect(made(await run("all"))).toEqual([]);
  expect((await place.catgen(["verify", "--run", "mine", "--quiet"])).code).toBe(0);
});

test("a set shares everything but its filters with the run, and an unknown one is named with its neighbours", async () => {
  const other = await place.catgen(["run", "5", "--run", "mine", "--verdict", "loose", "--set", "detect.maxCalls=3"]);
  expect([other.code, other.stderr]).toEqual([64, expect.stringContaining("so detect cannot differ here")]);
  for (const command of [["status"], ["stats"], ["show", "--list"], ["verify"], ["repair"], ["analyze"]]) {
    const unknown = await place.catgen([...command, "--run", "mine", "--verdict", "lose"]);
    expect([command[0], unknown.code, unknown.stderr]).toEqual([
      command[0],
      64,
      expect.stringContaining("did you mean loose? There are: default, loose"),
    ]);
  }
  const why = await place.catgen(["why", "5", "--run", "mine", "--verdict", "new"]);
  expect(why.stdout).toContain("never made");
});

test("the set is selected per verdict set, whatever the shards, and a changed rule judges nothing again", async () => {
  const cap = ["--set", "filter.set.nearDuplicateSteps=null", "--set", "filter.set.targetTrajectories=2"];
  await run("5", "--verdict", "few");
  const few = await run("5-6", "--verdict", "few", ...cap);
  expect(made(few)).toEqual(["5-select", "6-export"]);
  expect(made(await run("5-6", "--verdict", "few"))).toEqual([]);
  expect(made(await run("all"))).toEqual([]);
  const why = await place.catgen(["why", "5", "--run", "mine", "--verdict", "few", "--set", "filter.set.targetTrajectories=3"]);
  expect(why.stdout).toContain("filter.set.targetTrajectories changed from 2 to 3 (2 shards)");
  const list = async (name: string, ...verdict: string[]) =>
    (
      await place.json<{ trajectories: { id: string; kept: boolean; leftOut: string | null }[] }>([
        "show",
        "--list",
        "--run",
        name,
        ...verdict,
      ])
    ).trajectories
      .map(({ id, kept, leftOut }) => ({ id, kept, leftOut }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  const here = await list("mine", "--verdict", "few");
  expect(
    here
      .filter(({ kept }) => kept)
      .map(({ leftOut }) => leftOut)
      .filter((why) => why !== null),
  ).toEqual(["above the target size (2)"]);
  await place.json(["run", "all", "--run", "other", "--input", join(place.folder, "in"), "--set", "run.shards=5", ...cap]);
  expect(await list("other")).toEqual(here);
  const [left] = here.filter(({ leftOut }) => leftOut !== null);
  const shown = await place.catgen(["show", left?.id ?? "", "--run", "mine", "--verdict", "few"]);
  expect(shown.stdout).toContain("set: left out: above the target size (2) (resolved,");
  const stats = StatsAnswer.parse(await place.json(["stats", "--run", "mine", "--verdict", "few"]));
  expect(stats.funnel?.bySetRule).toEqual([{ rule: "target-size", lost: { trajectories: 1, segments: expect.any(Number) }, leftOut: 1 }]);
  expect(stats.funnel?.total.kept.trajectories).toBe(2);
  expect(await readFile(inRun("export-few", "README.md"), "utf8")).toContain("| set: target-size | 1 left out |");
  const analysis = Analysis.parse(await place.json(["analyze", "--run", "mine", "--verdict", "few"]));
  expect(analysis.selection).toMatchObject({ candidates: 3, selected: 2, leftOut: [{ rule: "target-size", trajectories: 1 }] });
  const diff = VerdictDiff.parse(await place.json(["analyze", "--run", "other", "--diff", "default", "default"]));
  expect([diff.both.trajectories, diff.neither]).toEqual([2, 2]);
  const { stages } = await place.json<Status>(["status", "--run", "mine", "--verdict", "few"]);
  expect(stages.find(({ name }) => name === "select")?.rows).toMatchObject({ in: 3, out: 2, rejected: { "target-size": 1 } });
  expect((await place.catgen(["status", "--run", "mine", "--verdict", "few"])).stdout).toContain("5-select left out: 1 target-size\n");
});

test("a mix of sources that are not there is refused before anything is saved, with those that are", async () => {
  const mix = ["--set", "filter.set.mix={mesages: 0.5}"];
  const refused = [
    78,
    expect.stringMatching(/filter\.set\.mix asks for mesages, .* did you mean messages\? It has trajectories of messages \(4\)\./),
  ];
  const before = await readFile(inRun("recipe.yaml"), "utf8");
  for (const more of [["5"], ["5", "--plan"], ["2"], ["5", "--verdict", "mixed"]]) {
    const typo = await place.catgen(["run", ...more, "--run", "mine", ...mix]);
    expect([typo.code, typo.stderr]).toEqual(refused);
  }
  expect(await readFile(inRun("recipe.yaml"), "utf8")).toBe(before);
  expect((await readdir(inRun("stages"))).filter((name) => name.includes("mixed"))).toEqual([]);
  const fresh = await place.catgen(["run", "all", "--run", "typo", "--input", join(place.folder, "in"), ...mix]);
  expect([fresh.code, fresh.stderr]).toEqual(refused); // what there is was not known before it was imported
  expect(await readdir(join(place.runs, "typo", "stages"))).toEqual(["1-generate"]);
});

test("a damaged selection is found and made anew, and one whose shards are not all judged waits", async () => {
  const { rm, writeFile } = await import("node:fs/promises");
  const folder = inRun("stages", "5-select-few", "rows");
  const whole = await bytesOf(folder);
  for (const name of await readdir(folder))
    await writeFile(join(folder, name), (await readFile(join(folder, name), "utf8")).replace("target-size", "target-sise"));
  const found = await place.catgen(["verify", "--run", "mine", "--quiet"]);
  expect([found.code, found.stdout]).toEqual([65, expect.stringContaining("5-select-few shard")]);
  expect((await place.catgen(["repair", "--run", "mine", "--quiet"])).code).toBe(0);
  expect(await bytesOf(folder)).toBe(whole);
  await rm(inRun("stages", "5-judge-few", "manifests", "00001.json"));
  const one = await place.catgen(["run", "5", "--run", "mine", "--verdict", "few", "--shards", "0"]);
  expect([one.code, one.stderr]).toEqual([0, expect.stringContaining("waits until all shards are judged")]);
  expect(made(await run("5-6", "--verdict", "few"))).toEqual(["5-judge"]);
  await rm(inRun("stages", "5-select-few", "manifests", "00000.json"));
  const early = await place.catgen(["run", "6", "--run", "mine", "--verdict", "few"]);
  expect([early.code, early.stderr]).toEqual([64, expect.stringContaining("export needs every shard of 5-select, and shard 0 is missing")]);
  expect(made(await run("5-6", "--verdict", "few"))).toEqual(["5-select"]);
});

test("damage of a named set is found with its name, and repaired", async () => {
  const { rm } = await import("node:fs/promises");
  const folder = inRun("stages", "5-judge-loose", "rows");
  const whole = await bytesOf(folder);
  for (const name of await readdir(folder)) await rm(join(folder, name));
  const found = await place.catgen(["verify", "--run", "mine", "--quiet"]);
  expect([found.code, found.stdout]).toEqual([65, expect.stringContaining("5-judge-loose shard 0")]);
  expect((await place.catgen(["repair", "--run", "mine", "--quiet"])).code).toBe(0);
  expect(await bytesOf(folder)).toBe(whole);
  expect((await place.catgen(["verify", "--run", "mine", "--quiet"])).code).toBe(0);
});

test("analyze says what would be kept, draws it, and suggests thresholds that judging confirms", async () => {
  const analysis = Analysis.parse(
    await place.json([
      "analyze",
      "--run",
      "mine",
      "--suggest",
      "keep=0.25",
      "--move",
      "minSteps",
      "--set",
      "filter.minSteps=1",
      "--pair",
      "minSteps,maxFoldRatio",
    ]),
  );
  expect(analysis.measured.trajectories).toBe(4);
  expect(analysis.kept.trajectories).toBe(3);
  expect(analysis.plot).toBe(inRun("report", "analyze.svg"));
  expect(await readFile(analysis.plot, "utf8")).toContain("<svg");
  const [nearest] = analysis.borders.find(({ threshold }) => threshold === "minFoldTokens")?.passes ?? [];
  expect(nearest?.evidence.join("\n")).toMatch(
    /^call \d of \d: [\s\S]*^folds steps 1-\d+, the largest of them:\n {2}step \d+: execute_bash /m,
  );
  expect(analysis.pair?.thresholds).toEqual(["minSteps", "maxFoldRatio"]);
  const [suggested] = analysis.suggestion?.limits ?? [];
  if (suggested === undefined) throw new Error("nothing is suggested");
  await run("5", "--verdict", "suggested", "--set", `filter.${suggested.threshold}=${suggested.to}`);
  const list = await place.json<{ trajectories: { kept: boolean }[] }>(["show", "--list", "--run", "mine", "--verdict", "suggested"]);
  expect(list.trajectories.filter(({ kept }) => kept).length / 4).toBe(analysis.suggestion?.kept);
  const text = await place.catgen(["analyze", "--all", "--run", "mine", "--verdict", "loose", "--plot", join(place.folder, "what-if.svg")]);
  expect(text.stdout).toMatch(/^ {2}passes \d+ {2}\S+ --fold \d\n {8}call \d of \d: /m);
  expect(text.stdout).toMatch(/verdict set loose: \d of 4 measured trajectories are kept/);
  expect((await stat(join(place.folder, "what-if.svg"))).size).toBeGreaterThan(1000);
  const wrong = await place.catgen(["analyze", "--run", "mine", "--pair", "minStep,maxFoldRatio"]);
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("did you mean minSteps?")]);
  const elsewhere = await place.catgen(["analyze", "--run", "mine", "--set", "persona.callStyle=xml"]);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([64, expect.stringContaining("can try filter.* and window.tokens only")]);
});

test("analyze --diff names what one set keeps and the other does not, and why", async () => {
  await run("5", "--verdict", "long", "--set", "filter.minSteps=70");
  const diff = VerdictDiff.parse(await place.json(["analyze", "--run", "mine", "--diff", "default", "long"]));
  expect(diff.recipe).toEqual(["filter.minSteps changed from null to 70"]);
  expect(diff).toMatchObject({ judged: 4, both: { trajectories: 1 }, neither: 1 });
  expect(diff.onlyFirst.because).toEqual([{ filter: "too-few-steps", trajectories: 2 }]);
  expect(diff.onlyFirst.examples.map(({ why }) => why)).toEqual([
    [expect.stringMatching(/^too-few-steps: \d+, limit 70/)],
    [expect.stringMatching(/^too-few-steps: \d+, limit 70/)],
  ]);
  expect(diff.onlySecond.kept).toEqual({ trajectories: 0, segments: 0 });
});

test("the funnel stands in stats, in the card and as JSON, and tells the sets apart", async () => {
  const stats = StatsAnswer.parse(await place.json(["stats", "--run", "mine", "--plot", join(place.folder, "funnel.svg")]));
  expect(stats.funnel?.total.in.trajectories).toBe(4);
  expect(stats.funnel?.total.kept.trajectories).toBe(3);
  expect(stats.funnel?.byOutcome).toMatchObject({ unresolved: { in: { trajectories: 1 }, kept: { trajectories: 0 } } });
  expect(await readFile(join(place.folder, "funnel.svg"), "utf8")).toContain(">unresolved<");
  expect(JSON.parse(await readFile(inRun("export", "stats.json"), "utf8"))).toMatchObject({ funnel: stats.funnel });
  const card = await readFile(inRun("export", "README.md"), "utf8");
  expect(card).toContain("![What is left after each filter](funnel.svg)");
  expect(card).toContain("| unresolved | 1 fail, 1 by it alone |");
  const long = StatsAnswer.parse(await place.json(["stats", "--run", "mine", "--verdict", "long"]));
  expect(long.funnel?.total.kept.trajectories).toBe(1);
});

test("recipe --preset prints a preset as it is, and an unknown recipe names them all", async () => {
  const { stdout } = await place.catgen(["recipe", "--preset", "strict"]);
  expect(stdout).toContain("# Preset `strict`");
  const unknown = await place.catgen(["run", "5", "--run", "mine", "--recipe", "strickt"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    64,
    expect.stringContaining("nor a preset of this name (audit, lenient, mix-20k, paper, strict, train-0.5b, "),
  ]);
});
