import type { MemoryPart } from "../../../schemas/memory-notes.ts";
import { changesFiles, sameFile } from "../../lib/commands/actions.ts";
import type { CondenseInput } from "../../lib/condense-input.ts";
import { ok, rejected } from "../../stage.ts";
import { accept } from "../accept.ts";
import { attempts, type Deed, deedsOf, edits, lastTests, removedAtLast, unsolved, working } from "../extract/deeds.ts";
import { printed } from "../extract/details.ts";
import { filesRead, findings, mentions, oftenNamed, places, plans, textOf, told, versions } from "../extract/findings.ts";
import { attemptIn, isShowing, type listLabels, type Note, notesOf, placeIn, times } from "../extract/note.ts";
import { pack } from "../extract/pack.ts";
import { aims } from "../extract/task.ts";
import { namesIn } from "../extract/words.ts";
import { templateThought } from "../thought.ts";
import type { Condenser } from "./condenser.ts";

/** What an older note is worth before it is known whether anyone still speaks of it. */
const carriedWeights: Readonly<Record<MemoryPart, number>> = {
  task: 1,
  completed: 0.4,
  attempts: 0.45,
  changes: 0.55,
  tests: 0.5,
  facts: 0.4,
  questions: 0.35,
  next: 0.3,
};

type Carried = Omit<Note, "weight">;

/** Items of a list note such as "Files read: `a`, `b`". */
const listed = (notes: readonly Carried[], label: (typeof listLabels)[number]): string[] =>
  notes
    .filter(({ key }) => key === label)
    .flatMap(({ text }) => [...text.slice(label.length).matchAll(/`` (.+?) ``|`([^`]+)`/g)].map((found) => found[1] ?? found[2] ?? ""));

/** Older notes with their weight: more when the fold or the recent steps speak of the same names, less the older they are. */
function weighed(carried: readonly Carried[], needed: ReadonlySet<string>, edited: readonly string[]): Note[] {
  return carried.map((one, index) => {
    const names = [...namesIn(one.text)];
    const asked = names.filter((name) => needed.has(name)).length;
    const relevance = names.length === 0 ? 0 : Math.min(1, asked / Math.min(names.length, 3));
    const place = placeIn(one.text);
    const stale = place !== null && edited.some((file) => sameFile(file, place.file)) ? 0.25 : 0; // its line number may have moved
    const failure = /\bfailed\b/.test(one.text) ? 0.1 : 0;
    const worth = isShowing(one.text) ? 0.1 : carriedWeights[one.part];
    return { ...one, weight: worth + failure + 0.3 * relevance - stale + 0.1 * ((index + 1) / carried.length) };
  });
}

/** An attempt told again, with the older count added. */
function recounted(note: Note, older: Carried | undefined): Note {
  const [now, before] = [attemptIn(note.text), older === undefined ? null : attemptIn(older.text)];
  if (now === null || before === null || note.part !== "attempts") return note;
  const told = `${now.ended}: ${now.command}${times(now.count)}`;
  const text = `${now.ended}: ${now.command}${times(Math.min(10, now.count + before.count))}${note.text.slice(told.length)}`;
  return { ...note, text, weight: note.weight + 0.1 };
}

/** What is said to work is not told on when the last tests of the fold fail: it may be just what broke. */
const claimsSuccess = (text: string): boolean => /\b(?:pass(?:es|ed)?|works|working|successfully|fixed|resolved)\b/i.test(text);

/** The file that an older note says was written or edited; null for other notes. */
const changedIn = ({ part, text }: Carried): string | null =>
  part === "changes" ? (/^(?:Created|Wrote|Edited|Changed) `([^`]{1,300})`/.exec(text)?.[1] ?? null) : null;

interface FoldNews {
  readonly fresh: ReadonlySet<string>;
  readonly solved: ReadonlySet<string>;
  readonly needed: ReadonlySet<string>;
  readonly tested: boolean;
  readonly red: boolean;
  readonly deeds: readonly Deed[];
}

/** Has the fold overtaken an older note? Told anew, a change of a file that is gone, a failure of what works now or of what nobody speaks of any more, an old test run. */
function outdated(one: Carried, fold: FoldNews): boolean {
  const changed = changedIn(one);
  if (changed !== null && removedAtLast(fold.deeds, changed)) return true;
  if (fold.fresh.has(one.key) || (one.key === "Failing tests" && fold.tested)) return true;
  if (one.part === "completed" && fold.red && claimsSuccess(one.text)) return true;
  if (!one.key.startsWith("Not working yet ")) return false;
  const command = one.key.slice("Not working yet ".length);
  return fold.solved.has(command) || ![...namesIn(command.replaceAll("`", " "))].some((name) => fold.needed.has(name));
}

function notesFrom(input: CondenseInput): Note[] {
  const carried = input.previousMemory === null ? [] : notesOf(input.previousMemory);
  const deeds = deedsOf(input.fold);
  const counts = mentions(input.fold);
  const everRead = [...listed(carried, "Files read"), ...deeds.flatMap(({ action }) => action.reads)];
  const fresh = [
    ...aims(input.task),
    ...findings(input.fold),
    ...attempts(deeds),
    ...edits(deeds, (file) => everRead.some((read) => sameFile(read, file))),
    ...lastTests(deeds),
    ...told(input.fold),
    ...filesRead(deeds, listed(carried, "Files read")),
    ...places(deeds, counts),
    ...oftenNamed(counts, listed(carried, "Names that came up often")),
    ...printed(deeds, counts),
    ...versions(deeds),
    ...plans(input.fold),
    ...unsolved(deeds),
  ];
  const newest = new Map(fresh.map((one) => [one.key, one]));
  const recentText = input.recent.map(textOf);
  const needed = new Set([...counts.keys(), ...namesIn(recentText.join("\n"))]);
  const tested = deeds.some(({ action }) => action.tests && action.testResult !== null);
  const older = new Map(carried.map((one) => [one.key, one]));
  const edited = deeds.flatMap(({ action }) => (changesFiles(action) ? action.files : []));
  const red = deeds.findLast(({ action }) => action.tests && action.testResult !== null)?.action.failed ?? false;
  const fold = { fresh: new Set(newest.keys()), solved: working(deeds), needed, tested, red, deeds };
  const kept = weighed(
    carried.filter((one) => !outdated(one, fold)),
    needed,
    edited,
  );
  const standing = [...newest.values()].filter((one) => !(red && one.part === "completed" && claimsSuccess(one.text)));
  const all = [...kept, ...standing.map((one) => recounted(one, older.get(one.key)))];
  const texts = new Set<string>();
  return all.filter((one) => !texts.has(one.text) && texts.add(one.text).size > 0);
}

/**
 * The built-in condenser: writes the memory from the earlier one and the fold without a model. Every line is a piece of the input under a
 * label, so nothing is invented and failures stay failures; the recent steps only tell which older notes are still needed. At most
 * `targetTokens`; when even the headings need more than `capTokens`, it is rejected. Deterministic; linear in the length of the fold.
 */
export const extractive: Condenser = async ({ input, params, thought }, ports) => {
  const memory = pack(notesFrom(input), Math.min(input.targetTokens, input.capTokens), ports.countTokens);
  const accepted = accept(memory, input.capTokens, params.persona, ports);
  if (!accepted.ok) return rejected(accepted.why);
  return ok({ memory: accepted.memory, thought: templateThought(thought, null).text, writer: { condenser: "extractive", version: 2 } });
};
