import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Trajectory } from "../../schemas/trajectory.ts";
import type { Dialect } from "../../stages/generate/dialects/dialect.ts";
import { dialects } from "../../stages/generate/dialects/index.ts";
import { importRecord, type RecordOrigin } from "../../stages/generate/import-record.ts";

const root = join(import.meta.dirname, "../fixtures/dialects");
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

interface Fixture {
  readonly dialect: string;
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly golden: string;
}

const fixtures: Fixture[] = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: dialect }) =>
    readdirSync(join(root, dialect))
      .filter((file) => /\.raw\.jsonl?$/.test(file))
      .map((file) => {
        const name = file.replace(/\.raw\.jsonl?$/, "");
        return {
          dialect,
          name,
          file,
          text: readFileSync(join(root, dialect, file), "utf8"),
          golden: join(root, dialect, `${name}.trajectory.json`),
        };
      }),
  );

/** Lines of a `.jsonl` fixture are the events of one run. */
function parsed({ text }: Fixture): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
}

const origin = (fixture: Fixture): RecordOrigin => ({
  file: `${fixture.name}.json`,
  record: null,
  digest: digest(fixture.text),
  source: null,
  licence: null,
  instance: null,
  marks: [],
});

const freeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(Object.freeze(value))) freeze(inner);
  return value;
};

test("the fixture folder was found", () => expect(fixtures.length).toBeGreaterThan(15));

describe.each(Object.entries<Dialect>(dialects))("dialect %s", (key, dialect) => {
  test("is registered under its own name, in kebab-case", () => {
    expect(dialect.name).toBe(key);
    expect(dialect.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(dialect.family).toMatch(/^[^/\s]+$/);
  });
  test("has a fixture", () => expect(fixtures.some((fixture) => fixture.dialect === key)).toBe(true));
  test.each([null, undefined, 0, "", "text", [], {}, [null], [[]], [1], { messages: null }, { history: 3 }, { trajectory: {} }])(
    "does not recognise %j",
    (value) => {
      expect(dialect.recognises(value, { file: "x.json" })).toBe(false);
    },
  );
});

describe.each(fixtures)("fixture $dialect/$name", (fixture) => {
  test("is recognised by its own dialect and no other", () => {
    const value = parsed(fixture);
    const names = Object.values<Dialect>(dialects).filter((dialect) => dialect.recognises(value, { file: fixture.name }));
    expect(names.map((dialect) => dialect.name)).toEqual([fixture.dialect]);
  });
  test("gives the golden trajectory, twice, from a frozen value", () => {
    const value = freeze(parsed(fixture));
    const read = importRecord(value, origin(fixture), digest);
    if (!read.ok) throw new Error(read.why);
    expect(Trajectory.parse(read.trajectory)).toEqual(read.trajectory);
    expect(importRecord(value, origin(fixture), digest)).toEqual(read);
    const text = `${JSON.stringify(read.trajectory, null, 1)}\n`;
    if (process.env["UPDATE_GOLDENS"] === "1" || !existsSync(fixture.golden)) writeFileSync(fixture.golden, text);
    expect(text).toBe(readFileSync(fixture.golden, "utf8"));
  });
});

test.each(fixtures.filter(({ file }) => file.endsWith(".jsonl")))(
  "the first line of $dialect/$name is an entry of this dialect's logs and of no other",
  (fixture) => {
    const [first] = parsed(fixture) as unknown[];
    const names = Object.values<Dialect>(dialects).filter((dialect) => dialect.isEvent?.(first) === true);
    expect(names.map((dialect) => dialect.name)).toEqual([fixture.dialect]);
  },
);

/** Every place in a JSON value, as paths. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 12) : Object.keys(value);
  return [path, ...keys.flatMap((key) => places((value as Record<string | number, unknown>)[key], [...path, key]))];
}

/** `undefined` removes the place. */
function changed(value: unknown, path: readonly (string | number)[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  if (rest.length === 0 && to === undefined) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete copy[key];
  } else copy[key] = changed(copy[key], rest, to);
  return copy;
}

const junk = fc.constantFrom<unknown>(
  undefined,
  null,
  0,
  -1.5,
  true,
  "",
  "text",
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  JSON.parse('{"__proto__": {"polluted": 1}}'),
  "\ud800",
);

test("records with fields dropped or retyped are imported, refused, empty or quarantined; reading never throws and never pollutes a prototype", () => {
  const cases = fixtures.map((fixture) => ({ fixture, value: parsed(fixture) })).map((entry) => ({ ...entry, paths: places(entry.value) }));
  const change = fc
    .constantFrom(...cases)
    .chain((entry) =>
      fc.tuple(fc.constant(entry), fc.array(fc.tuple(fc.constantFrom(...entry.paths), junk), { minLength: 1, maxLength: 3 })),
    );
  fc.assert(
    fc.property(change, ([{ fixture, value }, changes]) => {
      const broken = changes.reduce((current, [path, to]) => {
        try {
          return changed(current, path, to);
        } catch {
          return current; // an earlier change took the place away
        }
      }, value);
      const read = importRecord(broken, origin(fixture), digest);
      if (read.ok) Trajectory.parse(read.trajectory);
      else expect(read.why.length).toBeGreaterThan(5);
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    }),
    { numRuns: 1500, seed: 7 },
  );
});
