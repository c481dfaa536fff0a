import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import yargs, { type Argv } from "yargs";
import { hideBin } from "yargs/helpers";
import { report } from "../../pipeline/commands/shared.ts";

/**
 * A notebook is a program of cells: `book.prose` is Markdown, `book.code` a function that is run and shown with all that it prints. What comes
 * out is one Markdown file that a code host renders, with its pictures as SVG files in a folder of the same name.
 */

/** What a code cell prints on. */
export interface Page {
  /** Lines as they are. */
  text(lines: string): void;
  /** `rows` may have any number of cells; columns of numbers stand to the right. */
  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void;
  /** Markdown that something else has made. */
  markdown(made: string): void;
  /** An SVG drawing; `name` is that of its file, `words` what it shows, for those who do not see it. */
  picture(name: string, words: string, svg: string): void;
}

export interface Notebook {
  prose(markdown: string): void;
  /** Runs a cell and gives back what it returns, for later cells. */
  code<T>(cell: (page: Page) => T | Promise<T>): Promise<T>;
  /** Writes it all; fails where the source has code cells that were not run. */
  finish(): Promise<void>;
}

/** Where a notebook goes: a folder, or stdout, which has no room for pictures. */
export interface Target {
  readonly out: string | undefined;
  readonly print?: (text: string) => void;
}

/** The options that every notebook has. */
export const notebookOptions = (): Argv<{ run: string; runs: string | undefined; verdict: string | undefined; out: string | undefined }> =>
  yargs(hideBin(process.argv))
    .option("run", { type: "string", demandOption: true, describe: "name of the run to read" })
    .option("runs", { type: "string", describe: "folder of runs" })
    .option("verdict", { type: "string", describe: "verdict set; the one without a name if not given" })
    .option("out", { type: "string", describe: "folder for the Markdown file and its pictures; without it text alone goes to stdout" })
    .strict();

/** The code cells of a notebook's source, in order, as they stand there: from `await book.code(` to the first `});` at the margin. */
export function codeCells(source: string): string[] {
  const lines = source.split("\n");
  const starts = lines.flatMap((line, index) => (/^(?:const .{1,200} = )?await book\.code\(.{1,200}=> \{$/.test(line) ? [index] : []));
  return starts.map((start) => {
    const end = lines.indexOf("});", start);
    if (end < 0) throw new Error(`the cell in line ${start + 1} has no end`);
    return lines.slice(start, end + 1).join("\n");
  });
}

const fenced = (language: string, text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
};

const cellText = (value: string | number): string =>
  String(value)
    .replace(/[\\|]/g, (character) => `\\${character}`)
    .replace(/\s*\n\s*/g, " ");

const isNumber = (value: string | number | undefined): boolean => /^-?[\d,.]+(?: ?%)?$|^-?$/.test(String(value ?? ""));

function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const right = head.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cellText).join(" | ")} |`;
  return [line(head), line(right.map((numbers) => (numbers ? "---:" : "---"))), ...rows.map(line)].join("\n");
}

/** A notebook over the source that is shown beside what its cells print. */
export function createNotebook(name: string, source: string, { out, print }: Target): Notebook {
  const cells = codeCells(source);
  const blocks: string[] = [`<!-- ${name}.ts wrote this: change that file, then run \`make notebooks\` -->`];
  const pictures = new Map<string, string>();
  let run = 0;
  const page: Page = {
    text: (lines) => void blocks.push(fenced("text", lines)),
    table: (head, rows) => void blocks.push(markdownTable(head, rows)),
    markdown: (made) => void blocks.push(made),
    picture: (file, words, svg) => {
      if (pictures.has(file)) throw new Error(`two pictures are named ${file}`);
      pictures.set(file, svg);
      blocks.push(out === undefined ? `(picture ${file}: ${words}; give --out DIR to have it)` : `![${words}](${name}/${file}.svg)`);
    },
  };
  return {
    prose: (markdown) => void blocks.push(markdown.trim()),
    code: async (cell) => {
      const shown = cells[run++];
      if (shown === undefined) throw new Error(`cell ${run} of ${name} is not written as \`await book.code(... => {\` over several lines`);
      blocks.push(fenced("ts", shown));
      return cell(page);
    },
    finish: async () => {
      if (run !== cells.length) throw new Error(`${name} has ${cells.length} code cells, and ${run} were run`);
      const text = `${blocks.join("\n\n")}\n`;
      if (out === undefined) return (print ?? ((all) => void process.stdout.write(all)))(text);
      await mkdir(join(out, name), { recursive: true });
      for (const [file, svg] of pictures) await writeFile(join(out, name, `${file}.svg`), svg);
      await writeFile(join(out, `${name}.md`), text);
    },
  };
}

/** The notebook of the file at `url` (its `import.meta.url`). What stops it is told as the command line tells it. */
export async function openNotebook(url: string, target: Target): Promise<Notebook> {
  process.once("uncaughtException", (error) => process.exit(report(error)));
  const path = fileURLToPath(url);
  return createNotebook(basename(path, ".ts"), await readFile(path, "utf8"), target);
}
