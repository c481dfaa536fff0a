import { escapeControlTexts } from "../control-tokens.ts";
import { jsonString } from "../json-text.ts";

const shownChars = 80;

/** The beginning of what a model wrote, quoted, for a message to it: without line breaks, and without text that would become a control token. */
export const excerpt = (text: string): string =>
  escapeControlTexts(jsonString(text.length > shownChars ? `${text.slice(0, shownChars)}...` : text));
