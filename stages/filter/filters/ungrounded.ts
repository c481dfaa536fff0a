import { above, type Filter, share, worst } from "./filter.ts";

/** Too much of what some memory names was never shown before its cut: it is invented. */
export const ungrounded: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxUngroundedShare }) => above(worst(blocks, "grounded", share), maxUngroundedShare),
};
