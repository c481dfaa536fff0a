import { above, checked, type Filter, share } from "./filter.ts";

/** Too much of what the memory names was never shown before its cut: it is invented. */
export const ungrounded: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxUngroundedShare",
  fails: (block, { maxUngroundedShare }) => above(checked(block, "grounded", share), maxUngroundedShare),
};
