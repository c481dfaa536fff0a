import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";

/** Path from the repository root, `/`-separated -> source text. */
type Sources = ReadonlyMap<string, string>;

const root = join(import.meta.dirname, "..");
const rooms = ["schemas", "stages", "pipeline", "notebooks", "test", "data/demo"];
const skipped = new Set(["node_modules", "fixtures", "projects", "runs"]);

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(join(folder, entry.name));
    return /\.(ts|mjs)$/.test(entry.name) ? [join(folder, entry.name)] : [];
  });
}

const readSources = (): Sources =>
  new Map(
    rooms
      .flatMap((room) => filesUnder(join(root, room)))
      .map((file) => [relative(root, file).split(sep).join("/"), readFileSync(file, "utf8")]),
  );

/** `from "x"`, `import "x"`, `import("x")`, `require("x")`; also inside comments and strings, which costs nothing but honesty there. */
const importPattern = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'\n]+)["']/g;
const importsOf = (source: string): string[] => [...source.matchAll(importPattern)].map((match) => match[1] ?? "");

const isRelative = (name: string): boolean => name.startsWith(".");
const resolved = (file: string, name: string): string => posix.normalize(posix.join(posix.dirname(file), name));
const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

/** Floors from the ground up. What a user starts (`pipeline/cli.ts`, its `bin`) stands above the rest of `pipeline`. */
function floorOf(file: string): number {
  if (file.startsWith("schemas/")) return 0;
  if (file.startsWith("stages/")) return 1;
  if (file === "pipeline/cli.ts" || file.startsWith("pipeline/bin")) return 3;
  return file.startsWith("pipeline/") ? 2 : 4;
}

const stageFolders = ["generate", "detect", "condense", "stitch", "filter", "export"];
const stageOf = (file: string): string | null => stageFolders.find((folder) => file.startsWith(`stages/${folder}/`)) ?? null;

