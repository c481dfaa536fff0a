import { keep } from "./keep.ts";
import { paper } from "./paper.ts";
import type { Persona } from "./persona.ts";

export const personas = { paper, keep } satisfies Record<string, Persona>;
export type PersonaName = keyof typeof personas;
