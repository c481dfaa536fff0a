import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TaskInstance } from "../../schemas/task-instance.ts";
import { taskReaders } from "../../stages/generate/tasks/index.ts";
import { readTask } from "../../stages/generate/tasks/read-task.ts";
import type { TaskReader } from "../../stages/generate/tasks/reader.ts";
import { djangoRow, folderHint, gold, goRow, rows } from "../stages/generate/tasks/rows.ts";

const all = Object.entries({ ...rows, "swe-bench (django)": djangoRow, "swe-bench (multilingual)": goRow });
const readerOf = (name: string): string => name.replace(/ .*/, "");

const freeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(Object.freeze(value))) freeze(inner);
  return value;
};

describe.each(Object.entries<TaskReader>(taskReaders))("reader %s", (key, reader) => {
  test("is registered under its own name, in kebab-case, and has a row here", () => {
    expect(reader.name).toBe(key);
    expect(key).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(Object.keys(rows)).toContain(key);
  });
  test.each([null, undefined, 0, "", "text", [], {}, [null], [[]], { messages: null }, { instance_id: 3 }, { repo: "a/b" }])(
    "does not recognise %j",
    (value) => expect(reader.recognises(value)).toBe(false),
  );
});

describe.each(all)("a row of %s", (name, row) => {
  test("is recognised by its own reader and no other", () => {
    const names = Object.values<TaskReader>(taskReaders).filter((reader) => reader.recognises(row));
    expect(names.map((reader) => reader.name)).toEqual([readerOf(name)]);
  });

  test("gives a strict task of that source, twice the same, from a frozen value", () => {
    const value = freeze(structuredClone(row));
    const read = readTask(value, folderHint);
    if (!read.ok) throw new Error(read.why);
    expect(TaskInstance.parse(read.task)).toEqual(read.task);
    expect(read.task.source).toBe(readerOf(name));
    expect(readTask(value, folderHint)).toEqual(read);
  });

  test("holds nothing of the answer", () => {
    expect(JSON.stringify(readTask(row, folderHint))).not.toContain(gold);
  });

  test("with any field missing or of a wrong type is read or refused with a reason, and never throws", () => {
    const wrong = fc.oneof(
      fc.constantFrom(undefined, null, 0, "", "[", "{}", "[]", "['x']", [], {}, [null], [""], [[]], "a/b", "../x"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(row)), wrong, (key, value) => {
        const changed: Record<string, unknown> = { ...row, [key]: value };
        if (value === undefined) delete changed[key];
        const names = Object.values<TaskReader>(taskReaders).filter((reader) => reader.recognises(changed));
        expect(names.length).toBeLessThan(2);
        const read = readTask(changed, folderHint);
        if (read.ok) expect(TaskInstance.safeParse(read.task).error).toBeUndefined();
        else expect(read.why.length).toBeGreaterThan(10);
      }),
      { numRuns: 300, seed: 4 },
    );
  });
});
