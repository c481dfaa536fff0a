import type { CheckView } from "../../../../stages/lib/checks/check.ts";

/**
 * Good memories made bad on purpose. What is corrupted is found by patterns of its own, not by the extraction that the checks use, so that
 * what the checks overlook counts as missed. A corruption gives null where the memory has nothing of the kind.
 */

/** Draws from [0, 1); seeded, so that a proof can be repeated. */
export type Random = () => number;

/** Names of other runs, to replace names by plausible ones. */
export interface Pool {
  readonly fileStems: readonly string[];
  readonly symbols: readonly string[];
}

export interface Corrupted {
  readonly view: CheckView;
  /** What was done, for a person: `a -> b`. */
  readonly change: string;
}
export type Corruption = (view: CheckView, pool: Pool, random: Random) => Corrupted | null;

const pick = <T>(items: readonly T[], random: Random): T | undefined => items[Math.floor(random() * items.length)];
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Everything before the cut, as one text in lower case. */
export function beforeText(view: CheckView): string {
  const steps = [...view.fold, ...view.recent].flatMap((step) => [
    step.thought,
    ...step.calls.flatMap((call) => [call.arguments, call.result ?? ""]),
    ...step.feedback,
  ]);
  return [view.task, view.previousMemory ?? "", ...steps].join("\n").toLowerCase();
}

interface Place {
  readonly line: string;
  readonly index: number;
}

const planHeading = /next|pending|to.?do|remaining|open|plan/i;
const planned =
  /\b(?:apparently|seems?|likely|presumably|assum\w*|suspect\w*|guess\w*|unclear|unknown|not sure|hypothes\w*|possibly|should|need|will|would|could|to be|to do|not yet|still|might|may|perhaps|probably|maybe|e\.g\.|if)\b|\?/i;
