import { withoutEscapes } from "./seen.ts";

/** A memory line by line: under which heading it stands, and whether it states or intends. */
export interface MemoryLine {
  /** Without bullet, number and quote marks. */
  readonly text: string;
  /** The nearest heading above, in lower case; "" before the first. */
  readonly heading: string;
  /** Under a heading for what is yet to be done: a plan is no claim of fact. */
  readonly plan: boolean;
  /** Inside a fenced block, where every word is code. */
  readonly code: boolean;
}

const markdown = /^\s{0,3}#{1,6}\s+(.{1,120}?)[\s:#]*$/;
const bold = /^\s{0,3}\*\*([^*]{1,80}?):?\*\*:?\s*(.*)$/;
/** `CODE_STATE:`, `Files changed:` at the beginning of a line, with or without words behind. */
const label =
  /^\s{0,3}([A-Z][A-Z_ ]{2,40}|(?:Next|Open|Pending|Completed|Changes|Tests|Facts|Task|To ?do|Remaining|Done)\b[\w /&-]{0,40}):(?:\s+(.*))?$/;
const bullet = /^\s*(?:>\s*)?(?:(?:[-*•+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?/;
const planHeading = /\b(?:next|pending|to-?\s?do|remaining|open|plan(?:ned|s)?|upcoming|left to|outstanding|future)\b/;
const planWords =
  /\b(?:should|need(?:s|ed)? to|has to|have to|must (?:still|now|next|be (?:added|written|run|checked|verified|fixed))|to-?do\b|plan(?:ned|s)? to|planning|will (?:be )?(?:\w+)|going to|not yet|yet to|still to|remains? to|intend|could (?:also )?|consider|if needed|as needed|would|want(?:s)? to|about to|(?:not|never) been (?:run|tried|tested|touched|looked))\b/i;
/** A clause that begins with one of these tells somebody what to do. Words that are a past tense as well ("read", "set", "run") only count where nothing is reported. */
const orders =
  /^\W{0,4}(?:(?:then|next|first|finally|also|now|and|so|afterwards|optionally|possibly|perhaps|maybe|after that|once \w+|with [^,]{1,60}),? ){0,2}(?:re-?run|check|verify|add|write|create|fix|get|look|deliver|submit|install|grep|remove|delete|update|implement|ensure|make|confirm|decide|consider|try|inspect|open|find|test|use|keep|drop|finish|review|switch|revert|search|see|apply|extend|move|rename|replace|clean|investigate|examine|determine|compare|repeat|restore|continue|start|go|do|don't|do not|never|avoid|leave|mirror|follow|build|commit|run|read|set|put)\b(?! (?:was|were|has|is|by|of|now)\b)/i;
const reports =
  /\b(?:task|goal|issue|objective|user|problem)|\b(?:complet|done|attempt|outcome|change|tests?|finish|tried|history|progress|state|found)/;
/** What the user wants stands in Q; it is a claim about Q, however it is worded. */
const asked = /\b(?:task|goal|objective|user|problem)\b/;
/** A guess that says so. */
const hedges =
  /\b(?:probably|perhaps|maybe|might|may be|likely|presumably|possibly|assum(?:e|ed|ing|ption)|guess(?:ed)?|suspect(?:ed)?|seems?|apparently|e\.g\.|for example|for instance|such as|something like|not (?:sure|known|clear)|unknown|unclear|unverified|hypothe\w+)\b/i;

/** Does the sentence speak of what is yet to be done? */
export const isPlanned = (text: string): boolean => planWords.test(spoken(text));
/** Without what stands between backticks: names and code say nothing about what is planned. */
export const spoken = (text: string): string => text.replace(/`[^`]*`/g, "`");
const isOrder = (clause: string, heading: string): boolean => orders.test(spoken(clause)) && !reports.test(heading);

/** Does the clause, on its line, say what is yet to be done? */
export const isPlan = (line: MemoryLine, clause: string): boolean =>
  line.plan || (isPlanned(clause) && !asked.test(line.heading)) || isOrder(clause, line.heading);

/** What a clause says is a question, a guess that says so, or still to be done: no claim of fact. */
export const isConjecture = (clause: string): boolean => /\?\W*$/.test(clause) || hedges.test(spoken(clause));

interface Head {
  readonly title: string;
  readonly rest: string;
}

function headOf(line: string): Head | null {
  const marked = markdown.exec(line)?.[1];
  if (marked !== undefined) return { title: marked, rest: "" };
  const found = bold.exec(line) ?? label.exec(line);
  if (found === null || (found[2] ?? "").length > 400) return null;
  return { title: found[1] ?? "", rest: found[2] ?? "" };
}

/** Lines that say something, with what stands above them. Linear. */
export function linesOfMemory(memory: string): MemoryLine[] {
  const lines: MemoryLine[] = [];
  let heading = "";
  let code = false;
  for (const raw of withoutEscapes(memory).split("\n")) {
    if (/^\s*(?:```|~~~)/.test(raw)) {
      code = !code;
      continue;
    }
    const head = code ? null : headOf(raw);
    if (head !== null) heading = head.title.toLowerCase().replaceAll("_", " ");
    const text = (head === null ? (code ? raw : raw.replace(bullet, "")) : head.rest).trim();
    if (text !== "") lines.push({ text, heading, plan: planHeading.test(heading), code });
  }
  return lines;
}

/** A longer clause is a listing; it is read in pieces, so that what looks around in a clause stays linear. Our choice. */
const longestClause = 600;

function pieces(clause: string): string[] {
  const found: string[] = [];
  let rest = clause;
  while (rest.length > longestClause) {
    const space = rest.lastIndexOf(" ", longestClause);
    const end = space <= 0 ? longestClause : space;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...found, rest];
}

/** Sentences and clauses of a line: what one outcome is said of. Full stops inside names and numbers end nothing. */
export const clausesOf = (text: string): string[] => {
  const clauses: string[] = [];
  let last = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "`") quoted = !quoted;
    if (quoted || !".;!?".includes(char ?? " ")) continue;
    if (!/[\s)]/.test(text[at + 1] ?? " ") || /\b(?:e\.g|i\.e|vs|cf|no|etc)$/i.test(text.slice(Math.max(0, at - 4), at))) continue;
    clauses.push(text.slice(last, at + 1));
    last = at + 1;
  }
  clauses.push(text.slice(last));
  return clauses
    .flatMap(pieces)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");
};
