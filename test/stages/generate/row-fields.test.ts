import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../stages/generate/dialects/dialect.ts";
import { dialects } from "../../../stages/generate/dialects/index.ts";
import { rowFields } from "../../../stages/generate/dialects/lib-row-fields.ts";
import { isFields } from "../../../stages/generate/lenient.ts";

const top = join(import.meta.dirname, "../../fixtures/dialects");
/** What comes in no table: it is written by catgen alone. */
const ours = "catgen-rollout";

/** Records of the dialect's fixtures that are objects, as a table's rows are. */
const rowsOf = (dialect: string): object[] =>
  readdirSync(join(top, dialect), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.raw\.json$/.test(entry.name))
    .map(({ name }) => JSON.parse(readFileSync(join(top, dialect, name), "utf8")) as unknown)
    .filter(isFields);

/** The record, and the names of its own fields that were asked for. */
function watched(record: object): { record: object; asked: Set<string> } {
  const asked = new Set<string>();
  const note = (name: string | symbol): void => {
    if (typeof name === "string") asked.add(name);
  };
  const seen = new Proxy(record, {
    get(target, name) {
      note(name);
      return Reflect.get(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      note(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  return { record: seen, asked };
}

const all: readonly object[] = Object.keys(dialects).flatMap(rowsOf);

test("fixtures have rows of many dialects", () => {
  expect(all.length).toBeGreaterThan(15);
});

describe.each(Object.values<Dialect>(dialects).filter(({ name }) => name !== ours))("dialect $name", (dialect) => {
  test("looks at no field of a row that is not among those by which tables are read in part", () => {
    for (const row of all) {
      const { record, asked } = watched(row);
      if (dialect.recognises(record, { file: "x.parquet" })) dialect.read(record, { file: "x.parquet" });
      // `format` is asked for by our own dialect alone, of any record.
      expect([...asked].filter((name) => !rowFields.has(name))).toEqual([]);
    }
  });

  test("reads a row that has but these fields as it reads the whole", () => {
    for (const row of rowsOf(dialect.name)) {
      const part = Object.fromEntries(Object.entries(row).filter(([name]) => rowFields.has(name)));
      const hint = { file: "x.parquet" };
      expect(dialect.recognises(part, hint)).toBe(dialect.recognises(row, hint));
      if (dialect.recognises(row, hint)) expect(dialect.read(part, hint)).toEqual(dialect.read(row, hint));
    }
  });
});