const headingLine = /^\s*(?:#{1,6}\s|\*\*|[A-Z][A-Z_ ]{2,40}:)/;

/** Lines that state something: not under a heading for plans and questions, not hedged. */
export function statements(memory: string): Place[] {
  let plan = false;
  return memory.split("\n").flatMap((line, index) => {
    if (headingLine.test(line)) plan = planHeading.test(line.slice(0, 60));
    const rest = line.replace(headingLine, "");
    if (plan || rest.trim() === "" || /^\s*#/.test(line) || planned.test(line)) return [];
    return [{ line, index }];
  });
}

const withLine = (view: CheckView, place: Place, line: string, change: string): Corrupted => {
  const lines = view.memory.split("\n");
  lines[place.index] = line;
  return { view: { ...view, memory: lines.join("\n") }, change };
};

interface Found extends Place {
  readonly at: number;
  readonly words: string;
}
const find = (places: readonly Place[], pattern: RegExp): Found[] =>
  places.flatMap((place) => [...place.line.matchAll(pattern)].map((match) => ({ ...place, at: match.index, words: match[0] })));
const replaced = ({ line, at, words }: Found, by: string): string => line.slice(0, at) + by + line.slice(at + words.length);

const filePath = /[\w~./-]*\w\.(?:py|js|ts|tsx|go|rs|c|h|cpp|java|rb|php|md|rst|txt|toml|cfg|json|ya?ml|pony|html)\b/g;

/** `a/b/core.py` -> `a/b/widgets.py`: a file name of another run, in the same folder; never one that was shown. */
const swapPath: Corruption = (view, pool, random) => {
  const before = beforeText(view);
  const found = pick(
    find(statements(view.memory), filePath).filter(({ words }) => before.includes(words.slice(words.lastIndexOf("/") + 1).toLowerCase())),
    random,
  );
  if (found === undefined) return null;
  const name = found.words.slice(found.words.lastIndexOf("/") + 1);
  const ending = name.slice(name.lastIndexOf("."));
  const stem = pick(
    pool.fileStems.filter((one) => !before.includes(`${one}${ending}`.toLowerCase())),
    random,
  );
  if (stem === undefined) return null;
  const by = found.words.slice(0, found.words.length - name.length) + stem + ending;
  return withLine(view, found, replaced(found, by), `${found.words} -> ${by} in: ${found.line.trim()}`);
};

/** Another file that the fold did show: grounded, and false. */
const swapPathSeen: Corruption = (view, _pool, random) => {
  const before = beforeText(view);
  const found = pick(find(statements(view.memory), filePath), random);
  if (found === undefined) return null;
  const others = [...new Set(before.match(filePath) ?? [])].filter(
    (one) =>
      one.length < 120 &&
      !view.memory.toLowerCase().includes(one) &&
      !found.words.toLowerCase().endsWith(one.slice(one.lastIndexOf("/") + 1)),
  );
  const by = pick(others, random);
  return by === undefined ? null : withLine(view, found, replaced(found, by), `${found.words} -> ${by} in: ${found.line.trim()}`);
};

const symbol = /(?<=`)_{0,2}[A-Za-z]\w*_\w+(?=[`(.])|(?<=`)[A-Z][a-z]+[A-Z]\w+(?=[`(.])|\b[a-z]+(?:_[a-z0-9]+)+\b(?!\.\w|\/)/g;

/** `_cstack` -> a name of another run of the same build; never one that was shown. */
const swapSymbol: Corruption = (view, pool, random) => {
  const before = beforeText(view);
  const found = pick(
    find(statements(view.memory), symbol).filter(({ words }) => new RegExp(`\\b${escaped(words.toLowerCase())}\\b`).test(before)),
    random,
  );
  if (found === undefined) return null;
  const camel = /[A-Z]/.test(found.words) && !found.words.includes("_");
  const by = pick(
    pool.symbols.filter((one) => /[A-Z]/.test(one) === camel && !before.includes(one.toLowerCase())),
    random,
  );
  return by === undefined ? null : withLine(view, found, replaced(found, by), `${found.words} -> ${by} in: ${found.line.trim()}`);
};

const opposite: readonly (readonly [RegExp, string])[] = [
  [/\b(\d+) passed\b(?!, \d+ failed)/, "$1 failed"],
  [/\b([1-9]\d*) failed\b/, "0 failed"],
  [/\bfailed\b/, "passed"],
  [/\bfails\b/, "passes"],
  [/\bfailing\b/, "passing"],
  [/\bfail\b/, "pass"],
  [/\bpassed\b/, "failed"],
  [/\bpasses\b/, "fails"],
  [/\bpassing\b/, "failing"],
  [/\bpass\b/, "fail"],
];
/** What was run: a command, a test file or test, the suite, the reproduction. */
const subject =
  /`(?:cd [^`]* )?(?:python3?|pytest|pip|npm|node|make|cargo|go|tox|\.\/\w+|bin\/test)\b[^`]*`|`?[\w./-]*\btest\w*\.\w+|\btests?\b|\bsuite\b|\breproduction\b|\breproduc\w+\.py|\binstallation\b|\bbuild\b/i;

/** A stated outcome of something that was run, turned round: the outcome's word follows its subject in the same sentence. */
const flipResult: Corruption = (view, _pool, random) => {
  const turns = statements(view.memory).flatMap((place) =>
    place.line.split(/(?<=[.;])\s/).flatMap((sentence) => {
      const named = subject.exec(sentence);
      if (named === null) return [];
      // Only words outside of code are turned: the rest is a name.
      const from = named.index + named[0].length;
      const tail = sentence.slice(from, from + 60);
      const spoken = tail.replace(/`[^`]*`?/g, (all) => "#".repeat(all.length));
      const turn = opposite.find(([words]) => words.test(spoken));
      const at = turn === undefined ? -1 : spoken.search(turn[0]);
      if (turn === undefined || at < 0) return [];
      const turned = sentence.slice(0, from + at) + sentence.slice(from + at).replace(turn[0], turn[1]);
      return [{ place, sentence, turned }];
    }),
  );
  const turn = pick(turns, random);
  if (turn === undefined) return null;
  return withLine(
    view,
    turn.place,
    turn.place.line.replace(turn.sentence, () => turn.turned),
    `${turn.sentence.trim()} -> ${turn.turned.trim()}`,
  );
};

