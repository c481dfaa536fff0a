import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeCells } from "../../notebooks/lib/notebook.ts";

/** What is committed belongs to today's sources. That the outputs do too, CI sees by running them. */

const folder = join(import.meta.dirname, "../../notebooks");
const names = readdirSync(folder).flatMap((name) => (/^\d\d-.*\.ts$/.test(name) ? [name.slice(0, -3)] : []));

test("there are two notebooks", () => expect(names).toEqual(["01-look", "02-thresholds"]));

describe.each(names)("%s", (name) => {
  const source = readFileSync(join(folder, `${name}.ts`), "utf8");
  const text = readFileSync(join(folder, `${name}.md`), "utf8");

  test("shows the code cells of its source (else: make notebooks)", () => {
    const shown = [...text.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, code]) => code);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual(codeCells(source));
  });

  test("shows the headings of its source", () => {
    const headings = [...source.matchAll(/book\.prose\(\s*["`](#+ [^\n"`\\]+)/g)].map(([, heading]) => heading);
    expect(headings.length).toBeGreaterThan(5);
    expect([...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ .*$/gm)].map(([heading]) => heading)).toEqual(headings);
  });

  test("has the pictures it names, and no others", () => {
    const named = [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path]) => path);
    expect(named.length).toBeGreaterThan(1);
    expect(named.sort()).toEqual(
      readdirSync(join(folder, name))
        .map((file) => `${name}/${file}`)
        .sort(),
    );
    for (const path of named) expect(readFileSync(join(folder, path ?? ""), "utf8")).not.toMatch(/NaN|Infinity|undefined/);
  });
});
