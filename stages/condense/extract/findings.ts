import { shortened } from "../../lib/commands/actions.ts";
import { bodyOf } from "../../lib/commands/results.ts";
import { jsonMembers, stringMember } from "../../lib/json-text.ts";
import { oneLine } from "../../lib/memory-text.ts";
import type { RenderedCall, RenderedStep } from "../../lib/render.ts";
import type { Deed } from "./deeds.ts";
import { code, type Note, note } from "./note.ts";
import { asBullet, edges, importance, isConstraint, isDone, isIntent, isRemaining, namesIn, sentencesOf } from "./words.ts";

/** What was found out: notes from thoughts, feedback and what tools showed. */

/** What the agent says in a step, its `think` calls included. */
export const wordsOf = (step: RenderedStep): string =>
  [
    step.thought,
    ...step.calls.filter((call) => call.name === "think").map((call) => stringMember(jsonMembers(call.arguments) ?? [], "thought") ?? ""),
  ].join("\n");

/** Strings among the arguments of a call, as the tool got them. */
const argumentText = (call: RenderedCall): string => {
  const members = jsonMembers(call.arguments) ?? [];
  return members.map(({ key }) => edges(stringMember(members, key) ?? "", 4_000)).join("\n");
};

/** What the agent says and writes in a step. */
export const textOf = (step: RenderedStep): string => [wordsOf(step), ...step.calls.map(argumentText)].join("\n");

/** Sentences of a thought that say something found out: from here on; and those that fill room where there is some. */
const [tellingRate, fillingRate] = [0.4, 0.15];
/** Of each thought. */
const [mostTelling, mostFilling] = [3, 4];

/** The most telling sentences of each thought, in order, and lighter ones; what is said to be done apart from what is so. */
export function findings(steps: readonly RenderedStep[]): Note[] {
  return steps.flatMap((step, index) => {
    const rated = sentencesOf(wordsOf(step)).map((sentence, place) => ({ sentence, place, rate: importance(sentence) }));
    const ranked = rated.filter(({ rate }) => rate >= fillingRate).sort((a, b) => b.rate - a.rate || a.place - b.place);
    const best = ranked.filter(({ rate }) => rate >= tellingRate).slice(0, mostTelling);
    const light = ranked.filter((one) => !best.includes(one)).slice(0, mostFilling);
    const late = (index + 1) / steps.length;
    return [...best, ...light]
      .sort((a, b) => a.place - b.place)
      .map(({ sentence, rate, place }) =>
        note(
          isDone(sentence) && !isConstraint(sentence) ? "completed" : "facts",
          asBullet(sentence),
          best.some((one) => one.place === place) ? 0.25 + 0.35 * rate + 0.2 * late : 0.12 + 0.2 * rate + 0.1 * late,
        ),
      );
  });
}

/** What the agent still means to do, from the last third of the steps; its last plan even if nothing marks it as open. */
export function plans(steps: readonly RenderedStep[]): Note[] {
  const late = steps.slice(Math.floor((steps.length * 2) / 3));
  const sentences = late.flatMap((step) => sentencesOf(wordsOf(step)));
  const open = sentences.filter((sentence) => isRemaining(sentence) && importance(sentence) < 0.9).slice(-4);
  const plan = sentences.findLast((sentence) => isIntent(sentence) && sentence.length >= 20);
  const notes = open
    .filter((sentence) => sentence !== plan)
    .map((sentence, index) => note(sentence.endsWith("?") ? "questions" : "next", asBullet(sentence), 0.4 + 0.05 * index));
  return plan === undefined ? notes : [...notes, note("next", `Last plan: ${asBullet(plan)}`, 0.5)];
}

/** User-side messages that are no tool results: whoever watches the agent has told it something. */
export const told = (steps: readonly RenderedStep[]): Note[] =>
  steps.flatMap((step) =>
    step.feedback.flatMap((text) => {
      const line = shortened(oneLine(text), 240);
      return line === "" ? [] : [note("facts", `Told: ${line}`, 0.6)];
    }),
  );