/** What a stage must ask its ports for: clock, chance, disk, network, process. */
const world =
  /\b(?:process\.|Buffer\.|fetch\(|setTimeout\(|setInterval\(|setImmediate\(|performance\.|crypto\.|console\.|Date\.now|new Date\(\)|Math\.random|import\.meta|globalThis|Intl\.|toLocale\w+\(|localeCompare\()/g;
const quoted = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

function brokenImports(file: string, source: string, sources: Sources): string[] {
  return importsOf(source).flatMap((name) => {
    if (!isRelative(name)) return floorOf(file) <= 1 && (isBuiltin(name) || packageOf(name) !== "zod") ? [`${file} imports ${name}`] : [];
    const target = resolved(file, name);
    const [from, to] = [stageOf(file), stageOf(target)];
    if (floorOf(file) === 4 && !sources.has(target)) return []; // tests name files in texts, and data that is no source
    if (!sources.has(target)) return name.endsWith(".json") ? [] : [`${file} imports ${target}, which is no file here`];
    if (floorOf(target) > floorOf(file)) return [`${file} imports upwards: ${target}`];
    return to !== null && floorOf(file) === 1 && from !== to ? [`${file} imports another stage: ${target}`] : [];
  });
}

const worldly = (file: string, source: string): string[] =>
  floorOf(file) > 1 ? [] : [...source.replace(quoted, "").matchAll(world)].map((match) => `${file} reaches for the world: ${match[0]}`);

/** Each cycle once, as the file that closes it. */
function cycles(sources: Sources): string[] {
  const done = new Set<string>();
  const open: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    if (open.includes(file)) found.push([...open.slice(open.indexOf(file)), file].join(" -> "));
    if (done.has(file) || open.includes(file)) return;
    open.push(file);
    for (const name of importsOf(sources.get(file) ?? "").filter(isRelative)) {
      const target = resolved(file, name);
      if (sources.has(target)) visit(target);
    }
    open.pop();
    done.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return found;
}

/** Packages that only developers install must not be needed by what users run. */
function developersOnly(sources: Sources, dependencies: ReadonlySet<string>): string[] {
  return [...sources].flatMap(([file, source]) =>
    floorOf(file) > 3
      ? []
      : importsOf(source)
          .filter((name) => !isRelative(name) && !isBuiltin(name) && !dependencies.has(packageOf(name)))
          .map((name) => `${file} imports ${name}, which package.json does not list under dependencies`),
  );
}

const violations = (sources: Sources): string[] => [
  ...[...sources].flatMap(([file, source]) => [...brokenImports(file, source, sources), ...worldly(file, source)]),
  ...cycles(sources),
];

const sources = readSources();
const dependencies = new Set(
  Object.keys((JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: Record<string, string> }).dependencies),
);

test("the files of all three floors are seen", () => {
  for (const room of ["schemas/", "stages/lib/", "stages/detect/", "stages/condense/", "stages/filter/", "pipeline/", "test/"])
    expect([...sources.keys()].filter((file) => file.startsWith(room)).length, room).toBeGreaterThan(1);
  expect(importsOf(sources.get("stages/stitch/stitch.ts") ?? "")).toEqual(["zod", "../../schemas/sidecars.ts", "../stage.ts"]);
});

test("imports go one way, no stage knows another, stages and schemas import nothing but zod, and nothing goes in circles", () => {
  expect(violations(sources)).toEqual([]);
});

test("what users run needs no package that only developers install", () => {
  expect(developersOnly(sources, dependencies)).toEqual([]);
});

describe("a planted violation is found", () => {
  const planted: Record<string, { file: string; line: string }> = {
    "a schema that imports a stage": { file: "schemas/row.ts", line: 'import { ok } from "../stages/stage.ts";' },
    "a schema that imports a package": { file: "schemas/row.ts", line: 'import YAML from "yaml";' },
    "a schema that imports a part of zod's neighbour": { file: "schemas/row.ts", line: 'import { x } from "zod-to-json-schema";' },
    "a stage that imports the pipeline": {
      file: "stages/stitch/stitch.ts",
      line: 'import { loadTokenizer } from "../../pipeline/adapters/tokenizer.ts";',
    },
    "a stage that imports another stage": { file: "stages/filter/judge.ts", line: 'import { choose } from "../detect/choose.ts";' },
    "a stage that takes only a type from another": {
      file: "stages/filter/judge.ts",
      line: 'import type { ChooseInput } from "../detect/choose.ts";',
    },
    "the shared library that imports a stage": { file: "stages/lib/sizes.ts", line: 'export { choose } from "../detect/choose.ts";' },
    "a stage that imports node": { file: "stages/stitch/stitch.ts", line: 'import { readFileSync } from "node:fs";' },
    "a stage that imports node without its prefix": { file: "stages/stitch/stitch.ts", line: 'import { join } from "path";' },
    "a stage that imports a package": { file: "stages/stitch/stitch.ts", line: 'import OpenAI from "openai";' },
    "a stage that imports late": { file: "stages/stitch/stitch.ts", line: 'const late = await import("node:os");' },
    "a stage that requires": { file: "stages/stitch/stitch.ts", line: 'const late = require("node:os");' },
    "a stage that reads the clock": { file: "stages/stitch/stitch.ts", line: "const now = Date.now();" },
    "a stage that draws at random": { file: "stages/stitch/stitch.ts", line: "const draw = Math.random();" },
    "a stage that reads the environment": { file: "stages/stitch/stitch.ts", line: "const key = process.env.KEY;" },
    "a stage that sorts by the host's language": { file: "stages/stitch/stitch.ts", line: "const order = a.localeCompare(b);" },
    "the pipeline that imports a test": {
      file: "pipeline/adapters/tokenizer.ts",
      line: 'import { fakePorts } from "../../test/fakes/fake-ports.ts";',
    },
    "an import of a file that is not there": { file: "stages/stitch/stitch.ts", line: 'import { gone } from "../lib/gone.ts";' },
    "a circle": { file: "schemas/trajectory.ts", line: 'import type { Bundle } from "./bundle.ts";' },
  };

  test.each(Object.entries(planted))("%s", (_, { file, line }) => {
    const source = sources.get(file);
    expect(source, `${file} is where the violation is planted`).toBeDefined();
    const before = new Set(violations(sources));
    const after = violations(new Map(sources).set(file, `${source}\n${line}\n`));
    expect(after.filter((found) => !before.has(found))).not.toEqual([]);
  });

  test("a package for developers in the pipeline", () => {
    const file = "pipeline/adapters/tokenizer.ts";
    expect(developersOnly(new Map(sources).set(file, 'import fc from "fast-check";'), dependencies)).toHaveLength(1);
  });

  test("the command line that the rest of the pipeline imports", () => {
    const two = new Map([
      ["pipeline/cli.ts", "export const main = 1;"],
      ["pipeline/run/run.ts", 'import { main } from "../cli.ts";'],
    ]);
    expect(violations(two)).toEqual(["pipeline/run/run.ts imports upwards: pipeline/cli.ts"]);
  });
});

test("words in comments and strings are no reach for the world", () => {
  expect(worldly("stages/stitch/stitch.ts", '// Date.now\nconst text = "Math.random()"; /* process.env */')).toEqual([]);
});
