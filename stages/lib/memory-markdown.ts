import type { MemoryPart } from "../../schemas/memory-notes.ts";
import type { MemoryRepair } from "../../schemas/writer.ts";
import { heading, memorySections, type NoMemory, noMemory, quoted } from "./memory-text.ts";

/** Sections of a memory in Markdown as models write it. */

/** What a section says before it is known to be well-formed. */
export interface LooseSection {
  readonly part: MemoryPart;
  readonly bullets: readonly string[];
}
export interface LooseMemory {
  readonly sections: readonly LooseSection[];
  readonly repairs: ReadonlySet<MemoryRepair>;
}

/** `## Task`, `# Task`, `**Task:**`, `2. TASK`: the marks and the words. Both ends are bounded, so that it is linear. */
const headingLine =
  /^ {0,3}(#{1,6}[ \t]*)?(?:\d{1,2}[.)][ \t]*)?(?:\*\*|__)?([A-Za-z][A-Za-z &/]{2,40}?)[ \t]*:?(?:\*\*|__)?[ \t]*:?[ \t]*#{0,6}$/;

/** The section that a line is a heading of, whatever its level and marks; null: it is no heading of ours. */
export function looseHeading(line: string): { readonly part: MemoryPart } | null {
  const words = line.length > 80 ? undefined : headingLine.exec(line.trimEnd())?.[2];
  const plain = words?.toLowerCase().replaceAll("&", "and").replace(/\s+/g, " ").trim();
  return memorySections.find(({ title }) => title.toLowerCase() === plain) ?? null;
}

/** A heading of the first two levels that is none of ours: a section of the model's own. */
const otherHeading = /^#{1,2}[ \t]+\S/;
const bulletLine = /^([ \t]{0,40})(?:([-*•+])|\d{1,3}[.)])(?:[ \t]+(.*))?$/;

/**
 * Splits a text into sections and bullets. Words before the first section and lines of code fences are left out; nested bullets stand
 * beside their parents; a line without a mark belongs to the bullet above it, or is one where there is none.
 */
export function looseMarkdown(text: string): LooseMemory | NoMemory {
  const sections: { part: MemoryPart; bullets: string[] }[] = [];
  const repairs = new Set<MemoryRepair>();
  let open = false; // a bullet that the next plain line belongs to
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trimEnd();
    const title = looseHeading(line);
    const section = sections.at(-1);
    if (title !== null) {
      if (raw !== heading(memorySections.find(({ part }) => part === title.part)?.title ?? "")) repairs.add("heading");
      sections.push({ part: title.part, bullets: [] });
      open = false;
    } else if (line.trim() === "") open = false;
    else if (/^[ \t]{0,8}(?:```|~~~)/.test(line)) repairs.add("fence");
    else if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})$/.test(line))
      repairs.add("bullet"); // a rule between sections
    else if (section === undefined) repairs.add("preamble");
    else if (otherHeading.test(line))
      return noMemory(
        "memory-section-unknown",
        index,
        `expected no section but ${memorySections.map((one) => one.title).join(", ")}; got ${quoted(line)}`,
      );
    else open = takeLine(section.bullets, line, open, repairs);
    if (raw !== line && section !== undefined && line !== "") repairs.add("one-line");
  }
  return { sections, repairs };
}

/** Adds a line to the bullets of its section. True: the next plain line belongs to it. */
function takeLine(bullets: string[], line: string, open: boolean, repairs: Set<MemoryRepair>): boolean {
  const found = bulletLine.exec(line);
  const last = bullets.at(-1);
  if (found !== null) {
    if (found[1] !== "" || found[2] !== "-" || line[1] !== " ") repairs.add("bullet");
    if (found[3] !== undefined) bullets.push(found[3]);
    return found[3] !== undefined;
  }
  if (open && last !== undefined) {
    bullets[bullets.length - 1] = `${last} ${line.trim()}`;
    repairs.add("one-line");
    return true;
  }
  bullets.push(line.replace(/^#{3,6}[ \t]+/, "").trim());
  repairs.add("bullet");
  return true;
}
