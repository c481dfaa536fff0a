import type { MemoryNotes, MemoryPart } from "../../schemas/memory-notes.ts";
import { MemoryRepair } from "../../schemas/writer.ts";
import { type LooseMemory, type LooseSection, looseHeading, looseMarkdown } from "./memory-markdown.ts";
import { attemptOf, emptyNotes, memorySections, type NoMemory, noMemory, oneLine, parseMemory, quoted } from "./memory-text.ts";

/**
 * Reads a memory from what a model wrote: Markdown or a JSON object, mended by rule where no word is lost by it. Everything mended is
 * named. What would need a guess (no sections, one of its own, one twice) is refused, and the model is asked again.
 */
export type ReadMemory = { readonly ok: true; readonly notes: MemoryNotes; readonly repairs: readonly MemoryRepair[] } | NoMemory;

/** Below this many of the eight sections a text is taken for something else, not for a memory with empty sections left out. Our choice. */
const fewestSections = 4;

/** Other words for an outcome that models use. */
const outcomeWords: Readonly<Record<string, "worked" | "partly" | "failed" | "ran">> = {
  worked: "worked",
  works: "worked",
  success: "worked",
  succeeded: "worked",
  successful: "worked",
  passed: "worked",
  partly: "partly",
  partial: "partly",
  partially: "partly",
  failed: "failed",
  fails: "failed",
  failure: "failed",
  fail: "failed",
  ran: "ran",
  unclear: "ran",
  inconclusive: "ran",
};
const loosely = /^[*_[(`]{0,4}([A-Za-z]{3,12})[*_\])`]{0,4}\s?(?:[:\-–—][*_]{0,2})\s+(\S.*)$/;
/** Words for an empty section. */
const nothing = /^[(*_]{0,2}(?:none(?: noted| yet| so far| known)?|nothing(?: noted| yet)?|n\/a|-|—)[.)*_]{0,3}$/i;

/** Takes one bullet into the notes; gives what had to be mended. */
function take(notes: MemoryNotes, part: MemoryPart, bullet: string): MemoryRepair[] {
  const text = oneLine(bullet);
  const mended: MemoryRepair[] = text === bullet ? [] : ["one-line"];
  if (text === "") return mended;
  if (nothing.test(text)) return ["nothing-noted"];
  if (part !== "attempts") notes[part].push(text);
  else {
    const stated = attemptOf(text);
    const word = loosely.exec(text);
    const outcome = Object.hasOwn(outcomeWords, word?.[1]?.toLowerCase() ?? "") ? outcomeWords[word?.[1]?.toLowerCase() ?? ""] : undefined;
    notes.attempts.push(stated ?? (outcome === undefined ? { outcome: "ran", text } : { outcome, text: word?.[2] ?? text }));
    if (stated === null) mended.push("outcome");
  }
  return mended;
}

/** Notes of the sections that are there, and of those that were left out. */
function assembled(loose: LooseMemory): ReadMemory {
  const wanted = memorySections.map(({ part }) => part);
  const found = loose.sections.map(({ part }) => part);
  const twice = found.find((part, index) => found.indexOf(part) !== index);
  if (twice !== undefined) return noMemory("memory-sections-disordered", 0, `expected each section once, ${titleOf(twice)} is there twice`);
  const missing = wanted.filter((part) => !found.includes(part));
  if (found.length < fewestSections)
    return noMemory("memory-sections-missing", 0, `expected the sections asked for; not there: ${missing.map(titleOf).join(", ")}`);
  const repairs = new Set(loose.repairs);
  if (missing.length > 0) repairs.add("section-added");
  if (found.join() !== wanted.filter((part) => found.includes(part)).join()) repairs.add("section-order");
  const notes = emptyNotes();
  for (const { part, bullets } of loose.sections) {
    if (bullets.length === 1 && bullets[0] === "none noted") continue;
    if (bullets.length === 0) repairs.add("nothing-noted");
    for (const bullet of bullets) for (const repair of take(notes, part, bullet)) repairs.add(repair);
  }
  return { ok: true, notes, repairs: MemoryRepair.options.filter((one) => repairs.has(one)) };
}

const titleOf = (part: MemoryPart): string => memorySections.find((section) => section.part === part)?.title ?? part;

/** The bullets of one value of a JSON object; null: it is no list of entries. */
function bulletsOf(value: unknown): string[] | null {
  if (value === null) return [];
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (!Array.isArray(value)) return null;
  const bullets = value.map((one: unknown) => {
    if (typeof one === "string") return one;
    if (typeof one !== "object" || one === null) return null;
    const { outcome, text } = one as { outcome?: unknown; text?: unknown };
    return typeof outcome === "string" && typeof text === "string" ? `${outcome}: ${text}` : null;
  });
  return bullets.some((one) => one === null) ? null : (bullets as string[]);
}

function fromJson(text: string): ReadMemory {
  const malformed = (what: string): NoMemory =>
    noMemory("memory-json-malformed", 0, `expected one JSON object with a list per section, ${what}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed(`got ${text.length} characters starting ${quoted(text)} that are no JSON`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return malformed("got another value");
  const sections: LooseSection[] = [];
  const repairs = new Set<MemoryRepair>();
  for (const [key, held] of Object.entries(value)) {
    const own = memorySections.find(({ part }) => part === key);
    const part = own?.part ?? looseHeading(key.replaceAll("_", " "))?.part;
    const bullets = bulletsOf(held);
    if (part === undefined)
      return noMemory(
        "memory-section-unknown",
        0,
        `expected no section but ${memorySections.map((one) => one.part).join(", ")}; got ${quoted(key)}`,
      );
    if (bullets === null) return malformed(`got another value for ${quoted(key)}`);
    if (own === undefined) repairs.add("heading");
    sections.push({ part, bullets: bullets.length === 0 ? ["none noted"] : bullets });
  }
  // The order of keys in a JSON object means nothing.
  const order = memorySections.map(({ part }) => part as string);
  return assembled({ sections: sections.sort((a, b) => order.indexOf(a.part) - order.indexOf(b.part)), repairs });
}

/** A reply without reasoning that a server left in it: `<think>...</think>`, or all before a closing tag whose opening it swallowed. */
export function withoutReasoning(reply: string): string {
  const end = reply.indexOf("</think>");
  if (end < 0) return reply;
  const start = reply.indexOf("<think>");
  return start >= 0 && reply.slice(0, start).trim() !== "" ? reply : reply.slice(end + "</think>".length);
}

/** The notes in a model's reply, whatever transport it came by. Deterministic; linear in its length. */
export function readMemory(reply: string): ReadMemory {
  const said = withoutReasoning(reply);
  const reasoned = said !== reply;
  const text = said.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  const whole = parseMemory(text);
  const saysNothing =
    whole.ok && memorySections.some(({ part }) => whole.value[part].some((one) => typeof one === "string" && nothing.test(one)));
  if (whole.ok && !saysNothing) return { ok: true, notes: whole.value, repairs: reasoned ? ["reasoning"] : [] };
  if (!whole.ok && text === "") return whole;
  const fenced = /^```[\w-]{0,20}[ \t]*\n([\s\S]*)\n[ \t]*```$/.exec(text)?.[1];
  const inner = (fenced ?? text).trim();
  const loose = inner.startsWith("{") ? null : looseMarkdown(inner);
  const read = loose === null ? fromJson(inner) : "ok" in loose ? loose : assembled(loose);
  if (!read.ok) return read;
  const more: readonly MemoryRepair[] = [
    ...(reasoned ? (["reasoning"] as const) : []),
    ...(fenced === undefined ? [] : (["fence"] as const)),
  ];
  return { ...read, repairs: MemoryRepair.options.filter((one) => more.includes(one) || read.repairs.includes(one)) };
}
