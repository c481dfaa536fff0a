import { inputOutput } from "./input-output.ts";
import type { Layout } from "./layout.ts";
import { messages } from "./messages.ts";

/** Order is that of the card. */
export const layouts = { messages, "input-output": inputOutput } satisfies Record<string, Layout>;
export type LayoutName = keyof typeof layouts;