/** Files and folders that were looked at, most often looked at first; 24 at most. `earlier` were read before these steps. */
export function filesRead(deeds: readonly Deed[], earlier: readonly string[]): Note[] {
  const counts = new Map(earlier.map((file) => [file, 1]));
  for (const { action } of deeds)
    for (const file of action.failed ? [] : action.reads.map(oneLine))
      if (/\w\.\w|\//.test(file) && file.length <= 160) counts.set(file, (counts.get(file) ?? 0) + 1);
  const files = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 24)
    .map(([file]) => file);
  return files.length === 0 ? [] : [note("facts", `Files read: ${files.map(code).join(", ")}`, 0.65)];
}

/** How many of the steps mention each name of code, in words or arguments. */
export function mentions(steps: readonly RenderedStep[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const step of steps) {
    const text = textOf(step);
    for (const name of namesIn(text)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Names of code that at least three steps speak of; 16 at most. */
export function oftenNamed(counts: ReadonlyMap<string, number>, earlier: readonly string[]): Note[] {
  const often = [...counts]
    .filter(([name, count]) => count >= 3 && !/[/]|\.(?:py|js|ts|txt|md|json)$/.test(name))
    .sort((a, b) => b[1] - a[1]);
  const names = [...new Set([...often.slice(0, 12).map(([name]) => oneLine(name)), ...earlier])].slice(0, 16);
  return names.length === 0 ? [] : [note("facts", `Names that came up often: ${names.map(code).join(", ")}`, 0.5)];
}

const numbered = /^\s*(?:([^\s:]{1,200}):)?(\d{1,6})[:\t]\s*(.{1,300})$/;
const defining = /^(?:export )?(?:default )?(?:async )?(?:def|class|function|fn|func|interface|struct|public|private|const|module) /;

/** Places that are told with full weight, and in all; the further ones fill room. */
const [mostPlaces, allPlaces] = [24, 160];

/** Places in the code: numbered lines that tools showed and that hold a name the agent speaks of, and definitions. */
export function places(deeds: readonly Deed[], counts: ReadonlyMap<string, number>): Note[] {
  const found = new Map<string, Note>();
  const spoken = new Map<string, number>();
  for (const [name, count] of counts) for (const word of name.split(/\W+/)) spoken.set(word, Math.max(count, spoken.get(word) ?? 0));
  for (const { call, action } of deeds) {
    if (action.kind !== "explore" || action.failed || call.result === null) continue;
    const [only] = action.reads.length === 1 ? action.reads : [];
    for (const line of edges(bodyOf(call.result), 60_000).split("\n")) {
      const parts = line.length > 520 ? null : numbered.exec(line);
      const path = parts?.[1] ?? only;
      const text = parts?.[3]?.trim() ?? "";
      if (path === undefined || parts === null || text.length < 6) continue;
      const rate = Math.max(0, ...[...text.matchAll(/[A-Za-z_]\w{2,60}/g)].slice(0, 30).map((word) => spoken.get(word[0]) ?? 0));
      const defines = defining.test(text);
      if (rate < (defines ? 0 : 2) || (!defines && text.length < 24)) continue;
      const shown = `${code(oneLine(path))} line ${parts[2]}: ${code(shortened(oneLine(text), 110))}`;
      found.delete(shown);
      found.set(shown, note("facts", shown, (defines ? (rate > 0 ? 0.45 : 0.2) : 0.22) + 0.04 * Math.min(rate, 8)));
    }
  }
  const ranked = [...found.values()].sort((a, b) => b.weight - a.weight);
  const light = new Map(ranked.slice(mostPlaces, allPlaces).map((one) => [one, { ...one, weight: one.weight / 2 }]));
  const kept = new Set(ranked.slice(0, mostPlaces));
  return [...found.values()].flatMap((one) => (kept.has(one) ? [one] : (light.get(one) ?? [])));
}

/** Versions of the environment, where a command asked for them or pytest printed them. */
export function versions(deeds: readonly Deed[]): Note[] {
  const notes = deeds.flatMap(({ call, action }) => {
    const body = bodyOf(call.result ?? "");
    const platform = /^platform \w+ -- .{1,160}$/m.exec(body.slice(0, 4_000))?.[0];
    if (platform !== undefined) return [note("facts", oneLine(platform), 0.4)];
    const asked = / (?:--version|-V)\b|\bversion\b/.test(action.command) && !action.failed && body.trim() !== "" && body.length <= 160;
    return asked ? [note("facts", `${code(action.command)}: ${oneLine(body)}`, 0.4)] : [];
  });
  return notes.slice(-4);
}
