import type { Condenser } from "./condenser.ts";
import { extractive } from "./extractive.ts";
import { llm } from "./llm.ts";

export const condensers = { extractive, llm } satisfies Record<string, Condenser>;
export type CondenserName = keyof typeof condensers;