const rule = /\b(?:must|never|do not|don't|not allowed|forbidden|required|always|has to|have to)\b/i;

/** The next hop forgets a rule that Q does not state: the memory is carried over a fold of no steps, one rule is left out. */
const dropConstraint: Corruption = (view, _pool, random) => {
  let heading = "";
  const rules = view.memory.split("\n").flatMap((line, index) => {
    if (headingLine.test(line)) heading = line;
    return /constraint|rule|requirement/i.test(heading) && rule.test(line) && !headingLine.test(line) ? [{ line, index }] : [];
  });
  const place = pick(rules, random);
  if (place === undefined) return null;
  const memory = view.memory
    .split("\n")
    .filter((_, index) => index !== place.index)
    .join("\n");
  return { view: { ...view, previousMemory: view.memory, fold: [], memory }, change: `without: ${place.line.trim()}` };
};

/** Names that later steps show first, with the words around them. */
const futureFact: Corruption = (view, _pool, random) => {
  const before = beforeText(view);
  const facts = (view.later ?? []).flatMap(({ thought }) =>
    thought
      .split(/(?<=[.!])\s+|\n/)
      .filter(
        (sentence) =>
          sentence.length > 25 && sentence.length < 240 && !planned.test(sentence) && !/^(?:let|now|i'll|next)/i.test(sentence.trim()),
      )
      .filter((sentence) =>
        [...sentence.matchAll(/[\w./-]+\.py\b|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][a-z]+[A-Z]\w+\b|\blines? \d{2,5}\b/g)].some(
          ([name]) => !before.includes(name.toLowerCase()),
        ),
      ),
  );
  const fact = pick(facts, random);
  if (fact === undefined) return null;
  const lines = view.memory.split("\n");
  const stated = statements(view.memory);
  const at = pick(stated, random)?.index ?? lines.length - 1;
  return {
    view: { ...view, memory: [...lines.slice(0, at + 1), `- ${fact.trim()}`, ...lines.slice(at + 1)].join("\n") },
    change: `with: ${fact.trim()}`,
  };
};

const failure =
  /\b(?:fail\w*|errors?|exceptions?|traceback|crash\w*|broke\w*|not work\w*|\w+Error|\w+Exception|raises?d?|unsolved|unresolved|wrong|incorrect)\b/;

/** Every sentence that tells of a failure is left out: what elongates trajectories. */
const deleteFailure: Corruption = (view) => {
  const kept = view.memory.split("\n").flatMap((line) => {
    if (headingLine.test(line) && !failure.test(line)) return [line];
    const sentences = line.split(/(?<=[.;])\s+/).filter((sentence) => !failure.test(sentence));
    return sentences.length === 0 ? [] : [sentences.join(" ")];
  });
  const memory = kept.join("\n");
  return memory === view.memory || memory.trim() === "" ? null : { view: { ...view, memory }, change: "without its failures" };
};

/** A failing state told as a success. */
const smoothFailure: Corruption = (view) => {
  const gone = deleteFailure(view, { fileStems: [], symbols: [] }, () => 0);
  if (gone === null) return null;
  return { view: { ...gone.view, memory: `${gone.view.memory}\n\n## Tests\n- All tests pass.` }, change: "failures told as success" };
};

const changed = (view: CheckView, numbers: readonly Found[], random: Random): Corrupted | null => {
  const found = pick(numbers, random);
  if (found === undefined) return null;
  const by = found.words.includes(".")
    ? found.words.replace(/(\d+)$/, (last) => String(Number(last) + 1 + Math.floor(random() * 3)))
    : String(Number(found.words) + 7 + Math.floor(random() * 80));
  return withLine(view, found, replaced(found, by), `${found.words} -> ${by} in: ${found.line.trim()}`);
};

/** The line that a name is said to stand in. */
const moveLine: Corruption = (view, _pool, random) =>
  changed(
    view,
    find(
      statements(view.memory),
      /(?<=`[ ,]{0,2}\(?(?:at |near |about |from )?line )\d{2,5}\b(?! ?[-–,])|(?<=\b(?:class|function|method)[ :]{1,2}\(?(?:at )?line )\d{2,5}\b|(?<=\w: [\w./-]{1,90}\.\w{1,4}:)\d{2,5}\b/g,
    ),
    random,
  );

/** Either end of a range of lines, and lines without a name beside them. */
const moveRange: Corruption = (view, _pool, random) =>
  changed(view, find(statements(view.memory), /(?<=\blines (?:\d+[-–])?)\d{2,5}\b/g), random);

/** Counts of tests and versions. */
const changeCount: Corruption = (view, _pool, random) =>
  changed(
    view,
    find(
      statements(view.memory),
      /\b\d{1,4}(?= (?:passed|failed|tests? pass|tests? fail))|(?<=\b(?:Python|[Vv]ersion|v|NumPy|numpy|Django|pytest) ?)\d+\.\d+(?:\.\d+)?/g,
    ),
    random,
  );

const commandSpan =
  /(?<=`)(?:cd [^`&]+ && )?(?:python3?|pytest|pip|npm|node|make|cargo|go|git|tox|npx|grep|sed|\.\/\w+)(?: [^`\s][^`]*)+(?=`)/g;
const otherOptions = ["--maxfail=1", "--no-header", "-W error", "--lf", "--color=no", "-p no:cacheprovider", "--strict-markers"];

/** A command with another argument, another option, or another program. */
const alterCommand: Corruption = (view, pool, random) => {
  const before = beforeText(view);
  const found = pick(find(statements(view.memory), commandSpan), random);
  if (found === undefined) return null;
  const words = found.words.split(" ");
  const way = Math.floor(random() * 3);
  const at = 1 + Math.floor(random() * (words.length - 1));
  const stem = pick(
    pool.fileStems.filter((one) => !before.includes(one.toLowerCase())),
    random,
  );
  if (way === 0)
    words.splice(
      words.length,
      0,
      pick(
        otherOptions.filter((one) => !before.includes(one)),
        random,
      ) ?? "--lf",
    );
  else if (way === 1) words[at] = /\//.test(words[at] ?? "") ? (words[at] ?? "").replace(/[^/]+$/, `${stem}.py`) : `${stem}.py`;
  else words[0] = words[0] === "nosetests" ? "py.test" : "nosetests";
  const by = words.join(" ");
  return withLine(view, found, replaced(found, by), `${found.words} -> ${by} in: ${found.line.trim()}`);
};

export const corruptions = {
  "swap a path for one never shown": swapPath,
  "swap a path for another of the fold": swapPathSeen,
  "swap a symbol": swapSymbol,
  "flip a result": flipResult,
  "drop a constraint": dropConstraint,
  "add a future fact": futureFact,
  "delete the failure": deleteFailure,
  "tell a failure as success": smoothFailure,
  "move the line of a name": moveLine,
  "move a range of lines": moveRange,
  "change a count or version": changeCount,
  "alter a command": alterCommand,
} satisfies Record<string, Corruption>;
export type CorruptionName = keyof typeof corruptions;

/** Names from all views, for swaps. */
export function poolOf(views: readonly CheckView[]): Pool {
  const stems = new Set<string>();
  const symbols = new Set<string>();
  for (const view of views) {
    for (const [path] of view.memory.matchAll(filePath)) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const stem = name.slice(0, name.lastIndexOf("."));
      if (stem.length >= 4 && !/^(?:test|reproduce|setup|readme|__)/i.test(stem)) stems.add(stem);
    }
    for (const [name] of view.memory.matchAll(symbol)) if (name.length >= 6) symbols.add(name);
  }
  return { fileStems: [...stems].sort(), symbols: [...symbols].sort() };
}
