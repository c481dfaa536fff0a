import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/**
 * What is loaded before a line of ours runs. Each module costs one to two milliseconds of CPU through the TypeScript loader, and a command
 * is started hundreds of times a day; so what only some commands or steps need is imported where they need it.
 */

const root = join(import.meta.dirname, "..", "..");
/** `import` and `export ... from` that are there at run time: neither types nor `import("...")`. */
const loading = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"([^"\n]+)"/gm;

/** Files from the repository root, and packages by name. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(loading)) {
    if (name.startsWith(".")) loadedBy(join(file, "..", name), seen);
    else if (!name.startsWith("node:")) seen.add(name);
  }
  return seen;
}

const among = (loaded: ReadonlySet<string>, pattern: RegExp): string[] => [...loaded].filter((name) => pattern.test(name));

const stageCode =
  /^stages\/(?:generate|export\/(?:layouts|kinds|export)|detect\/(?:detect|signals)|condense\/(?:condense|condensers)|filter\/(?:judge|measure|measures|conduct)(?:\.ts|\/))/;
const heavy = /apache-arrow|parquet|openai|undici|@huggingface|@lenml|p-queue|^pipeline\/(?:import\/read|llm\/client|export)\b/;

test("the command line itself loads no command", () => {
  const loaded = loadedBy("pipeline/cli.ts");
  expect(among(loaded, /^(?:pipeline|stages)\//)).toEqual(["pipeline/cli.ts"]);
  expect(among(loaded, /^schemas\//)).toEqual(["schemas/fault.ts"]);
  expect(loaded).toContain("yargs");
});

test.each(["status", "why"])("%s loads no stage's code, no model client, no Parquet", (command) => {
  const loaded = loadedBy(`pipeline/commands/${command}.ts`);
  expect(among(loaded, stageCode)).toEqual([]);
  expect(among(loaded, heavy)).toEqual([]);
  expect(loaded).toContain("pipeline/keys.ts");
});

test("run loads the steps' code when it is their turn", () => {
  const loaded = loadedBy("pipeline/commands/run.ts");
  expect(among(loaded, stageCode)).toEqual([]);
  expect(among(loaded, heavy)).toEqual([]);
});

test("a thread that makes shards loads its one stage, and nothing that reads input, asks a model or writes a dataset", () => {
  const loaded = loadedBy("pipeline/run/shard-worker.ts");
  expect(among(loaded, stageCode)).toEqual([]);
  expect(among(loaded, heavy)).toEqual([]);
  expect(
    among(loadedBy("stages/filter/judge.ts"), /^stages\/(?:lib\/(?:checks|commands|secrets|render)|filter\/(?:conduct|measures))/),
  ).toEqual([]);
});

test("exporting loads Parquet only where there is a dataset to write", () => {
  expect(among(loadedBy("pipeline/run/export.ts"), /apache-arrow|parquet-wasm/)).toEqual([]);
});
