import { jsonString, spacedJson } from "../json-text.ts";

/** The pieces of the `xml` style that writing and reading share. */

export const tags = { function: "<function=", endFunction: "</function>", parameter: "<parameter=", endParameter: "</parameter>" } as const;

const tag = String.raw`(?=(?:function|parameter)=|\/(?:function|parameter)>)`;
const unescapedTag = new RegExp(String.raw`<(\\*)${tag}`, "g");
const escapedTag = new RegExp(String.raw`<\\(\\*)${tag}`, "g");

/** One backslash more behind the `<` of everything that looks like a tag of ours, escaped or not: what is left without one is a tag. */
export const escapeTags = (text: string): string => (text.includes("<") ? text.replace(unescapedTag, "<\\$1") : text);
export const unescapeTags = (text: string): string => (text.includes("<\\") ? text.replace(escapedTag, "<$1") : text);

/** Pattern of a name behind `=`: plain, or as a JSON string where it holds what would end a tag. */
export const namePattern = String.raw`"(?:[^"\\]|\\.)*"|[^\s"<>][^"<>\n]*`;
const plainName = /^[^\s"<>]+$/;

export const nameText = (name: string): string => (plainName.test(name) ? name : escapeTags(jsonString(name)));

export function readName(text: string): string {
  if (!text.startsWith('"')) return text.trim();
  const json = unescapeTags(text);
  return spacedJson(json) === null ? json : (JSON.parse(json) as string);
}

/** Would the text on one line with its tags be taken for a number, list, object, true, false or null? */
const readsAsJson = (text: string): boolean => !text.trimStart().startsWith('"') && !text.includes("\n") && spacedJson(text) !== null;

/**
 * A value needs no schema to be read back: a string on lines of its own is that string, whatever it looks like; on the line of its tags it
 * is one unless it reads as another kind of JSON, which is then what is meant. OpenHands writes values of several lines in the same way.
 * `json`: raw text.
 */
export function valueText(json: string): string {
  if (!json.startsWith('"')) return escapeTags(spacedJson(json) ?? json);
  const text = JSON.parse(json) as string;
  return escapeTags(text.includes("\n") || readsAsJson(text) ? `\n${text}\n` : text);
}

/** A line break at the start was put there to set the text off, and so was the one at the end then. */
const setOff = (text: string): string => (text.startsWith("\n") ? text.slice(1).replace(/\n$/, "") : text);

/**
 * The value between two tags as JSON text. `types`: what the tool's schema allows, null where that is not known. A schema that allows
 * nothing but strings, or no strings at all, decides; live models do not set off `[]` in a text, and do set off numbers.
 */
export function readValue(written: string, types: readonly string[] | null): string {
  const text = unescapeTags(written);
  if (types !== null && !types.includes("string")) return spacedJson(text.trim()) ?? jsonString(setOff(text));
  const isText = types?.every((type) => type === "string") ?? false;
  return isText || !readsAsJson(text) ? jsonString(setOff(text)) : (spacedJson(text) ?? jsonString(text));
}
