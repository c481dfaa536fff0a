import type { CallStyle } from "./call-style.ts";
import { hermes } from "./hermes.ts";

export const callStyles = { hermes } satisfies Record<string, CallStyle>;
export type CallStyleName = keyof typeof callStyles;
