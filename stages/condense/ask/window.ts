import type { CondenseParams } from "../params.ts";

/** Request and reply of a call to the condenser's model, together at most; tokens. */
export const windowOf = ({ condense, window }: Pick<CondenseParams, "condense" | "window">): number =>
  condense.windowTokens ?? window.tokens;
