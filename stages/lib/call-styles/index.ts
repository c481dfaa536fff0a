import type { CallStyle } from "./call-style.ts";
import { hermes } from "./hermes.ts";
import { xml } from "./xml.ts";

export const callStyles = { hermes, xml } satisfies Record<string, CallStyle>;
export type CallStyleName = keyof typeof callStyles;
