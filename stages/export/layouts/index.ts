import { atif } from "./atif.ts";
import { inputOutput } from "./input-output.ts";
import type { Layout } from "./layout.ts";
import { messages } from "./messages.ts";
import { promptCompletion } from "./prompt-completion.ts";
import { structured } from "./structured.ts";
import { tokenized } from "./tokenized.ts";
import { turns } from "./turns.ts";

/** Order is that of the card. */
export const layouts = {
  messages,
  "input-output": inputOutput,
  tokenized,
  "prompt-completion": promptCompletion,
  turns,
  structured,
  atif,
} satisfies Record<string, Layout>;
export type LayoutName = keyof typeof layouts;
