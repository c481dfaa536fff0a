import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FilterSetRecipe } from "../../schemas/recipe/filter-set.ts";
import { Candidates } from "../../stages/filter/selection/candidates.ts";
import { minHash, sketchText, stepsSketchValues } from "../../stages/filter/selection/min-hash.ts";
import { NearDuplicates } from "../../stages/filter/selection/near-duplicates.ts";
import { selectSet } from "../../stages/filter/selection/select.ts";
import { SketchColumn } from "../../stages/filter/selection/sketch-column.ts";
import { textWords } from "../../stages/filter/selection/words.ts";
import { drawer } from "../../stages/lib/drawer.ts";
import { costOf, fixed, guard, machine, median, print, python, pythonScript } from "./lib.ts";

/**
 * Near-duplicates among 50,000 made-up trajectories: sketching their steps, finding who is alike, and selecting the set. Beside it datasketch (NumPy)
 * with as many values and the same threshold, over as many of the same texts as it does in a minute. One thread, CPU time.
 *
 *     npx tsx test/bench/minhash.bench.ts [trajectories]
 */
const trajectories = Number(process.argv[2] ?? 50_000);
const beside = Math.min(trajectories, 2_000);
const threshold = 0.75;
const random = drawer(41);
const whole = (most: number): number => Math.floor(random() * most);

const verbs = ["grep -rn", "sed -n 1,80p", "python -m pytest -xq", "cat", "git diff", "str_replace", "ls -la", "find . -name"];
/** A repository's own words: files and functions that its tasks share. */
const places = Array.from({ length: 200 }, (_, repository) =>
  Array.from({ length: 400 }, (_unused, file) => `src/part_${repository}_${file % 40}/name_${repository}_${file}.py`),
);

/** The steps of a run as text: 30 to 90 commands over the files of one repository, now and then an edit. */
function run(): string {
  const files = places[whole(places.length)] as string[];
  const own = Array.from({ length: 25 }, () => files[whole(files.length)] as string); // what this task is about
  const lines = Array.from({ length: 30 + whole(60) }, () => {
    const command = `execute_bash ${verbs[whole(verbs.length)]} ${own[whole(own.length)]}`;
    return random() < 0.2
      ? `${command} def helper_${whole(1e6)} return value_${whole(1e6)} if state_${whole(1e6)} else default_${whole(1e6)}`
      : command;
  });
  return lines.join("\n");
}
/** The same run told again: one line in twenty is another. */
const again = (text: string): string =>
  text
    .split("\n")
    .map((line) => (random() < 0.05 ? `${line} again_${whole(1e6)}` : line))
    .join("\n");

const texts: string[] = [];
for (let index = 0; index < trajectories; index += 1) texts.push(index % 10 === 9 ? again(texts[whole(texts.length)] as string) : run());
const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;

function cpu<T>(work: () => T): { seconds: number; value: T } {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, value };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const bytesHeld = (): number => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
try {
  const sketching = cpu(() => texts.map((text) => sketchText(minHash(textWords(text), stepsSketchValues))));
  const sketches = sketching.value;
  const file = join(folder, "texts.jsonl");
  await writeFile(
    file,
    texts
      .slice(0, beside)
      .map((text) => `${JSON.stringify(text)}\n`)
      .join(""),
  );
  const few = texts.slice(0, beside);
  const fewSketching = cpu(() => few.map((text) => minHash(textWords(text), stepsSketchValues)));
  texts.length = 0;

  const before = bytesHeld();
  const table = new Candidates(["segment"], 24);
  const taken = cpu(() => {
    for (const [index, sketch] of sketches.entries()) {
      const standing = { resolved: true, contextCalls: 1, failedFilters: 0, findingShare: 0, draw: whole(2 ** 32) };
      table.list.push({
        id: `bench/acme__web-${index}/0123456789ab`,
        source: "bench",
        instance: `acme__web-${index}`,
        repository: "acme/web",
        samples: 6,
        standing,
      });
      table.steps.push(sketch);
      table.tasks.push(null);
    }
  });
  const held = (bytesHeld() - before) / trajectories;
  const rounds = [0, 1, 2].map(() => cpu(() => selectSet(table, { set: FilterSetRecipe.parse({}), kinds: ["segment"], seed: 24 })));
  const selecting = median(rounds.map(({ seconds }) => seconds));
  const duplicates = rounds[0]?.value.filter((why) => why?.rule === "near-duplicate").length ?? 0;

  const column = new SketchColumn(stepsSketchValues);
  for (const sketch of sketches.slice(0, 2)) column.push(sketch);
  const pairs = 2e6;
  const comparing = cpu(() => {
    let sum = 0;
    for (let pair = 0; pair < pairs; pair += 1) sum += column.similarity(0, 1);
    return sum;
  });
  sketches.length = 0; // else they go while the bands are weighed
  const size = table.steps.size;
  const emptyHanded = bytesHeld();
  const near = new NearDuplicates(table.steps, threshold);
  const bands = (bytesHeld() - emptyHanded) / trajectories;
  const finding = cpu(() => {
    let found = 0;
    for (let entry = 0; entry < size; entry += 1) {
      if (near.find(entry) === null) near.add(entry);
      else found += 1;
    }
    return found;
  });

  console.log(
    `${machine()}\n${trajectories} trajectories, ${fixed(megabytes)} MB of steps, ${stepsSketchValues} values, threshold ${threshold}\n`,
  );
  const perSecond = (count: number, seconds: number): string => Math.round(count / seconds).toString();
  print(
    ["one thread", "CPU s", "trajectories/s", ""],
    [
      ["sketching", fixed(sketching.seconds), perSecond(trajectories, sketching.seconds), `${fixed(megabytes / sketching.seconds)} MB/s`],
      [
        "reading stored sketches",
        fixed(taken.seconds, 2),
        perSecond(trajectories, taken.seconds),
        `${fixed(held, 0)} bytes held each, and ${fixed(bands, 0)} for the bands`,
      ],
      [
        "finding who is alike",
        fixed(finding.seconds, 2),
        perSecond(trajectories, finding.seconds),
        `${finding.value} found, ${((trajectories * (trajectories - 1)) / 2 / finding.seconds / 1e6).toFixed(0)} M pairs/s ruled out or compared`,
      ],
      ["selecting the set, all rules", fixed(selecting, 2), perSecond(trajectories, selecting), `${duplicates} left out`],
      ["comparing two sketches", fixed(comparing.seconds, 2), "", `${(pairs / comparing.seconds / 1e6).toFixed(1)} M pairs/s`],
    ],
  );
  console.log();
  guard("2 s against selecting the set", 2 / selecting, trajectories > 50_000 ? 0 : 1);
  guard("1,000 bytes against what is held of each", 1_000 / (held + bands), 1);
  if (python === null) console.log("python: not measured; `make bench` sets it up where python3 with venv is found");
  else {
    const { stdout } = await costOf([python, pythonScript("minhash"), file, String(stepsSketchValues), String(threshold)]);
    const theirs = JSON.parse(stdout) as { sketchSeconds: number; findSeconds: number; found: number };
    print(
      [`beside: ${beside} of the trajectories`, "sketching CPU s", "finding CPU s", "found"],
      [["datasketch", fixed(theirs.sketchSeconds, 2), fixed(theirs.findSeconds, 2), theirs.found]],
    );
    guard("sketching against datasketch", theirs.sketchSeconds / fewSketching.seconds, 2);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
