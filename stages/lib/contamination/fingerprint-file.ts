import { type EvaluationList, instanceKey, repositoryOf } from "../decontamination.ts";
import { type PrintTable, PrintTableBuilder } from "./print-table.ts";
import { wordsPerPrint } from "./windows.ts";

/**
 * A file of fingerprints, as lines: `instance TAB hash hash ...`, and a third column for the patch's where the set has patches. Hashes are 16 hex
 * digits, parted by one blank. Lines that begin with `#` come first and say what it is; a file without them is one of statements alone.
 */
export const fingerprintFormat = "catgen.fingerprints/1";

/** What the first lines say; null: they do not. */
export interface FingerprintHead {
  readonly format: string | null;
  readonly name: string | null;
  readonly words: number | null;
}

export const headLines = (name: string, text: readonly string[], patch: readonly string[]): string[] => [
  `# ${fingerprintFormat}`,
  `# name: ${name}`,
  `# words: ${wordsPerPrint}`,
  `# text: ${text.join(", ")}`,
  ...(patch.length === 0 ? [] : [`# patch: ${patch.join(", ")}`]),
];

export function headOf(lines: readonly string[]): FingerprintHead {
  const said = lines.filter((line) => line.startsWith("#")).map((line) => line.slice(1).trim());
  const value = (key: string): string | null =>
    said
      .find((line) => line.startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim() || null;
  const words = value("words");
  return {
    format: said.find((line) => line.startsWith("catgen.")) ?? null,
    name: value("name"),
    words: words === null ? null : Number(words),
  };
}

/** An evaluation set by its texts. */
export interface FingerprintIndex {
  readonly name: string;
  /** In the order of the file; tasks of the tables are places in it. */
  readonly instances: readonly string[];
  readonly text: PrintTable;
  /** null: the set has no patches. */
  readonly patch: PrintTable | null;
}

const printsOf = (column: string): string[] => (column === "" ? [] : column.split(" "));
const isPrint = (word: string): boolean => /^[0-9a-f]{16}$/.test(word);

/** Takes the lines of one file. */
export class FingerprintReader {
  private readonly instances: string[] = [];
  private readonly known = new Set<string>();
  private readonly text = new PrintTableBuilder();
  private readonly patch = new PrintTableBuilder();
  private hasPatch = false;

  /** What is wrong with the line; null: nothing. */
  line(line: string): string | null {
    if (line === "" || line.startsWith("#")) return null;
    const [instance = "", text = "", patch = "", ...more] = line.split("\t");
    if (instance === "" || /\s/.test(instance)) return "does not begin with an instance id and a tab";
    if (more.length > 0) return "has more than three columns";
    if (this.known.has(instance)) return `names ${instance} a second time`;
    const [textPrints, patchPrints] = [printsOf(text), printsOf(patch)];
    const odd = [...textPrints, ...patchPrints].find((word) => !isPrint(word));
    if (odd !== undefined) return `has ${JSON.stringify(odd.slice(0, 40))} where 16 hex digits should be`;
    this.known.add(instance);
    this.instances.push(instance);
    this.text.add(new Set(textPrints));
    this.patch.add(new Set(patchPrints));
    this.hasPatch ||= patchPrints.length > 0;
    return null;
  }

  index(name: string): FingerprintIndex {
    return { name, instances: this.instances, text: this.text.table(), patch: this.hasPatch ? this.patch.table() : null };
  }
}

/** Its instances are a set by id, too; repositories follow from the ids. */
export const listOf = ({ name, instances }: FingerprintIndex): EvaluationList => ({
  name,
  instances: new Set(instances.map(instanceKey)),
  repositories: new Set(instances.flatMap((instance) => repositoryOf(instance)?.toLowerCase() ?? [])),
});
