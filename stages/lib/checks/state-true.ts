import type { Check, CheckView, Finding } from "./check.ts";
import { type Counts, fileClaims, isHistorical, type OutcomeClaim, outcomeClaims, saysUnchanged } from "./claims.ts";
import { deedsOfCommand } from "./command-match.ts";
import { isCommand, pathOf } from "./entities.ts";
import { type Known, knownOf } from "./known.ts";
import type { Deed } from "./runs.ts";
import { tries } from "./runs.ts";
import { eventsOf, type FileEvent, fileEvents, outcomeOf, runsAbout } from "./states.ts";

/** Claims of a memory about tests, files and edits against what was last observed. */

const countsText = ({ passed, failed }: Counts): string =>
  [passed === null ? [] : [`${passed} passed`], failed === null ? [] : [`${failed} failed`]].flat().join(", ");

const agrees = (claimed: Counts, { action }: Deed): boolean =>
  action.testResult !== null &&
  (claimed.passed === null || action.testResult.passed === null || claimed.passed === action.testResult.passed) &&
  (claimed.failed === null ||
    claimed.failed === action.testResult.failed ||
    (claimed.failed === 0 && action.testResult.failed === null && !action.failed) ||
    claimed.failed === action.failing.length);

/** Do the counts stand somewhere, as they are printed or told (`3 passed`)? */
function countsTold({ passed, failed }: Counts, known: Known): boolean {
  const near = (count: number | null, words: RegExp): boolean => {
    if (count === null || count === 0) return true;
    return known.before.texts.some((text) =>
      (text.numbers().get(String(count)) ?? []).some((at) => words.test(text.text.slice(Math.max(0, at - 24), at + 40))),
    );
  };
  return near(passed, /pass|\bok\b|\bran\b|success|✓|test/) && near(failed, /fail|error|test/);
}

function ofCounts(claim: OutcomeClaim, known: Known): Finding[] {
  if (claim.counts === null) return [];
  const runs = known.deeds.filter(({ action }) => action.testResult !== null);
  if (runs.some((run) => agrees(claim.counts as Counts, run)) || countsTold(claim.counts, known)) return [];
  return [{ words: claim.clause, why: `no test run that was seen had ${countsText(claim.counts)}` }];
}

/** Runs that a clause speaks of: those of a command it quotes, else those of the first file or test that was run. */
function runsOf(claim: OutcomeClaim, known: Known): { readonly name: string; readonly runs: readonly Deed[] } | null {
  const tried = known.deeds.filter(({ action }) => action.kind !== "think" && action.kind !== "submit");
  for (const span of spansOf(claim.clause)) {
    const runs = /\s/.test(span) ? deedsOfCommand(span, tried).filter((deed) => isCommand(span) || startsAlike(span, deed)) : [];
    if (runs.length > 0) return { name: span, runs };
    if (isCommand(span)) return null;
  }
  for (const [noun, line] of nouns)
    if (noun.test(claim.clause)) {
      const runs = known.deeds.filter((deed) => tries(deed) && line.test(deed.line));
      if (runs.length > 0) return { name: noun.exec(claim.clause)?.[0] ?? "", runs };
    }
  for (const entity of claim.about) {
    const runs = runsAbout(entity, tried);
    if (runs.length > 0) return { name: entity.words, runs };
  }
  return null;
}

/** A program that nobody knows is one when it was run. */
const startsAlike = (span: string, { action }: Deed): boolean => action.command.split(" ")[0] === span.trim().split(/\s+/)[0];

/** What is run without being quoted. */
const nouns: readonly (readonly [RegExp, RegExp])[] = [[/\breproduc(?:tion|er)\b(?! (?:of|steps))/i, /repro/i]];

