import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeCells, createNotebook } from "../../notebooks/lib/notebook.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-notebook-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const first = `const numbers = await book.code(async (page) => {
  const made = [1, 2];
  page.text(made.join(" "));
  return made;
});`;
const second = `await book.code((page) => {
  page.table(["a"], [[1]]);
});`;
const source = `import { openNotebook } from "./lib/notebook.ts";\n\nbook.prose("# Title");\n\n${first}\n\nbook.prose("between");\n\n${second}\n\nawait book.finish();\n`;

/** A notebook over a source with `cells` code cells, and what it prints in the end. */
function printed(cells = 1): { book: ReturnType<typeof createNotebook>; text: () => string } {
  let all = "";
  const print = (text: string): void => {
    all = text;
  };
  const book = createNotebook("one", Array.from({ length: cells }, () => second).join("\n\n"), { out: undefined, print });
  return { book, text: () => all };
}

test("code cells are found as they stand in the source, with the name that later cells use", () => {
  expect(codeCells(source)).toEqual([first, second]);
  expect(codeCells("const x = 1;\n")).toEqual([]);
  expect(() => codeCells("await book.code((page) => {\n  page.text(1)\n")).toThrow("line 1 has no end");
});

test("prose, the code of a cell and what it prints stand in the order in which they ran", async () => {
  const book = createNotebook("two", source, { out: folder });
  book.prose("# Title");
  const numbers = await book.code(async (page) => {
    page.text("1 2");
    return [1, 2];
  });
  book.prose("between");
  await book.code((page) => page.table(["a"], [[numbers.length]]));
  await book.finish();
  const text = await readFile(join(folder, "two.md"), "utf8");
  const pieces = [
    "# Title",
    `\`\`\`ts\n${first}\n\`\`\``,
    "```text\n1 2\n```",
    "between",
    `\`\`\`ts\n${second}\n\`\`\``,
    "| a |\n| ---: |\n| 2 |",
  ];
  expect(text.split("\n\n").slice(1).join("\n\n").trimEnd()).toBe(pieces.join("\n\n"));
});

test("pictures become files beside the text, which names them", async () => {
  const book = createNotebook("drawn", second, { out: folder });
  await book.code((page) => page.picture("line", "a line", "<svg/>"));
  await book.finish();
  expect(await readFile(join(folder, "drawn.md"), "utf8")).toContain("![a line](drawn/line.svg)");
  expect(await readdir(join(folder, "drawn"))).toEqual(["line.svg"]);
});

test("without a folder the text goes out alone, and says which picture is left out", async () => {
  const { book, text } = printed();
  await book.code((page) => page.picture("line", "a line", "<svg/>"));
  await book.finish();
  expect(text()).toContain("(picture line: a line; give --out DIR to have it)");
});

test("a table keeps what data put into a cell in that cell, and numbers to the right", async () => {
  const { book, text } = printed();
  await book.code((page) =>
    page.table(
      ["name", "value"],
      [
        ["a|b\nc\\", "1,000"],
        ["d", "3.5 %"],
      ],
    ),
  );
  await book.finish();
  expect(text()).toContain("| name | value |\n| --- | ---: |\n| a\\|b c\\\\ | 1,000 |\n| d | 3.5 % |");
});

test("printed text cannot close the block it stands in", async () => {
  const { book, text } = printed();
  await book.code((page) => page.text("```\n# not a title\n````"));
  await book.finish();
  expect(text()).toContain("`````text\n```\n# not a title\n````\n`````");
});

test("a cell that is not in the source, or was not run, is an error", async () => {
  const none = printed(0).book;
  await expect(none.code(() => 1)).rejects.toThrow("cell 1 of one is not written as");
  const { book } = printed(2);
  await book.code(() => 1);
  await expect(book.finish()).rejects.toThrow("one has 2 code cells, and 1 were run");
});

test("two pictures of one name are an error", async () => {
  const { book } = printed();
  const twice = book.code((page) => {
    page.picture("line", "a line", "<svg/>");
    page.picture("line", "another", "<svg/>");
  });
  await expect(twice).rejects.toThrow("two pictures are named line");
});
