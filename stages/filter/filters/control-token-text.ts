import { above, type Filter } from "./filter.ts";

/** Text of the data would become a control token of the model (`<|im_end|>` in a test log). Source: trainers.md 1.3, run on every trainer. */
export const controlTokenText: Filter = {
  scope: "trajectory",
  limit: "maxControlTokenTexts",
  fails: ({ controlTokenTexts }, { maxControlTokenTexts }) => above(controlTokenTexts, maxControlTokenTexts),
};