const spansOf = (text: string): string[] => [...text.matchAll(/`` ?(.+?) ?``|`([^`]+)`/g)].map((found) => found[1] ?? found[2] ?? "");

/** Did the previous memory say so of the same command, file or test? Then it was observed once. */
function toldBefore(claim: OutcomeClaim, known: Known): boolean {
  const names = (one: OutcomeClaim): string[] => [...spansOf(one.clause), ...one.about.map(({ words }) => words)];
  const own = new Set(names(claim));
  return known.previousClaims.some(
    (one) => one.polarity === claim.polarity && (one.clause === claim.clause || names(one).some((name) => own.has(name))),
  );
}

const current = /\b(?:now|currently|at the moment|at present|still|as of now)\b/i;
const outcomeWords = /\b(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|works?|succeed(?:s|ed)?|successful(?:ly)?)\b/gi;
const bare = (clause: string): string => clause.replace(outcomeWords, "").replace(/\s+/g, " ").trim().toLowerCase();

/** What was not run again is told as the previous memory told it. */
function ofEarlier(claim: OutcomeClaim, known: Known): Finding[] {
  const same = known.previousClaims.filter(({ clause }) => bare(clause) === bare(claim.clause));
  const turned = same.length > 0 && same.every(({ polarity }) => polarity !== null && polarity !== claim.polarity);
  return turned ? [{ words: claim.clause, why: "the previous memory tells the opposite, and nothing was run since" }] : [];
}

/** An error that a clause quotes: of the runs it speaks of, those that printed it. */
function withError(claim: OutcomeClaim, runs: readonly Deed[]): readonly Deed[] {
  const type = /\b[A-Z]\w{2,60}(?:Error|Exception|Failure|Configured|DoesNotExist)\b/.exec(claim.clause)?.[0];
  const printed = type === undefined ? [] : runs.filter(({ call }) => call.result?.includes(type) === true);
  return printed.length > 0 ? printed : runs;
}

/** A run that ends well may still print a failure, and a memory may go by that. */
const printsFailure = ({ call }: Deed): boolean =>
  /\b(?:fail(?:ed|ure|s)?|error|traceback|exception)\b/i.test(
    (call.result ?? "").replace(/\b(?:fail\w*|errors?)(?::\s?|=|\s)0\b|\b(?:0|no) (?:fail\w*|errors?)/gi, ""),
  );

/** An outcome said of a command, a file or a test: at least one run of it must have ended so. */
function ofRuns(claim: OutcomeClaim, known: Known): Finding[] {
  if (claim.polarity === null) return [];
  const found = runsOf(claim, known);
  if (found === null) return ofEarlier(claim, known);
  if (toldBefore(claim, known)) return [];
  const runs = current.test(claim.clause) ? found.runs.slice(-1) : withError(claim, found.runs);
  const outcomes = runs.map(outcomeOf);
  if (outcomes.includes(null) || outcomes.includes(claim.polarity)) return [];
  if (claim.polarity === "failed" && runs.some(printsFailure)) return [];
  return [{ words: claim.clause, why: `${found.name} ${claim.polarity === "passed" ? "failed" : "did not fail"} whenever it was run` }];
}

/** "All tests pass", said of nothing in particular: of the last test run, be it that of the fold or that of the recent steps. */
function ofSuite(claim: OutcomeClaim, known: Known): Finding[] {
  if (!claim.ofTests || claim.counts !== null || claim.polarity === null || isHistorical(claim.clause)) return [];
  if (runsOf(claim, known) !== null || toldBefore(claim, known)) return [];
  const counted = known.deeds.filter(({ action }) => action.testResult !== null);
  const tested = counted.length > 0 ? counted : known.deeds.filter(tries);
  const lasts = [tested.at(-1), tested.findLast(({ step }) => step < known.foldSteps)].flatMap((run) => run ?? []);
  if (lasts.length === 0) return [];
  if (
    claim.polarity === "passed" &&
    lasts.every((run) => outcomeOf(run) === "failed") &&
    /\ball\b|\bsuite\b|^tests? pass/i.test(claim.clause)
  )
    return [{ words: claim.clause, why: "the last test run failed" }];
  if (claim.polarity === "failed" && known.deeds.filter(tries).every((run) => outcomeOf(run) === "passed"))
    return [{ words: claim.clause, why: "nothing that was run failed" }];
  return [];
}

function ofFiles(known: Known, events: readonly FileEvent[]): Finding[] {
  const written = known.deeds.filter(({ action }) => action.kind !== "explore" && action.kind !== "think");
  return known.lines.flatMap((line) =>
    fileClaims(line).flatMap(({ verb, path }): Finding[] => {
      const own = eventsOf(path.words, events);
      const wanted = pathOf(path.words).toLowerCase();
      const name = wanted.slice(wanted.lastIndexOf("/") + 1);
      const touched = own.length > 0 || written.some((deed) => deed.line.toLowerCase().includes(name));
      if (!touched && !known.previousLines.some((one) => one.text.toLowerCase().includes(name)))
        return [{ words: path.words, why: `was not ${verb}: nothing wrote to it` }];
      if (
        verb !== "removed" &&
        own.at(-1)?.state === "removed" &&
        (own.at(-1)?.deed.step ?? 0) < known.foldSteps &&
        !/\b(?:delet|remov|clean|temporar)/i.test(line.text) &&
        !mentionsRemoval(known, name)
      )
        return [{ words: path.words, why: "was removed again" }];
      return [];
    }),
  );
}

const mentionsRemoval = (known: Known, name: string): boolean =>
  known.lines.some(
    ({ text }) =>
      /\b(?:delet|remov|clean|rm\b)/i.test(text) && (text.toLowerCase().includes(name) || /\b(?:scripts?|files?|temporary)\b/i.test(text)),
  );

/** "No changes yet", although a file that was there before has been edited. */
function ofNoChange(view: CheckView, known: Known, events: readonly FileEvent[]): Finding[] {
  const line = known.lines.find(saysUnchanged);
  if (line === undefined) return [];
  const firstSeen = new Map<string, FileEvent>();
  for (const event of events) if (!firstSeen.has(event.file)) firstSeen.set(event.file, event);
  const edited = [...firstSeen.values()].find(
    ({ file, state, deed }) =>
      state === "edited" &&
      deed.step < view.fold.length &&
      !deed.action.failed &&
      deed.action.kind === "edit" &&
      readBefore(file, deed, known) &&
      !/\/tmp\//.test(file),
  );
  return edited === undefined ? [] : [{ words: line.text, why: `${edited.file} was edited` }];
}

const readBefore = (file: string, deed: Deed, known: Known): boolean => {
  const name = pathOf(file).toLowerCase();
  return known.deeds.some(
    (one) =>
      one.step < deed.step &&
      one.action.reads.some((read) =>
        pathOf(read)
          .toLowerCase()
          .endsWith(name.slice(name.lastIndexOf("/") + 1)),
      ),
  );
};

/** Claims about tests, files and edits agree with the last observed state of the fold and the recent steps. */
export const stateTrue: Check = (view) => {
  const known = knownOf(view);
  const events = fileEvents(known.deeds);
  const claims = known.lines.flatMap(outcomeClaims);
  const findings = claims.flatMap((claim) => {
    const counted = ofCounts(claim, known);
    return counted.length > 0 ? counted : [...ofRuns(claim, known), ...ofSuite(claim, known)];
  });
  const files = known.lines.flatMap(fileClaims);
  return { looked: claims.length + files.length, findings: [...findings, ...ofFiles(known, events), ...ofNoChange(view, known, events)] };
};
